/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * latency: how a set of durations is spread, in constant memory: a bucket for each number below
 * 32, and 16 for each power of two above, up to 2^64 - 1. Reports add to it, one for each thing
 * that takes time.
 *
 * Count, total, least and greatest are exact. A percentile is the upper end of the bucket in which
 * the exact one lies, but never more than the greatest: never too small, and too large by less
 * than 1/16 (6.25 %).
 */
#ifndef SONDE_ANALYSE_LATENCY_H
#define SONDE_ANALYSE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LATENCY_SUB_BITS 4u
#define LATENCY_SUB (1u << LATENCY_SUB_BITS) /* buckets for each power of two */
#define LATENCY_BUCKETS ((64 - LATENCY_SUB_BITS + 1) * LATENCY_SUB)

/* Zeros are an empty one. */
struct latency {
	uint64_t count;
	uint64_t total_ns; /* stays at UINT64_MAX once it comes there */
	uint64_t min_ns; /* these two mean nothing while count is 0 */
	uint64_t max_ns;
	uint64_t buckets[LATENCY_BUCKETS];
};

/* One bucket: from @from_ns to @last_ns, both included. */
struct latency_bucket {
	uint64_t from_ns;
	uint64_t last_ns;
	uint64_t count;
};

void latency_add(struct latency *latency, uint64_t ns);
/* As often as @times says; 0 adds nothing. */
void latency_add_times(struct latency *latency, uint64_t ns, uint64_t times);
/* Adds all that is in @other. */
void latency_merge(struct latency *latency, const struct latency *other);
/* The smallest that no more than 1000 - @per_mille of a thousand exceed, 0 without values. */
uint64_t latency_percentile(const struct latency *latency, unsigned int per_mille);
/* Walks the buckets with something in them: start with *@at = 0; false at the end. */
bool latency_next(const struct latency *latency, size_t *at, struct latency_bucket *bucket);

#endif /* SONDE_ANALYSE_LATENCY_H */
