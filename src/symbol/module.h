/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module: a file with code that processes had mapped, as found when a trace is read.
 *
 * The path alone proves nothing: the trace may be from another host, or the package was updated
 * since. So a file counts only where its build id is the recorded one.
 */
#ifndef SONDE_SYMBOL_MODULE_H
#define SONDE_SYMBOL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;
struct symbol;

/* @build_id: BUILD_ID_BYTES; @pid: a process that had it mapped. NULL: no memory. */
struct module *module_new(const char *path, size_t path_len, const uint8_t *build_id, uint32_t pid);
void module_free(struct module *module);

/* As they were given. Borrowed until it is freed. */
const char *module_path(const struct module *module);
const uint8_t *module_build_id(const struct module *module);

/* The path without its folders. Borrowed likewise. */
const char *module_name(const struct module *module);

/* The function @offset bytes into the file, false where it is not known; the file is read the first time. */
bool module_find(struct module *module, uint64_t offset, struct symbol *ret);

#endif /* SONDE_SYMBOL_MODULE_H */
