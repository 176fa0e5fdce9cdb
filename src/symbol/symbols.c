// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/map.h"
#include "symbol/elf_symbols.h"
#include "symbol/kernel_symbols.h"
#include "symbol/symbol_table.h"

/*
 * A file with code that processes had mapped, as found when a trace is read.
 *
 * The path alone proves nothing: the trace may be from another host, or the package was updated
 * since. So a file counts only where its build id is the recorded one.
 */

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"

struct module {
	char *path;
	const char *name; /* the end of the path */
	uint8_t build_id[BUILD_ID_BYTES];
	uint32_t pid;
	bool looked; /* the file was looked for */
	struct elf_symbols elf;
};

/* @build_id: BUILD_ID_BYTES; @pid: a process that had it mapped. NULL: no memory. */
static struct module *module_new(const char *path, size_t path_len, const uint8_t *build_id,
				 uint32_t pid)
{
	struct module *m = calloc(1, sizeof(*m));
	const char *slash;

	if (!m)
		return NULL;
	m->path = strndup(path, path_len);
	if (!m->path) {
		free(m);
		return NULL;
	}
	slash = strrchr(m->path, '/');
	m->name = slash ? slash + 1 : m->path;
	if (!*m->name)
		m->name = "[anonymous]";
	memcpy(m->build_id, build_id, BUILD_ID_BYTES);
	m->pid = pid;
	elf_symbols_init(&m->elf);
	return m;
}

static void module_free(struct module *m)
{
	if (!m)
		return;
	elf_symbols_fini(&m->elf);
	free(m->path);
	free(m);
}

/* As they were given. Borrowed until it is freed. */
static const char *module_path(const struct module *m)
{
	return m->path;
}

/* The path without its folders. Borrowed likewise. */
static const char *module_name(const struct module *m)
{
	return m->name;
}

static const uint8_t *module_build_id(const struct module *m)
{
	return m->build_id;
}

