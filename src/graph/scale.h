/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale: where a value lies on an axis, and which values get a tick.
 */
#ifndef SONDE_GRAPH_SCALE_H
#define SONDE_GRAPH_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/unit.h"

#define SCALE_TICKS 64u /* at most */
#define TICK_BYTES 24u

enum scale_kind {
	SCALE_LINEAR,
	SCALE_LOG, /* only of what is above 0 */
};

struct scale {
	enum scale_kind kind;
	double low, high; /* the values at its ends: low < high */
	double from, to; /* the pixels where these are; from > to for one that goes up the page */
	double step; /* from tick to tick of a linear one; 0 = as suits scale_ticks */
	bool whole; /* a linear one of counts: no ticks between whole numbers */
};

struct tick {
	double value;
	bool minor; /* without a label */
	char label[TICK_BYTES];
};

struct ticks {
	size_t count;
	struct tick ticks[SCALE_TICKS];
	/* The unit of the labels: "KiB"; "" if the labels have it themselves, or it has none. */
	char unit[UNIT_BYTES];
};

/* The pixel of @value, also outside of the ends. */
double scale_at(const struct scale *scale, double value);
/* The value at pixel @at. */
double scale_value(const struct scale *scale, double at);
/* Moves the ends outwards to values that are worth a label, for about @wanted ticks. Ends that are one
 * value, none at all, or not above 0 on a log scale, become some that work. */
void scale_widen(struct scale *scale, const struct unit *unit, size_t wanted);
/* Once both have been widened: moves the ends farther, so that it has as many ticks as
 * @other, and they divide it as they do @other. */
void scale_match(struct scale *scale, const struct scale *other, const struct unit *unit);
/* About @wanted ticks with labels, from low to high, at round values in a step of the unit that suits them. */
void scale_ticks(const struct scale *scale, const struct unit *unit, size_t wanted,
		 struct ticks *ret);

#endif /* SONDE_GRAPH_SCALE_H */
