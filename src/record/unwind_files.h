/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_files: the rows for unwinding (symbol/eh_frame.h) of the files that processes have mapped, each read once
 * and kept in the memory that the kernel half sees. A file is the same while its inode, size and change time are.
 */
#ifndef SONDE_RECORD_UNWIND_FILES_H
#define SONDE_RECORD_UNWIND_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "symbol/process_map.h"
#include "wire/unwind.h"

struct unwind_files;
struct unwind_memory;
struct warden;

/* Borrows both; @warden opens files that cannot be by their path. NULL: no memory. */
struct unwind_files *unwind_files_new(struct unwind_memory *memory, struct warden *warden);
/* NULL is fine. */
void unwind_files_free(struct unwind_files *files);

/*
 * The spans of a mapping of process @pid, in order, at most @most: how many. A mapping without a table is one span of
 * UNWIND_NO_CHUNK.
 */
size_t unwind_files_spans(struct unwind_files *files, uint32_t pid, const struct code_mapping *m,
			  struct unwind_span *ret, size_t most);
/* Files that the memory had no room for. */
uint64_t unwind_files_refused(const struct unwind_files *files);

#endif /* SONDE_RECORD_UNWIND_FILES_H */
