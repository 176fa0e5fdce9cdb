/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eh_frame: how a program's stack is unwound without frame pointers: the section .eh_frame of an ELF file made
 * into rows sorted by address (wire/unwind.h).
 *
 * The recorder reads with it whatever files processes have mapped: every length in them is checked, and the work
 * is bounded by the length of the section. x86-64 only.
 */
#ifndef SONDE_SYMBOL_EH_FRAME_H
#define SONDE_SYMBOL_EH_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "wire/unwind.h"

#define EH_FRAME_MAX_BYTES (64u << 20) /* of a section */
#define EH_FRAME_ROWS_MAX (4u << 20)

struct eh_frame {
	uint64_t base; /* address, as the file has it, that rows count from */
	struct unwind_row *rows; /* in order; a row of UNWIND_NONE ends what is covered */
	size_t count;
};

/*
 * Of the file @fd; the caller frees it with eh_frame_fini. -EBADMSG: not an ELF file; -ENOTSUP: of another
 * architecture; -ENOENT: it has no such section, or nothing valid in it; -E2BIG: over a limit; -ENOMEM.
 * What is not valid in the section, and all that follows it, is left out.
 */
int eh_frame_read(int fd, struct eh_frame *ret);
/* The same of a file that is in memory: the vdso. */
int eh_frame_read_image(void *image, size_t len, struct eh_frame *ret);
/* A struct of zeros is fine. */
void eh_frame_fini(struct eh_frame *eh);

/* The row for the instruction at @address, as the file has it; NULL: none covers it. */
const struct unwind_row *eh_frame_find(const struct eh_frame *eh, uint64_t address);

#endif /* SONDE_SYMBOL_EH_FRAME_H */
