/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * series_draw: a series as a line, steps, or dots. For the points within one column of pixels, the
 * first, least, greatest and last value are drawn: the same picture as all points would make, with
 * four of them.
 */
#ifndef SONDE_GRAPH_SERIES_DRAW_H
#define SONDE_GRAPH_SERIES_DRAW_H

#include <stdint.h>

#include "graph/canvas.h"

struct scale;
struct series;

enum series_style {
	SERIES_LINE, /* from point to point */
	SERIES_STEP, /* each value holds until the next */
	SERIES_DOTS,
};

struct series_look {
	enum series_style style;
	struct pen pen;
	double factor; /* values are multiplied by it */
	int64_t origin_ns; /* what the scale counts time from */
};

/* -EINVAL: no style has that name. */
int series_style_parse(const char *name, enum series_style *ret);
void series_draw(const struct series *series, const struct series_look *look, const struct scale *x,
		 const struct scale *y, struct canvas *canvas);

#endif /* SONDE_GRAPH_SERIES_DRAW_H */
