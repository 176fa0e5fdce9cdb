// SPDX-License-Identifier: BSD-2-Clause
#include "graph/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16u

/* Bins of a time before 1970 come first, too. */
static int64_t slot(const struct series *series, int64_t time_ns)
{
	return time_ns >> series->shift;
}

/* What @bin and @more, of the same stretch, are together. */
static void join(struct series_bin *bin, const struct series_bin *more)
{
	if (more->first_ns < bin->first_ns) {
		bin->first_ns = more->first_ns;
		bin->first = more->first;
	}
	if (more->last_ns >= bin->last_ns) {
		bin->last_ns = more->last_ns;
		bin->last = more->last;
	}
	bin->low = fmin(bin->low, more->low);
	bin->high = fmax(bin->high, more->high);
}

/* Stretches twice as long. */
static void double_up(struct series *series)
{
	uint32_t kept = 0;

	series->shift++;
	for (uint32_t i = 0; i < series->count; i++) {
		struct series_bin *bin = &series->bins[i];

		if (kept &&
		    slot(series, series->bins[kept - 1].first_ns) == slot(series, bin->first_ns))
			join(&series->bins[kept - 1], bin);
		else
			series->bins[kept++] = *bin;
	}
	series->count = kept;
}

void series_shrink(struct series *series, uint32_t bins)
{
	while (series->count > bins)
		double_up(series);
}

static int make_room(struct series *series)
{
	uint32_t room = series->room ? 2 * series->room : FIRST_ROOM;
	struct series_bin *bins;

	if (series->count < series->room)
		return 0;
	bins = reallocarray(series->bins, room, sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	series->bins = bins;
	series->room = room;
	return 0;
}

/* Where the bin of @at is, or belongs: the first that is not earlier. */
static uint32_t find(const struct series *series, int64_t at)
{
	uint32_t low = 0, high = series->count;

	/* Nearly always behind the last. */
	if (!high || slot(series, series->bins[high - 1].first_ns) < at)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (slot(series, series->bins[middle].first_ns) < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* @bin, which is within one stretch. */
static int add_bin(struct series *series, const struct series_bin *bin)
{
	uint32_t i = find(series, slot(series, bin->first_ns));

	if (i < series->count &&
	    slot(series, series->bins[i].first_ns) == slot(series, bin->first_ns)) {
		join(&series->bins[i], bin);
		return 0;
	}
	if (make_room(series))
		return -ENOMEM;
	memmove(&series->bins[i + 1], &series->bins[i],
		(series->count - i) * sizeof(*series->bins));
	series->bins[i] = *bin;
	series->count++;
	series_shrink(series, SERIES_BINS);
	return 0;
}

static void count(struct series *series, uint64_t points, double low, double high, double positive)
{
	series->low = series->points ? fmin(series->low, low) : low;
	series->high = series->points ? fmax(series->high, high) : high;
	if (positive > 0 && (!(series->positive > 0) || positive < series->positive))
		series->positive = positive;
	series->points += points;
}

int series_add(struct series *series, int64_t time_ns, double value)
{
	const struct series_bin point = {time_ns, time_ns, value, value, value, value};
	struct series_bin *last = series->count ? &series->bins[series->count - 1] : NULL;

	if (!isfinite(value))
		return 0;
	count(series, 1, value, value, value);
	if (!last || time_ns < last->last_ns ||
	    slot(series, time_ns) != slot(series, last->first_ns))
		return add_bin(series, &point);
	last->last_ns = time_ns;
	last->last = value;
	if (value < last->low)
		last->low = value;
	if (value > last->high)
		last->high = value;
	return 0;
}

int series_merge(struct series *into, const struct series *from)
{
	int err = 0;

	if (!from->points)
		return 0;
	/* Then each of the other's bins is within one stretch. */
	while (into->shift < from->shift)
		double_up(into);
	for (uint32_t i = 0; i < from->count && !err; i++)
		err = add_bin(into, &from->bins[i]);
	count(into, from->points, from->low, from->high, from->positive);
	return err;
}

void series_fini(struct series *series)
{
	free(series->bins);
	*series = (struct series){0};
}
