// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "symbol/elf_symbols.h"
#include "symbol/kernel_symbols.h"
#include "symbol/module.h"
#include "symbol/symbol_table.h"

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

size_t symbols_find_all(struct symbols *s, uint32_t pid, int64_t time_ns, uint64_t address,
			struct symbol_place *ret, size_t most)
{
	const struct process *process;
	const struct mapping *mapping;

	if (kernel_symbols_has(address))
		return most && find_kernel(s, address, ret);
	process = map_get(&s->processes, &pid);
	mapping = process && process->count ? mapping_at(process, time_ns, address) : NULL;
	if (!mapping)
		return 0;
	return module_find(mapping->module, address - mapping->start + mapping->offset, ret, most);
}

bool symbols_find(struct symbols *s, uint32_t pid, int64_t time_ns, uint64_t address,
		  struct symbol_place *ret)
{
	struct symbol_place places[SYMBOL_INLINED_MAX];
	size_t count = symbols_find_all(s, pid, time_ns, address, places, SYMBOL_INLINED_MAX);

	if (count)
		*ret = places[count - 1];
	return count;
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

size_t symbol_label(const struct symbol_place *place, char text[SYMBOL_LABEL_BYTES])
{
	int len;

	if (place->function)
		len = snprintf(text, SYMBOL_LABEL_BYTES, "%.480s", place->function);
	else if (place->module && place->module[0] == '[') /* it is no file: "[vdso]" */
		len = snprintf(text, SYMBOL_LABEL_BYTES, "%.480s", place->module);
	else if (place->module && place->begins)
		len = snprintf(text, SYMBOL_LABEL_BYTES, "[%.460s+0x%" PRIx64 "]", place->module,
			       place->begins);
	else
		len = snprintf(text, SYMBOL_LABEL_BYTES, "[%.480s]", place->module ?: "unknown");
	return (size_t)len;
}
