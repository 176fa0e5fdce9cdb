/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tid_index: numbers the tasks of a trace 1, 2, 3 ... in the order in which they are first seen,
 * so that what is kept of each lies in a plain array: two loads from a tid to its entry.
 *
 * Number 0 stands for all that have none: tids outside the kernel's range, and those beyond the
 * limit.
 */
#ifndef SONDE_ANALYSE_TID_INDEX_H
#define SONDE_ANALYSE_TID_INDEX_H

#include <stdint.h>

#define TID_LIMIT (1u << 22) /* PID_MAX_LIMIT, include/linux/threads.h since Linux 2.6 */
#define TID_PAGE 1024u

struct tid_index {
	uint32_t *pages[TID_LIMIT / TID_PAGE];
	uint32_t count; /* numbers given */
	uint32_t limit; /* at most */
};

/* NULL: no memory. */
struct tid_index *tid_index_new(uint32_t limit);
void tid_index_free(struct tid_index *index);
/* The number of @tid, given to it now where it has none; 0 where it can't get one. */
uint32_t tid_index_add(struct tid_index *index, int32_t tid);

/* The number of @tid, or 0. */
static inline uint32_t tid_index_get(const struct tid_index *index, int32_t tid)
{
	const uint32_t *page;

	if ((uint32_t)tid >= TID_LIMIT)
		return 0;
	page = index->pages[(uint32_t)tid / TID_PAGE];
	return page ? page[(uint32_t)tid % TID_PAGE] : 0;
}

#endif /* SONDE_ANALYSE_TID_INDEX_H */
