/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * legend: what belongs to which name, in rows above the plot.
 */
#ifndef SONDE_GRAPH_LEGEND_H
#define SONDE_GRAPH_LEGEND_H

#include <stddef.h>

#include "graph/canvas.h"

enum legend_mark {
	LEGEND_LINE,
	LEGEND_DOT,
	LEGEND_BOX,
	LEGEND_TICK, /* an upright line: moments */
};

struct legend_entry {
	const char *name; /* borrowed */
	enum legend_mark mark;
	enum ink ink;
	enum dash dash;
};

struct legend {
	const struct legend_entry *entries; /* borrowed */
	size_t count;
};

/* Pixels of height that it takes on a page of @width; 0 where it has no entries. */
double legend_height(const struct legend *legend, const struct canvas *canvas, double width);
/* From the upper left corner of @room, which is as wide. */
void legend_draw(const struct legend *legend, struct canvas *canvas,
		 const struct canvas_rect *room);

#endif /* SONDE_GRAPH_LEGEND_H */
