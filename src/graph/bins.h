/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bins: the stretches of values that histograms and heat maps count by: as wide as each other, or, on
 * a log scale, each with the same ratio of its ends. Their edges are round values.
 */
#ifndef SONDE_GRAPH_BINS_H
#define SONDE_GRAPH_BINS_H

#include <stddef.h>

#include "graph/scale.h"

/*
 * Whether an axis of values that are spread somehow is better linear or logarithmic, and over
 * which of them it goes.
 */

struct bins_range;
struct spread;

enum spacing {
	SPACING_AUTO, /* log, where a linear one would leave most values in one corner */
	SPACING_LINEAR,
	SPACING_LOG,
};

/* @step: what all values are multiples of; 0 = they may be any. Where nothing is above 0 it is
 * linear, whatever was asked for. */
void spacing_choose(enum spacing spacing, const struct spread *spread, double step,
		    struct bins_range *ret);

#define BINS_MAX 4096u

struct bins {
	enum scale_kind kind;
	double base; /* of a log scale */
	double step; /* width; of a log scale in powers of the base */
	double first; /* the lower edge of the first one, in steps */
	double step_of_values; /* what all values are multiples of; 0 = they may be any */
	size_t count;
};

/* What is to be counted. */
struct bins_range {
	enum scale_kind kind;
	double low, high; /* low <= high; above 0 on a log scale */
	double step; /* what all values are multiples of; 0 = they may be any */
};

/* About @wanted, over all of @range. */
void bins_choose(struct bins *bins, const struct bins_range *range, const struct unit *unit,
		 size_t wanted);
/* The lower edge of bin @i, which is the upper one of that before. */
double bins_edge(const struct bins *bins, double i);
/* Adds @count values from @from on and below @to, spread evenly, to the bins' counts. */
void bins_add(const struct bins *bins, double *counts, double from, double to, double count);

#endif /* SONDE_GRAPH_BINS_H */
