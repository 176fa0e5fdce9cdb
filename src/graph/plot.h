/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plot: several series over time in one picture: a y axis for each of up to two units, a legend, and marks
 * where events were lost. For more units, or if one should not hide another, several plots are
 * drawn one below the other, over one axis of time.
 */
#ifndef SONDE_GRAPH_PLOT_H
#define SONDE_GRAPH_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/series_draw.h"
#include "graph/unit.h"

struct canvas;
struct series;

#define PLOT_UNITS 2u /* axes there are */

struct plot_line {
	const char *name; /* in the legend */
	const char *quantity; /* what it measures: the axis is called so, if all on it measure it */
	const struct series *series;
	struct unit unit;
	double factor; /* values are multiplied by it, besides the unit's */
	enum series_style style;
};

/* The upper end of an axis of values, as a user gives it: in ns, or in the unit of the field. */
struct plot_limit {
	bool given;
	bool is_time;
	double value;
};

/* All borrowed for the call. */
struct plot {
	const char *title; /* NULL = none */
	const char *caption; /* NULL = none */
	const struct plot_line *lines;
	size_t count;
	int64_t origin_ns; /* where the time axis is 0 */
	const struct series *losses; /* when events were lost; NULL = never */
	const char *losses_name; /* in the legend; NULL = not there */
	size_t first_colour; /* of its lines: those before are of the plots above */
	bool log_x, log_y;
	struct plot_limit ymax; /* what is above is cut off, and marked at the upper edge */
	const struct plot
		*whole; /* that it is a facet of: it has that one's scales; NULL = of none */
};

#define PLOT_STACK_MAX 16u

/* How many different units the lines have: a plot can show PLOT_UNITS. */
size_t plot_units(const struct plot_line *lines, size_t count);
/*
 * How many plots show the lines of @plot: of more units than one has axes, one for each unit. Fills that many of @plots,
 * and @lines, which has room for all, with their lines; the first has the title and the last the caption.
 */
size_t plot_split(const struct plot *plot, struct plot_line *lines,
		  struct plot plots[PLOT_STACK_MAX]);
/*
 * One plot for each line of @plot, of which there are PLOT_STACK_MAX at most: each has the line's name as its title, and lines
 * of one unit have one scale. How many. @plots and @plot are needed for as long as these are drawn.
 */
size_t plot_facets(const struct plot *plot, struct plot plots[PLOT_STACK_MAX]);
/* Whether any value is above ymax. */
bool plot_is_cut(const struct plot *plot);
/* Whether @limit can be that of values of @unit: a time needs a unit of time. */
bool plot_limit_fits(const struct plot_limit *limit, const struct unit *unit);
/* Draws all of it. 0, or -ENOMEM. */
int plot_draw(const struct plot *plot, struct canvas *canvas);
/* Draws @count plots, PLOT_STACK_MAX at most, of one origin and one log_x, from the top down. The caption is the last one's. */
int plot_draw_stack(const struct plot *plots, size_t count, struct canvas *canvas);
/* How high a page should be for @count plots, where one has @height. */
double plot_stack_height(size_t count, double height);

#endif /* SONDE_GRAPH_PLOT_H */
