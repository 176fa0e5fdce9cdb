/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * axis: a scale along one side of a plot, with its ticks, their labels, its title, and the lines of a
 * grid across the plot.
 *
 * First axis_settle, which chooses the ends; once the plot's rectangle is known axis_place; then scale_at
 * returns the positions of values, and axis_draw_grid and axis_draw draw it.
 */
#ifndef SONDE_GRAPH_AXIS_H
#define SONDE_GRAPH_AXIS_H

#include <stdbool.h>

#include "graph/canvas.h"
#include "graph/scale.h"
#include "graph/unit.h"

enum axis_side {
	AXIS_BOTTOM,
	AXIS_LEFT,
	AXIS_RIGHT,
};

struct axis {
	/* The caller's; zeros for what is not wanted. */
	enum axis_side side;
	struct scale scale; /* kind, low and high; from and to come from axis_place */
	struct unit unit;
	const char *title; /* borrowed; the unit is put behind it */
	bool tight; /* ends stay where they are */
	bool grid;
	bool no_ticks; /* of rows with names: the caller writes these */
	double room; /* pixels at least: titles of axes above each other are level */
	bool bare; /* no labels and no title: those of an axis below say the same */
	enum ink ink; /* of its title, where it is of one series; 0 = text */
	/* What follows from it. */
	struct ticks ticks;
};

/* Chooses ends and ticks for an axis of about @length pixels. */
void axis_settle(struct axis *axis, const struct canvas *canvas, double length);
/* Once both are settled: widens this one so that its ticks are level with those of @other. Only where
 * both are linear and may be widened. */
void axis_match(struct axis *axis, const struct axis *other, const struct canvas *canvas,
		double length);
/* Whether it has a title, or the name of its unit in place of one. */
bool axis_has_title(const struct axis *axis);
/* Pixels that it takes outside of the plot. */
double axis_room(const struct axis *axis, const struct canvas *canvas);
/* The plot is in @area; chooses ticks again, for its true length. */
void axis_place(struct axis *axis, const struct canvas *canvas, const struct canvas_rect *area);
/* Below what is plotted, and above it. */
void axis_draw_grid(const struct axis *axis, struct canvas *canvas, const struct canvas_rect *area);
void axis_draw(const struct axis *axis, struct canvas *canvas, const struct canvas_rect *area);

#endif /* SONDE_GRAPH_AXIS_H */
