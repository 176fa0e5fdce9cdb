/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spacing: whether an axis of values that are spread somehow is better linear or logarithmic, and over
 * which of them it goes.
 */
#ifndef SONDE_GRAPH_SPACING_H
#define SONDE_GRAPH_SPACING_H

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

#endif /* SONDE_GRAPH_SPACING_H */
