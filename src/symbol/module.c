// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/module.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/map.h"
#include "symbol/demangle.h"
#include "symbol/elf_symbols.h"
#include "symbol/inlines.h"
#include "symbol/symbol_table.h"

/* Folders that are searched, with colons between them: as gdb's debug-file-directory. */
#define FOLDERS_ENV "SONDE_SYMBOLS"
#define FOLDERS "/usr/lib/debug"
#define ID_TEXT_BYTES (2 * BUILD_ID_BYTES + 2)

#define FOUND_MAX (1u << 20) /* answers that are kept */

/* What is at one place of the file. */
struct found {
	size_t count;
	struct symbol_place places[];
};

struct module {
	char *path;
	const char *name; /* the end of the path */
	uint8_t build_id[BUILD_ID_BYTES];
	uint32_t pid;
	bool looked; /* the file was looked for */
	struct elf_symbols elf;
	struct inlines *inlines; /* NULL: it has no debugging information */
	struct map found; /* offset -> struct found *, as far as there is room */
	struct map plain; /* name in the table -> char *: the same not mangled; or NULL */
};

struct module *module_new(const char *path, size_t path_len, const uint8_t *build_id, uint32_t pid)
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
	map_init(&m->found, sizeof(uint64_t), sizeof(struct found *), FOUND_MAX);
	map_init(&m->plain, sizeof(uint64_t), sizeof(char *), 0);
	return m;
}

void module_free(struct module *m)
{
	const void *key;
	void *value;

	if (!m)
		return;
	for (size_t at = 0; map_next(&m->plain, &at, &key, &value);)
		free(*(char **)value);
	for (size_t at = 0; map_next(&m->found, &at, &key, &value);)
		free(*(struct found **)value);
	map_fini(&m->plain);
	map_fini(&m->found);
	inlines_free(m->inlines);
	elf_symbols_fini(&m->elf);
	free(m->path);
	free(m);
}

const char *module_path(const struct module *m)
{
	return m->path;
}

const uint8_t *module_build_id(const struct module *m)
{
	return m->build_id;
}

static bool has_build_id(const struct module *m)
{
	static const uint8_t none[BUILD_ID_BYTES];

	return memcmp(m->build_id, none, sizeof(none)) != 0;
}

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* A file with the recorded build id, or -1. */
static int open_same(const struct module *m, const char *path)
{
	uint8_t id[BUILD_ID_BYTES];
	int fd = open_file(path);

	if (fd < 0)
		return -1;
	elf_build_id(fd, id);
	if (!memcmp(id, m->build_id, sizeof(id)))
		return fd;
	fd_close(fd);
	return -1;
}

/* The next folder to search, from *@at on; false at the end. */
static bool next_folder(const char **at, char folder[PATH_MAX])
{
	size_t len;

	*at += strspn(*at, ":");
	len = strcspn(*at, ":");
	if (!len || len >= PATH_MAX)
		return false;
	memcpy(folder, *at, len);
	folder[len] = '\0';
	*at += len;
	return true;
}

static const char *folders(void)
{
	const char *asked = secure_getenv(FOLDERS_ENV);

	return asked && *asked ? asked : FOLDERS;
}

/* "ab/cdef0123..." */
static void write_id(const struct module *m, char text[ID_TEXT_BYTES])
{
	size_t at = (size_t)snprintf(text, ID_TEXT_BYTES, "%02x/", m->build_id[0]);

	for (size_t i = 1; i < BUILD_ID_BYTES; i++)
		at += (size_t)snprintf(text + at, ID_TEXT_BYTES - at, "%02x", m->build_id[i]);
}

/* A file with the recorded build id at FOLDER + @middle + @end, in any of the folders; or -1. */
static int open_in_folders(const struct module *m, const char *middle, const char *name,
			   const char *end)
{
	char folder[PATH_MAX], path[PATH_MAX];
	int fd = -1;

	for (const char *at = folders(); fd < 0 && next_folder(&at, folder);) {
		if ((size_t)snprintf(path, sizeof(path), "%s%s%s%s", folder, middle, name, end) <
		    sizeof(path))
			fd = open_same(m, path);
	}
	return fd;
}

/* Where it was, or as its process sees it, which may be in a container; or a copy of it. */
static int open_module(const struct module *m)
{
	char path[PATH_MAX], id[ID_TEXT_BYTES];
	int fd;

	if (*m->path != '/')
		return -1;
	fd = open_same(m, m->path);
	if (fd < 0 &&
	    (size_t)snprintf(path, sizeof(path), "/proc/%u/root%s", m->pid, m->path) < sizeof(path))
		fd = open_same(m, path);
	if (fd >= 0 || !has_build_id(m))
		return fd;
	write_id(m, id);
	fd = open_in_folders(m, "/.build-id/", id, "");
	return fd >= 0 ? fd : open_in_folders(m, "/", m->name, "");
}

