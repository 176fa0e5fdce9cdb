// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/latency.h"

/* Buckets 0 to 15 are the numbers themselves; behind them each row of 16 is a power of two. */
static size_t bucket_of(uint64_t ns)
{
	unsigned int shift;

	if (ns < LATENCY_SUB)
		return (size_t)ns;
	shift = 63u - (unsigned int)__builtin_clzll(ns) - LATENCY_SUB_BITS;
	return (size_t)shift * LATENCY_SUB + (size_t)(ns >> shift);
}

static struct latency_bucket bucket_at(const struct latency *latency, size_t i)
{
	unsigned int shift = i < LATENCY_SUB ? 0 : (unsigned int)(i / LATENCY_SUB) - 1;
	uint64_t from = (uint64_t)(i - (size_t)shift * LATENCY_SUB) << shift;

	return (struct latency_bucket){from, from + ((1ull << shift) - 1), latency->buckets[i]};
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void latency_add(struct latency *latency, uint64_t ns)
{
	latency_add_times(latency, ns, 1);
}

void latency_add_times(struct latency *latency, uint64_t ns, uint64_t times)
{
	uint64_t sum;

	if (!times)
		return;
	if (!latency->count || ns < latency->min_ns)
		latency->min_ns = ns;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
	if (__builtin_mul_overflow(ns, times, &sum))
		sum = UINT64_MAX;
	latency->total_ns = add_up(latency->total_ns, sum);
	latency->count += times;
	latency->buckets[bucket_of(ns)] += times;
}

void latency_merge(struct latency *latency, const struct latency *other)
{
	size_t i;

	if (!other->count)
		return;
	if (!latency->count || other->min_ns < latency->min_ns)
		latency->min_ns = other->min_ns;
	if (other->max_ns > latency->max_ns)
		latency->max_ns = other->max_ns;
	latency->count += other->count;
	latency->total_ns = add_up(latency->total_ns, other->total_ns);
	for (i = 0; i < LATENCY_BUCKETS; i++)
		latency->buckets[i] += other->buckets[i];
}

/* The rank is rounded up, and taken apart so that it does not overflow. */
uint64_t latency_percentile(const struct latency *latency, unsigned int per_mille)
{
	uint64_t rank = latency->count / 1000 * per_mille +
			(latency->count % 1000 * per_mille + 999) / 1000;
	struct latency_bucket bucket;
	uint64_t seen = 0;
	size_t at = 0;

	while (latency_next(latency, &at, &bucket)) {
		seen += bucket.count;
		if (seen >= rank)
			return bucket.last_ns < latency->max_ns ? bucket.last_ns : latency->max_ns;
	}
	return 0;
}

bool latency_next(const struct latency *latency, size_t *at, struct latency_bucket *bucket)
{
	for (; *at < LATENCY_BUCKETS; ++*at) {
		if (!latency->buckets[*at])
			continue;
		*bucket = bucket_at(latency, (*at)++);
		return true;
	}
	return false;
}
