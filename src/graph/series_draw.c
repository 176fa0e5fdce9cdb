// SPDX-License-Identifier: BSD-2-Clause
#include "graph/series_draw.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "graph/scale.h"
#include "graph/series.h"

#define DOT_WIDTH 3.5
#define BAR_OPACITY 0.4 /* of what joins the dots of one column */

static const char *const style_names[] = {"line", "step", "dots"};

/* One column of pixels, or less. */
struct column {
	double left, right; /* the first point's place, and the last one's */
	double first, last, low, high; /* pixels; low is further down the page */
};

struct drawing {
	const struct series *series;
	const struct series_look *look;
	const struct scale *x, *y;
	struct canvas *canvas;
	uint32_t at; /* the next bin */
	double last_y; /* where the line is */
	bool started;
};

int series_style_parse(const char *name, enum series_style *ret)
{
	for (size_t i = 0; i < sizeof(style_names) / sizeof(*style_names); i++) {
		if (!strcmp(name, style_names[i])) {
			*ret = (enum series_style)i;
			return 0;
		}
	}
	return -EINVAL;
}

static double place_x(const struct drawing *drawing, int64_t time_ns)
{
	return scale_at(drawing->x, series_since(time_ns, drawing->look->origin_ns));
}

static double place_y(const struct drawing *drawing, double value)
{
	return scale_at(drawing->y, value * drawing->look->factor);
}

static void take_bin(const struct drawing *drawing, const struct series_bin *bin,
		     struct column *column)
{
	column->right = place_x(drawing, bin->last_ns);
	column->last = place_y(drawing, bin->last);
	column->low = fmax(column->low, place_y(drawing, bin->low));
	column->high = fmin(column->high, place_y(drawing, bin->high));
}

/* Collects the next bins that are within one column. False: none. */
static bool next_column(struct drawing *drawing, struct column *column)
{
	const struct series *series = drawing->series;
	double edge;

	if (drawing->at == series->count)
		return false;
	column->left = place_x(drawing, series->bins[drawing->at].first_ns);
	column->first = place_y(drawing, series->bins[drawing->at].first);
	column->low = -HUGE_VAL;
	column->high = HUGE_VAL;
	edge = (floor(column->left / drawing->canvas->pitch) + 1) * drawing->canvas->pitch;
	do {
		take_bin(drawing, &series->bins[drawing->at++], column);
	} while (drawing->at < series->count &&
		 place_x(drawing, series->bins[drawing->at].last_ns) < edge);
	return true;
}

static void line_to(struct drawing *drawing, double x, double y)
{
	if (!drawing->started)
		canvas_move(drawing->canvas, x, y);
	else if (drawing->look->style == SERIES_STEP && y != drawing->last_y)
		canvas_line(drawing->canvas, x, drawing->last_y);
	if (drawing->started)
		canvas_line(drawing->canvas, x, y);
	drawing->started = true;
	drawing->last_y = y;
}

/* The spikes in the middle, in the order that makes the shorter way. */
static void draw_column(struct drawing *drawing, const struct column *column)
{
	double middle = (column->left + column->right) / 2;
	bool up_first = column->first > column->last;

	line_to(drawing, column->left, column->first);
	if (up_first && column->low > fmax(column->first, column->last))
		line_to(drawing, middle, column->low);
	if (column->high < fmin(column->first, column->last))
		line_to(drawing, middle, column->high);
	if (!up_first && column->low > fmax(column->first, column->last))
		line_to(drawing, middle, column->low);
	if (column->right != column->left || column->last != column->first)
		line_to(drawing, column->right, column->last);
}

static void draw_line(struct drawing *drawing)
{
	struct pen pen = drawing->look->pen;
	struct column column = {0};

	while (next_column(drawing, &column))
		draw_column(drawing, &column);
	/* One point alone has no line. */
	if (drawing->series->count == 1 && series_is_point(drawing->series->bins)) {
		pen.width = DOT_WIDTH;
		pen.round = true;
		canvas_line(drawing->canvas, column.left, column.first);
	}
	canvas_stroke(drawing->canvas, &pen);
}

static void dot_column(struct drawing *drawing, const struct column *column)
{
	double middle = (column->left + column->right) / 2;

	canvas_dot(drawing->canvas, column->left, column->first);
	if (column->last != column->first || column->right != column->left)
		canvas_dot(drawing->canvas, column->right, column->last);
	if (column->low != column->first && column->low != column->last)
		canvas_dot(drawing->canvas, middle, column->low);
	if (column->high != column->first && column->high != column->last)
		canvas_dot(drawing->canvas, middle, column->high);
}

/* Behind the dots, how far those of one column reach: between them there may be many more. */
static void draw_bars(struct drawing *drawing)
{
	struct pen pen = {.ink = drawing->look->pen.ink, .width = 1, .opacity = BAR_OPACITY};
	struct column column;

	while (next_column(drawing, &column)) {
		if (column.low - column.high < DOT_WIDTH)
			continue;
		canvas_move(drawing->canvas, column.left, column.high);
		canvas_line(drawing->canvas, column.left, column.low);
	}
	canvas_stroke(drawing->canvas, &pen);
	drawing->at = 0;
}

static void draw_dots(struct drawing *drawing)
{
	struct pen pen = {.ink = drawing->look->pen.ink, .width = DOT_WIDTH, .round = true};
	struct column column;

	draw_bars(drawing);
	while (next_column(drawing, &column))
		dot_column(drawing, &column);
	canvas_stroke(drawing->canvas, &pen);
}

void series_draw(const struct series *series, const struct series_look *look, const struct scale *x,
		 const struct scale *y, struct canvas *canvas)
{
	struct drawing drawing = {.series = series, .look = look, .x = x, .y = y, .canvas = canvas};

	if (look->style == SERIES_DOTS)
		draw_dots(&drawing);
	else
		draw_line(&drawing);
}
