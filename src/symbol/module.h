/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module: a file with code that processes had mapped, as found when a trace is read.
 *
 * The path alone proves nothing: the trace may be from another host, or the package was updated since. So a file
 * counts only where its build id is the recorded one, and a file with debugging information only where it has
 * that build id or the checksum that the program asks for. Files are read when something in them is asked for.
 */
#ifndef SONDE_SYMBOL_MODULE_H
#define SONDE_SYMBOL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_INLINED_MAX 32u /* functions at one address; further ones are left out */

struct module;

/* What an address is. Borrowed from the symbols (symbol/symbols.h) until something is added. */
struct symbol_place {
	const char *function; /* NULL: not known */
	const char *module; /* name of the file, without folders; NULL: the kernel, or not known */
	uint64_t offset; /* from the start of the function, or else of the file */
	uint64_t begins; /* of a function without a name: where it begins in the file; 0 = not known */
	const char *file; /* of the source; NULL: not known */
	uint32_t line; /* in it; 0: not known */
	bool inlined; /* the compiler has put the function into its caller, the next place */
};

/* @build_id: BUILD_ID_BYTES; @pid: a process that had it mapped. NULL: no memory. */
struct module *module_new(const char *path, size_t path_len, const uint8_t *build_id, uint32_t pid);
/* NULL is fine. */
void module_free(struct module *m);

/* As they were given. Borrowed until it is freed. */
const char *module_path(const struct module *m);
const uint8_t *module_build_id(const struct module *m);

/*
 * The functions @offset bytes into the file, innermost first: how many places, at most @most, at least 1. Of what is not
 * known the place has only the file. Texts are borrowed until it is freed.
 */
size_t module_find(struct module *m, uint64_t offset, struct symbol_place *ret, size_t most);

#endif /* SONDE_SYMBOL_MODULE_H */
