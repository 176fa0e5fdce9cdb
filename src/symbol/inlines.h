/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inlines: which functions the compiler has put into others, and lines of the source, from a file's debugging
 * information (DWARF, by libdw).
 *
 * Each unit of it is read when an address in it is asked for. What a file asks for is bounded, and what
 * makes no sense in it is as if it were not there.
 */
#ifndef SONDE_SYMBOL_INLINES_H
#define SONDE_SYMBOL_INLINES_H

#include <stddef.h>
#include <stdint.h>

struct inlines;

/* A function at an address. Texts are borrowed until inlines_free. */
struct inline_place {
	const char *
		function; /* as the linker knows it, which may be mangled, or else as the source does; NULL = not known */
	const char *file; /* of the source; NULL = not known */
	uint32_t line; /* 0 = not known */
};

/* Takes @fd, also where it fails: -ENOENT: no debugging information, or none that is valid; -ENOMEM. */
int inlines_open(int fd, struct inlines **ret);
/* NULL is fine. */
void inlines_free(struct inlines *inlines);
/*
 * The functions at @address, as the file has it: innermost first, then those that it was inlined into, last the one that is in
 * the symbol table. How many, at most @most; 0 = not known.
 */
size_t inlines_find(struct inlines *inlines, uint64_t address, struct inline_place *ret,
		    size_t most);

#endif /* SONDE_SYMBOL_INLINES_H */