/* A regular file with the recorded build id, or -1. */
static int open_same(const struct module *m, const char *path)
{
	uint8_t id[BUILD_ID_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	elf_build_id(fd, id);
	if (!memcmp(id, m->build_id, sizeof(id)))
		return fd;
	fd_close(fd);
	return -1;
}

/* Where it was, or as its process sees it, which may be in a container. */
static int open_module(const struct module *m)
{
	char path[PATH_MAX];
	int fd;

	if (*m->path != '/')
		return -1;
	fd = open_same(m, m->path);
	if (fd >= 0)
		return fd;
	if ((size_t)snprintf(path, sizeof(path), "/proc/%u/root%s", m->pid, m->path) >=
	    sizeof(path))
		return -1;
	return open_same(m, path);
}

/* What distributions keep of a program that they have stripped. */
static int open_debug(const struct module *m)
{
	char path[sizeof(DEBUG_FOLDER) + 2 * BUILD_ID_BYTES + 16];
	size_t at = (size_t)snprintf(path, sizeof(path), DEBUG_FOLDER "/%02x/", m->build_id[0]);

	for (size_t i = 1; i < BUILD_ID_BYTES; i++)
		at += (size_t)snprintf(path + at, sizeof(path) - at, "%02x", m->build_id[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	return open_same(m, path);
}

/* Symbols that cannot be read stay without names: the error has no receiver. */
static void load(struct module *m)
{
	static const uint8_t none[BUILD_ID_BYTES];
	int fd = open_module(m);

	m->looked = true;
	if (fd < 0)
		return;
	(void)elf_symbols_read(&m->elf, fd);
	fd_close(fd);
	if (!memcmp(m->build_id, none, sizeof(none)))
		return;
	fd = open_debug(m);
	if (fd < 0)
		return;
	(void)elf_symbols_read_debug(&m->elf, fd);
	fd_close(fd);
}

/* The function @offset bytes into the file, false where it is not known; the file is read the first time. */
static bool module_find(struct module *m, uint64_t offset, struct symbol *ret)
{
	if (!m->looked)
		load(m);
	return elf_symbols_find(&m->elf, offset, ret);
}

/* As symbol_mapping, with its file. */
struct mapping {
	int64_t since_ns;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct module *module;
};

struct process {
	struct mapping *mappings; /* in the order of adding, which is that of since_ns */
	size_t count;
	size_t room;
};

struct symbols {
	struct symbol_table kernel;
	struct map processes; /* pid -> struct process */
	struct map modules; /* struct module_key -> struct module * */
	size_t mapping_count;
};

/* What makes two mappings ones of the same file. Paths are kept apart by their hash: two of the same
 * hash and build id would be the same file anyway. */
struct module_key {
	uint8_t build_id[BUILD_ID_BYTES];
	uint32_t path_hash;
};

struct symbols *symbols_new(void)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	symbol_table_init(&s->kernel);
	map_init(&s->processes, sizeof(uint32_t), sizeof(struct process), 0);
	map_init(&s->modules, sizeof(struct module_key), sizeof(struct module *),
		 SYMBOLS_MODULES_MAX);
	return s;
}

void symbols_free(struct symbols *s)
{
	const void *key;
	void *value;

	if (!s)
		return;
	for (size_t at = 0; map_next(&s->processes, &at, &key, &value);)
		free(((struct process *)value)->mappings);
	for (size_t at = 0; map_next(&s->modules, &at, &key, &value);)
		module_free(*(struct module **)value);
	map_fini(&s->processes);
	map_fini(&s->modules);
	symbol_table_fini(&s->kernel);
	free(s);
}

int symbols_add_kernel(struct symbols *s, uint64_t start, uint64_t size, const char *name,
		       size_t len)
{
	return symbol_table_add(&s->kernel, start, size, name, len);
}

/* FNV-1a. */
static uint32_t hash_text(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

static struct module *module_of(struct symbols *s, const struct symbol_mapping *m)
{
	struct module_key key = {.path_hash = hash_text(m->path, m->path_len)};
	struct module **module;

	memcpy(key.build_id, m->build_id, sizeof(key.build_id));
	module = map_at(&s->modules, &key);
	if (module && !*module)
		*module = module_new(m->path, m->path_len, m->build_id, m->pid);
	return module ? *module : NULL;
}

static struct mapping *push(struct process *process)
{
	size_t room = process->room ? 2 * process->room : 16;
	struct mapping *mappings;

	if (process->count == process->room) {
		mappings = realloc(process->mappings, room * sizeof(*mappings));
		if (!mappings)
			return NULL;
		process->mappings = mappings;
		process->room = room;
	}
	return &process->mappings[process->count++];
}

int symbols_add_mapping(struct symbols *s, const struct symbol_mapping *m)
{
	struct process *process;
	struct module *module;
	struct mapping *mapping;

	if (s->mapping_count == SYMBOLS_MAPPINGS_MAX)
		return -E2BIG;
	module = module_of(s, m);
	process = module ? map_at(&s->processes, &m->pid) : NULL;
	mapping = process ? push(process) : NULL;
	if (!mapping)
		return -ENOMEM;
	*mapping = (struct mapping){
		.since_ns = m->since_ns,
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.module = module,
	};
	s->mapping_count++;
	return 0;
}

/*
 * Of the program that the process ran then; before all known ones, of its first one: it is recorded
 * when it was first seen, which may be a little later than that.
 */
static const struct mapping *mapping_at(const struct process *process, int64_t time_ns,
					uint64_t address)
{
	int64_t since_ns = process->mappings[0].since_ns;

	for (size_t i = 0; i < process->count; i++) {
		int64_t one = process->mappings[i].since_ns;

		if (one <= time_ns && one > since_ns)
			since_ns = one;
	}
	for (size_t i = process->count; i-- > 0;) {
		const struct mapping *m = &process->mappings[i];

		if (m->since_ns == since_ns && address >= m->start && address < m->end)
			return m;
	}
	return NULL;
}

static bool find_kernel(struct symbols *s, uint64_t address, struct symbol_place *ret)
{
	struct symbol symbol;

	if (!symbol_table_find(&s->kernel, address, &symbol))
		return false;
	*ret = (struct symbol_place){
		.function = symbol.name,
		.offset = address - symbol.start,
	};
	return true;
}

static void find_in_module(struct module *module, uint64_t offset, struct symbol_place *ret)
{
	struct symbol symbol;

	*ret = (struct symbol_place){.module = module_name(module), .offset = offset};
	if (!module_find(module, offset, &symbol))
		return;
	ret->function = symbol.name;
	ret->offset = offset - symbol.start;
}

bool symbols_find(struct symbols *s, uint32_t pid, int64_t time_ns, uint64_t address,
		  struct symbol_place *ret)
{
	const struct process *process;
	const struct mapping *mapping;

	if (kernel_symbols_has(address))
		return find_kernel(s, address, ret);
	process = map_get(&s->processes, &pid);
	mapping = process && process->count ? mapping_at(process, time_ns, address) : NULL;
	if (!mapping)
		return false;
	find_in_module(mapping->module, address - mapping->start + mapping->offset, ret);
	return true;
}

size_t symbols_find_all(struct symbols *s, uint32_t pid, int64_t time_ns, uint64_t address,
			struct symbol_place *ret, size_t most)
{
	return most && symbols_find(s, pid, time_ns, address, ret);
}

bool symbols_find_kernel(struct symbols *s, uint64_t address, struct symbol *ret)
{
	return kernel_symbols_has(address) && symbol_table_find(&s->kernel, address, ret);
}

bool symbols_find_mapping(struct symbols *s, uint32_t pid, int64_t time_ns, uint64_t address,
			  struct symbol_mapping *ret)
{
	const struct process *process = map_get(&s->processes, &pid);
	const struct mapping *mapping =
		process && process->count ? mapping_at(process, time_ns, address) : NULL;

	if (!mapping || kernel_symbols_has(address))
		return false;
	*ret = (struct symbol_mapping){
		.since_ns = mapping->since_ns,
		.start = mapping->start,
		.end = mapping->end,
		.offset = mapping->offset,
		.pid = pid,
		.build_id = module_build_id(mapping->module),
		.path = module_path(mapping->module),
	};
	ret->path_len = strlen(ret->path);
	return true;
}

size_t symbol_format(const struct symbol_place *place, char text[SYMBOL_TEXT_BYTES])
{
	const char *name = place->function ? place->function : place->module;
	int len = snprintf(text, SYMBOL_TEXT_BYTES, "%.200s+0x%" PRIx64, name, place->offset);

	return len < (int)SYMBOL_TEXT_BYTES ? (size_t)len : SYMBOL_TEXT_BYTES - 1;
}
