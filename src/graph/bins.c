// SPDX-License-Identifier: BSD-2-Clause
#include "graph/bins.h"

#include <math.h>

#include "graph/spread.h"

#define CORNER 20.0 /* the median is so much nearer to 0 than the greatest */
#define ZEROS_MAX 0.05 /* of the values: a log axis has no place for them */

static int is_better_log(const struct spread *spread)
{
	double median = spread_percentile(spread, 500, 0);
	uint64_t rest = spread->count - spread->above;

	return spread->low >= 0 && (double)rest <= ZEROS_MAX * (double)spread->count &&
	       median > 0 && spread->high > CORNER * median;
}

void spacing_choose(enum spacing spacing, const struct spread *spread, double step,
		    struct bins_range *ret)
{
	int is_log = spacing == SPACING_AUTO ? is_better_log(spread) : spacing == SPACING_LOG;

	*ret = (struct bins_range){SCALE_LINEAR, spread->low, spread->high, step};
	if (!is_log || !spread->above)
		return;
	ret->kind = SCALE_LOG;
	ret->low = spread->positive;
}

#define ALMOST 1e-9

/* How many bins a power of ten, or of two, is divided into. */
static const unsigned int tens[] = {1, 2, 3, 5, 10, 20, 30, 50, 100};
static const unsigned int twos[] = {1, 2, 4, 8, 16, 32};

static bool is_bytes(const struct unit *unit)
{
	return unit->steps && unit->steps[0].name[0] == 'B';
}

/* 1, 2 or 5 times a power of ten, of bytes a power of two: at least @raw. */
static double round_step(double raw, bool bytes)
{
	double power;

	if (bytes)
		return exp2(ceil(log2(raw) - ALMOST));
	power = pow(10, floor(log10(raw) + ALMOST));
	raw /= power;
	return power * (raw <= 1 + ALMOST ? 1 : raw <= 2 ? 2 : raw <= 5 ? 5 : 10);
}

static void choose_log(struct bins *bins, const struct bins_range *range, const struct unit *unit,
		       size_t wanted)
{
	const unsigned int *parts = is_bytes(unit) ? twos : tens;
	size_t count = is_bytes(unit) ? sizeof(twos) / sizeof(*twos) : sizeof(tens) / sizeof(*tens);
	double powers, per = 1;

	bins->base = is_bytes(unit) ? 2 : 10;
	powers = log(range->high / range->low) / log(bins->base);
	for (size_t i = 0; i < count && powers * parts[i] <= (double)wanted; i++)
		per = parts[i];
	bins->step = 1 / per;
}

static void choose_linear(struct bins *bins, const struct bins_range *range,
			  const struct unit *unit, size_t wanted)
{
	double raw = (range->high - range->low) / (double)wanted;

	/* Nothing of a number is left where it is so much smaller than the others. */
	raw = fmax(raw, fmax(fabs(range->low), fabs(range->high)) * 1e-12);
	if (!(raw > 0))
		raw = 1;
	bins->step = round_step(fmax(raw, range->step), is_bytes(unit));
	if (range->step > 0)
		bins->step = ceil(bins->step / range->step - ALMOST) * range->step;
}

/* In steps. */
static double place_of(const struct bins *bins, double value)
{
	if (bins->kind == SCALE_LOG)
		return log(value) / log(bins->base) / bins->step;
	/* Values that have a bin each are in the middle of it. */
	if (bins->step_of_values > 0 && bins->step <= bins->step_of_values * (1 + ALMOST))
		value += bins->step / 2;
	return value / bins->step;
}

void bins_choose(struct bins *bins, const struct bins_range *range, const struct unit *unit,
		 size_t wanted)
{
	double last;

	*bins = (struct bins){.kind = range->kind, .step_of_values = range->step};
	wanted = wanted ? wanted : 1;
	if (range->kind == SCALE_LOG)
		choose_log(bins, range, unit, wanted);
	else
		choose_linear(bins, range, unit, wanted);
	bins->first = floor(place_of(bins, range->low) + ALMOST);
	last = floor(place_of(bins, range->high) + ALMOST);
	bins->count = (size_t)fmin(fmax(last - bins->first + 1, 1), BINS_MAX);
}

double bins_edge(const struct bins *bins, double i)
{
	double place = bins->first + i;

	if (bins->kind == SCALE_LOG)
		return pow(bins->base, place * bins->step);
	if (bins->step_of_values > 0 && bins->step <= bins->step_of_values * (1 + ALMOST))
		place -= 0.5;
	return place * bins->step;
}

static double clamp(double place, double most)
{
	return fmin(fmax(place, 0), most);
}

void bins_add(const struct bins *bins, double *counts, double from, double to, double count)
{
	double most = (double)bins->count, first, last, width;

	if (bins->kind == SCALE_LOG && !(from > 0))
		return;
	first = place_of(bins, from) - bins->first;
	last = clamp(place_of(bins, to) - bins->first, most);
	width = last - clamp(first, most);
	/* A bucket of one value is where that is. */
	if ((bins->step_of_values > 0 && to - from <= bins->step_of_values) || !(width > 0)) {
		counts[(size_t)clamp(floor(first + ALMOST), most - 1)] += count;
		return;
	}
	first = clamp(first, most);
	for (double i = floor(first); i < last; i++)
		counts[(size_t)i] += count * (fmin(i + 1, last) - fmax(i, first)) / width;
}
