/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist_draw: a histogram as a picture: bars, with marks at the percentiles. Each of several groups has a
 * row of its own, over one axis: those with most events, as many as there is room for.
 */
#ifndef SONDE_GRAPH_HIST_DRAW_H
#define SONDE_GRAPH_HIST_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/bins.h"

struct canvas;
struct hist;

struct hist_look {
	const char *title; /* NULL = none */
	enum spacing values; /* of their axis */
	bool log_counts;
	size_t top; /* groups at most; 0 = as many as there is room for */
	const char *trace_note; /* plot_trace_note */
};

/* Draws all of it, once ended. 0, or -ENOMEM. */
int hist_draw(const struct hist *hist, const struct hist_look *look, struct canvas *canvas);

#endif /* SONDE_GRAPH_HIST_DRAW_H */
