/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline_draw: a timeline as a picture: a row for each CPU, and for each of the busiest tasks. In a row
 * each column of pixels shows the share of time in each state, and what is there at all shows.
 */
#ifndef SONDE_GRAPH_TIMELINE_DRAW_H
#define SONDE_GRAPH_TIMELINE_DRAW_H

#include <stddef.h>
#include <stdint.h>

struct canvas;
struct timeline;

struct timeline_look {
	const char *title; /* NULL = none */
	size_t top; /* tasks at most; 0 = as many as there is room for */
	int64_t origin_ns; /* where the time axis is 0 */
	const char *trace_note; /* plot_trace_note */
};

/* Draws all of it, once ended. 0, or -ENOMEM. */
int timeline_draw(const struct timeline *timeline, const struct timeline_look *look,
		  struct canvas *canvas);

#endif /* SONDE_GRAPH_TIMELINE_DRAW_H */