/* The checksum of .gnu_debuglink, of the whole file. */
static bool has_checksum(int fd, uint32_t wanted)
{
	uint32_t crc = (uint32_t)crc32(0, NULL, 0);
	unsigned char bytes[1 << 15];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		crc = (uint32_t)crc32(crc, bytes, (uInt)got);
		at += got;
	}
	return !got && crc == wanted;
}

/* The file that .gnu_debuglink names, in one of the folders that gdb searches; or -1. */
static int open_linked(const struct module *m, const struct elf_link *link)
{
	const int dir_len = (int)(m->name - m->path);
	const char *const places[] = {"", ".debug/", FOLDERS};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const bool below = *places[i] == '/';
		int len = below ? snprintf(path, sizeof(path), "%s%.*s%s", places[i], dir_len,
					   m->path, link->name) :
				  snprintf(path, sizeof(path), "%.*s%s%s", dir_len, m->path,
					   places[i], link->name);
		int fd;

		if (len < 0 || (size_t)len >= sizeof(path))
			continue;
		fd = has_build_id(m) ? open_same(m, path) : open_file(path);
		if (fd >= 0 && (has_build_id(m) || has_checksum(fd, link->crc)))
			return fd;
		if (fd >= 0)
			fd_close(fd);
	}
	return -1;
}

/* What distributions keep of a program that they have stripped. @fd: the program, or -1. */
static int open_debug(const struct module *m, int fd)
{
	char id[ID_TEXT_BYTES];
	struct elf_link link;
	int debug = -1;

	if (has_build_id(m)) {
		write_id(m, id);
		debug = open_in_folders(m, "/.build-id/", id, ".debug");
	}
	if (debug < 0 && fd >= 0 && *m->path == '/' && elf_link_read(&link, fd))
		debug = open_linked(m, &link);
	return debug;
}

/* Symbols that cannot be read stay without names: the error has no receiver. */
static void load(struct module *m)
{
	int fd = open_module(m);
	int debug = open_debug(m, fd);

	m->looked = true;
	if (fd >= 0)
		(void)elf_symbols_read(&m->elf, fd);
	if (debug >= 0)
		(void)elf_symbols_read_debug(&m->elf, debug);
	/* The program's own, or that of the other file. */
	if (debug < 0 || inlines_open(debug, &m->inlines)) {
		if (fd >= 0)
			(void)inlines_open(fd, &m->inlines);
	} else {
		(void)fd_close(fd);
	}
}

/* @name without mangling, made once. */
static const char *plain_name(struct module *m, const char *name)
{
	const uint64_t key = (uint64_t)(uintptr_t)name;
	char **plain = map_get(&m->plain, &key);

	if (!plain) {
		plain = map_at(&m->plain, &key);
		if (plain)
			*plain = demangle(name);
	}
	return plain && *plain ? *plain : name;
}

/* The function of the symbol table, at least the file. */
static void find_symbol(struct module *m, uint64_t offset, struct symbol_place *ret)
{
	struct symbol symbol;
	uint64_t start;

	*ret = (struct symbol_place){.module = m->name, .offset = offset};
	if (elf_symbols_find(&m->elf, offset, &symbol)) {
		ret->function = plain_name(m, symbol.name);
		ret->offset = offset - symbol.start;
	} else if (elf_symbols_find_start(&m->elf, offset, &start)) {
		ret->begins = start;
	}
}

/* The same with what was inlined into it. */
static size_t find(struct module *m, uint64_t offset, struct symbol_place *ret, size_t most)
{
	struct inline_place places[SYMBOL_INLINED_MAX];
	size_t count = 0, last;
	uint64_t address;

	if (most > SYMBOL_INLINED_MAX)
		most = SYMBOL_INLINED_MAX;
	if (m->inlines && elf_symbols_address(&m->elf, offset, &address))
		count = inlines_find(m->inlines, address, places, most);
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct symbol_place){
			.function = places[i].function ? plain_name(m, places[i].function) : NULL,
			.module = m->name,
			.offset = offset,
			.file = places[i].file,
			.line = places[i].line,
			.inlined = i + 1 < count,
		};
	last = count ? count - 1 : 0;
	find_symbol(m, offset, &ret[last]);
	if (!count)
		return 1;
	ret[last].file = places[last].file;
	ret[last].line = places[last].line;
	if (!ret[last].function && places[last].function)
		ret[last].function = plain_name(m, places[last].function);
	return count;
}

size_t module_find(struct module *m, uint64_t offset, struct symbol_place *ret, size_t most)
{
	struct found **kept = map_get(&m->found, &offset), *made;
	size_t count;

	if (!most)
		return 0;
	if (!m->looked)
		load(m);
	if (kept && *kept) {
		count = (*kept)->count < most ? (*kept)->count : most;
		memcpy(ret, (*kept)->places, count * sizeof(*ret));
		return count;
	}
	count = find(m, offset, ret, most);
	made = malloc(sizeof(*made) + count * sizeof(*ret));
	kept = made ? map_at(&m->found, &offset) : NULL;
	if (!kept) {
		free(made);
		return count;
	}
	made->count = count;
	memcpy(made->places, ret, count * sizeof(*ret));
	*kept = made;
	return count;
}
