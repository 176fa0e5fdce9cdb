/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind_memory: the memory that tables for unwinding are in (wire/unwind.h), mapped by the kernel half too: chunks made
 * as they are needed, UNWIND_CHUNKS at most. Rows stay; spans are given back.
 */
#ifndef SONDE_RECORD_UNWIND_MEMORY_H
#define SONDE_RECORD_UNWIND_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "wire/unwind.h"

struct unwind_memory;

/* Where something is. */
struct unwind_area {
	uint32_t chunk;
	uint16_t first; /* row or span of the chunk */
	uint16_t count;
};

/* @chunks_fd: the map unwind_chunks, borrowed; -1: memory of this process alone, for tests. NULL: no memory. */
struct unwind_memory *unwind_memory_new(int chunks_fd);
/* NULL is fine. */
void unwind_memory_free(struct unwind_memory *memory);

/* Room for @count rows, or for fewer, where the rest of a chunk is smaller. -ENOSPC: the limit; -errno of the kernel. */
int unwind_memory_rows(struct unwind_memory *memory, size_t count, struct unwind_area *area,
		       struct unwind_row **ret);
/* Room for @count spans, 1 to UNWIND_SPANS_MAX, all of them. */
int unwind_memory_spans(struct unwind_memory *memory, size_t count, struct unwind_area *area,
			struct unwind_span **ret);
/* Once no process's table is there any more. */
void unwind_memory_give_back(struct unwind_memory *memory, const struct unwind_area *area);

#endif /* SONDE_RECORD_UNWIND_MEMORY_H */
