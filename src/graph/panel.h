/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * panel: a page, or one of several parts of a page that stand one below the other, with all that stands around
 * a plot: title, legend, axes, caption. Whatever is drawn as values over an axis fills one in, has it laid out, and
 * draws into `area`:
 *
 *	panel_layout(&panel, canvas);
 *	panel_begin(&panel, canvas);
 *	... by scale_at(&panel.x.scale, ...), clipped to the area ...
 *	panel_end(&panel, canvas);
 */
#ifndef SONDE_GRAPH_PANEL_H
#define SONDE_GRAPH_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/axis.h"
#include "graph/canvas.h"

/* What belongs to which name, in rows above the plot. */

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

struct panel {
	/* The caller's. */
	const char *title; /* borrowed, like all text; NULL = none */
	const char *caption; /* one line below the plot; NULL = none */
	struct legend legend;
	struct axis x, y;
	struct axis right; /* only where has_right */
	bool has_right;
	double settle_height; /* pixels for which upright axes choose their ends; 0: as many as the room has */
	double left_room; /* pixels at least, left of the plot: for names of rows */
	double right_room; /* pixels at least, right of the plot */
	double below_room; /* pixels more, below the x axis: for a scale of colours */
	struct canvas_rect room; /* of the page, for all of it; zeros: the whole page */
	/* What follows from it. */
	struct canvas_rect area; /* where the plot goes */
};

/* Settles the axes and gives everything its place. */
void panel_layout(struct panel *panel, const struct canvas *canvas);
/* The same of @count of them, which share the page from its top to its bottom: their plots are of one height, and begin
 * and end at the same x. */
void panel_layout_stack(struct panel *panels, size_t count, const struct canvas *canvas);
/* Paper for its room, title, legend, grids; from here on drawing is clipped to the area. */
void panel_begin(const struct panel *panel, struct canvas *canvas);
/* Ends the clip; axes and caption. */
void panel_end(const struct panel *panel, struct canvas *canvas);

#endif /* SONDE_GRAPH_PANEL_H */
