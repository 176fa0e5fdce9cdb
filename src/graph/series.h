/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * series: one quantity over time, reduced while it streams in, without losing a spike: of each stretch of
 * time the first, least, greatest and last value stay, and when they were.
 *
 * Stretches are powers of two of ns, and as short as SERIES_BINS of them allow. So few points stay as they
 * came, memory is bounded whatever their number and the time they span, and what has been seen in
 * parts, by several threads, is the same when it is put together.
 */
#ifndef SONDE_GRAPH_SERIES_H
#define SONDE_GRAPH_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIES_BINS 4096u /* some for each pixel of a page, however sharp */

struct series_bin {
	int64_t first_ns, last_ns;
	double first, last;
	double low, high;
};

/* Zeros are an empty one. */
struct series {
	struct series_bin *bins; /* in the order of time */
	uint32_t count, room;
	uint32_t shift; /* a bin's time >> shift is the same at its begin and its end */
	uint64_t points;
	double low, high; /* of all points */
	double positive; /* the least above 0; 0 = none is */
};

/* Adds a point behind or, rarely, among the others. Values that are not finite are skipped. 0 or -ENOMEM. */
int series_add(struct series *series, int64_t time_ns, double value);
/* Adds all points of @from. 0 or -ENOMEM. */
int series_merge(struct series *into, const struct series *from);
/* No more than @bins bins. */
void series_shrink(struct series *series, uint32_t bins);
void series_fini(struct series *series);

/* ns from @origin_ns on. Times of damaged traces may be farther apart than an int64_t counts: then it is
 * some number. */
static inline double series_since(int64_t time_ns, int64_t origin_ns)
{
	return (double)(int64_t)((uint64_t)time_ns - (uint64_t)origin_ns);
}

static inline bool series_is_point(const struct series_bin *bin)
{
	return bin->first_ns == bin->last_ns && bin->low == bin->high;
}

#endif /* SONDE_GRAPH_SERIES_H */
