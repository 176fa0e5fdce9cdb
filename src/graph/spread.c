// SPDX-License-Identifier: BSD-2-Clause
#include "graph/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define TOP_SHIFT 52u /* of the sign and the exponent in a double */
#define SUB_SHIFT (TOP_SHIFT - SPREAD_SUB_BITS)
#define SIGN (SPREAD_POWERS / 2)
#define STEPS (SPREAD_POWERS * SPREAD_SUB) /* all buckets that there can be */

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The page of a power of two, made if missing. NULL: no memory. */
static uint64_t *page_at(struct spread *spread, size_t power)
{
	if (!spread->at[power]) {
		if (spread->page_count == spread->page_room) {
			size_t room = spread->page_room ? 2 * spread->page_room : 8;
			uint64_t(*pages)[SPREAD_SUB] =
				reallocarray(spread->pages, room, sizeof(*pages));

			if (!pages)
				return NULL;
			spread->pages = pages;
			spread->page_room = room;
		}
		memset(spread->pages[spread->page_count], 0, sizeof(*spread->pages));
		spread->at[power] = (uint16_t)++spread->page_count;
	}
	return spread->pages[spread->at[power] - 1];
}

static void note_range(struct spread *spread, double low, double high, double positive)
{
	if (!spread->count || low < spread->low)
		spread->low = low;
	if (!spread->count || high > spread->high)
		spread->high = high;
	if (positive > 0 && (!(spread->positive > 0) || positive < spread->positive))
		spread->positive = positive;
}

int spread_add(struct spread *spread, double value)
{
	uint64_t bits, *page;

	if (!isfinite(value))
		return 0;
	value += 0.0; /* there are two zeros */
	if (fabs(value) < 2.2250738585072014e-308) /* what has no exponent is nearly 0 */
		value = 0;
	bits = bits_of(value);
	page = page_at(spread, bits >> TOP_SHIFT);
	if (!page)
		return -ENOMEM;
	page[bits >> SUB_SHIFT & (SPREAD_SUB - 1)]++;
	note_range(spread, value, value, value);
	spread->above += value > 0;
	spread->count++;
	return 0;
}

int spread_merge(struct spread *into, const struct spread *from)
{
	if (!from->count)
		return 0;
	for (size_t power = 0; power < SPREAD_POWERS; power++) {
		uint64_t *page;

		if (!from->at[power])
			continue;
		page = page_at(into, power);
		if (!page)
			return -ENOMEM;
		for (size_t i = 0; i < SPREAD_SUB; i++)
			page[i] += from->pages[from->at[power] - 1][i];
	}
	note_range(into, from->low, from->high, from->positive);
	into->above += from->above;
	into->count += from->count;
	return 0;
}

void spread_fini(struct spread *spread)
{
	free(spread->pages);
	*spread = (struct spread){0};
}

/* The @i-th of all buckets from below: those of numbers below 0 lie in the double's order backwards. */
static struct spread_bucket bucket_at(size_t i, uint64_t count)
{
	uint64_t below = SIGN * SPREAD_SUB;
	uint64_t bits;

	if (i >= below) {
		bits = (uint64_t)(i - below);
		return (struct spread_bucket){double_of(bits << SUB_SHIFT),
					      double_of((bits + 1) << SUB_SHIFT), count};
	}
	bits = 2 * below - 1 - i;
	return (struct spread_bucket){double_of((bits + 1) << SUB_SHIFT),
				      double_of(bits << SUB_SHIFT), count};
}

static size_t power_of(size_t i)
{
	size_t power = i / SPREAD_SUB;

	return power < SIGN ? SPREAD_POWERS - 1 - power : power - SIGN;
}

bool spread_next(const struct spread *spread, size_t *at, struct spread_bucket *bucket)
{
	while (*at < STEPS) {
		size_t i = *at, power = power_of(i), sub = i % SPREAD_SUB;
		uint64_t count;

		if (!spread->at[power]) {
			*at = i - sub + SPREAD_SUB;
			continue;
		}
		(*at)++;
		count = spread->pages[spread->at[power] - 1]
				     [power < SIGN ? sub : SPREAD_SUB - 1 - sub];
		if (!count)
			continue;
		*bucket = bucket_at(i, count);
		return true;
	}
	return false;
}

/* The greatest value that @bucket can hold. */
static double last_of(const struct spread_bucket *bucket, double step)
{
	return step > 0 ? fmax((ceil(bucket->to / step) - 1) * step, bucket->from) : bucket->to;
}

double spread_percentile(const struct spread *spread, unsigned int per_mille, double step)
{
	uint64_t rank =
		spread->count / 1000 * per_mille + (spread->count % 1000 * per_mille + 999) / 1000;
	struct spread_bucket bucket;
	uint64_t seen = 0;
	size_t at = 0;

	while (spread_next(spread, &at, &bucket)) {
		seen += bucket.count;
		if (seen >= rank)
			return fmin(last_of(&bucket, step), spread->high);
	}
	return 0;
}
