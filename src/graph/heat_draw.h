/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heat_draw: a heat map as a picture: time to the right, values upwards, and the more of them, the more a
 * cell stands out from the paper.
 */
#ifndef SONDE_GRAPH_HEAT_DRAW_H
#define SONDE_GRAPH_HEAT_DRAW_H

#include <stdint.h>

#include "graph/bins.h"

struct canvas;
struct heat;

struct heat_look {
	const char *title; /* NULL = none */
	enum spacing values; /* of their axis */
	int64_t origin_ns; /* where the time axis is 0 */
	size_t top; /* groups at most; 0 = as many as there is room for */
	const char *trace_note; /* plot_trace_note */
};

/* How many plots it would like to have, one below the other: one for each group. */
size_t heat_panels(const struct heat *heat, size_t top);
/* Draws all of it. 0, or -ENOMEM. */
int heat_draw(const struct heat *heat, const struct heat_look *look, struct canvas *canvas);

#endif /* SONDE_GRAPH_HEAT_DRAW_H */
