// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/module.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "symbol/elf_symbols.h"

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"

struct module {
	char *path;
	const char *name; /* the end of the path */
	uint8_t build_id[BUILD_ID_BYTES];
	uint32_t pid;
	bool looked; /* the file was looked for */
	struct elf_symbols elf;
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
	return m;
}

void module_free(struct module *m)
{
	if (!m)
		return;
	elf_symbols_fini(&m->elf);
	free(m->path);
	free(m);
}

const char *module_path(const struct module *m)
{
	return m->path;
}

const char *module_name(const struct module *m)
{
	return m->name;
}

const uint8_t *module_build_id(const struct module *m)
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

bool module_find(struct module *m, uint64_t offset, struct symbol *ret)
{
	if (!m->looked)
		load(m);
	return elf_symbols_find(&m->elf, offset, ret);
}
