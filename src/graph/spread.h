/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spread: how numbers of any size and sign are spread, in bounded memory: 128 buckets for each power of
 * two, 0 and what is nearly 0 in one. Integers below 256 have one each.
 *
 * Count, least and greatest are exact. A percentile is the upper end of the bucket in which the exact
 * one lies, but never more than the greatest: never too small, and too large by less than 1/128.
 */
#ifndef SONDE_GRAPH_SPREAD_H
#define SONDE_GRAPH_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SPREAD_SUB_BITS 7u
#define SPREAD_SUB (1u << SPREAD_SUB_BITS) /* buckets for each power of two */
#define SPREAD_POWERS (1u << 12) /* of a double: a sign and 11 bits of exponent */

/* Zeros are an empty one. */
struct spread {
	uint64_t count;
	double low, high; /* these mean nothing while count is 0 */
	double positive; /* the least above 0; 0 = none is */
	uint64_t above; /* how many are above 0 */
	uint64_t (*pages)[SPREAD_SUB];
	size_t page_count, page_room;
	uint16_t at[SPREAD_POWERS]; /* 1 + which page; 0 = none yet */
};

/* Values from @from on and below @to. */
struct spread_bucket {
	double from, to;
	uint64_t count;
};

/* Values that are not finite are skipped. 0 or -ENOMEM. */
int spread_add(struct spread *spread, double value);
int spread_merge(struct spread *into, const struct spread *from);
void spread_fini(struct spread *spread);
/* The smallest that no more than 1000 - @per_mille of a thousand exceed; 0 without values. @step: all
 * values are multiples of it; 0 = they may be any. */
double spread_percentile(const struct spread *spread, unsigned int per_mille, double step);
/* Walks the buckets with something in them, from below: start with *@at = 0; false at the end. */
bool spread_next(const struct spread *spread, size_t *at, struct spread_bucket *bucket);

#endif /* SONDE_GRAPH_SPREAD_H */
