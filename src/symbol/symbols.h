/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols: names for the addresses in a trace: of the kernel that it was recorded on, and of
 * processes by the files that they had mapped, each while it had them.
 *
 * Readers of a trace add the trace's symbols (trace/symbol_notes.c); views ask. ELF files are
 * read when something in them is asked for, and only where their build id is the recorded one.
 */
#ifndef SONDE_SYMBOL_SYMBOLS_H
#define SONDE_SYMBOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/elf_symbols.h"
#include "symbol/module.h"

#define SYMBOLS_MAPPINGS_MAX (4u << 20) /* of all processes */
#define SYMBOLS_MODULES_MAX (64u << 10) /* files */
#define SYMBOL_TEXT_BYTES 256u /* of symbol_format, NUL included */
#define SYMBOL_LABEL_BYTES 512u /* of symbol_label, NUL included */

struct symbol;
struct symbols;

/* Code of a process from @since_ns on, until its mappings are recorded again. */
struct symbol_mapping {
	int64_t since_ns; /* of the trace's clock, as events have it */
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file */
	uint32_t pid;
	const uint8_t *build_id; /* BUILD_ID_BYTES, zeros where it is not known */
	const char *path;
	size_t path_len;
};

/* NULL: no memory. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* A function of the kernel; @size 0 = not known. 0, -ENOMEM or -E2BIG. */
int symbols_add_kernel(struct symbols *symbols, uint64_t start, uint64_t size, const char *name,
		       size_t len);
/* Copies what it needs. If mappings have the same pid and since_ns later ones replace earlier ones. */
int symbols_add_mapping(struct symbols *symbols, const struct symbol_mapping *mapping);

/* What @address was to process @pid at @time_ns; false where nothing is known of it. */
bool symbols_find(struct symbols *symbols, uint32_t pid, int64_t time_ns, uint64_t address,
		  struct symbol_place *ret);
/* The same with the functions that were inlined there, innermost first, then the one that they are in: how many
 * places, at most @most. The last of them is what symbols_find says. */
size_t symbols_find_all(struct symbols *symbols, uint32_t pid, int64_t time_ns, uint64_t address,
			struct symbol_place *ret, size_t most);
/* What was added of it: the function of the kernel, the mapping of the process, that @address lies in.
 * The first is borrowed until something is added, and so is what the second points to. */
bool symbols_find_kernel(struct symbols *symbols, uint64_t address, struct symbol *ret);
bool symbols_find_mapping(struct symbols *symbols, uint32_t pid, int64_t time_ns, uint64_t address,
			  struct symbol_mapping *ret);
/* "function+0x12", or "libc.so.6+0x1234"; its length, less than SYMBOL_TEXT_BYTES. */
size_t symbol_format(const struct symbol_place *place, char text[SYMBOL_TEXT_BYTES]);
/* What stacks call it, whichever instruction it is: "function"; "[libc.so.6+0x1200]", where a function without a name
 * begins; "[libc.so.6]", "[vdso]", "[unknown]". Its length, less than SYMBOL_LABEL_BYTES. */
size_t symbol_label(const struct symbol_place *place, char text[SYMBOL_LABEL_BYTES]);

#endif /* SONDE_SYMBOL_SYMBOLS_H */
