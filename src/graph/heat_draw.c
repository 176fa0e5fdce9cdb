// SPDX-License-Identifier: BSD-2-Clause
#include "graph/heat_draw.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "graph/bins.h"
#include "graph/canvas.h"
#include "graph/heat.h"
#include "graph/panel.h"
#include "graph/series.h"

#define CELL_WIDE 4.0 /* pixels, about */
#define CELL_HIGH 5.0
#define CELL_HIGHEST 24.0 /* of values that are but a few different ones */
#define CELL_LEAST 0.05 /* what a value that lies between two cells leaves in the smaller */
#define FAINTEST 0.06 /* part of the ramp where a single event is: it has to show on paper */
#define LOG_MOST 16.0 /* the most events in a cell, from where on colours tell powers */
#define BAR_STEP 4.0 /* pixels of each colour in the scale of them */
#define LATE 0.02 /* of the span: what begins earlier has 0 on its axis */
#define NO_INK 255u
#define TEXT_BYTES 320u

/* All that the picture is made of. */
struct drawing {
	const struct heat *heat;
	const struct heat_look *look;
	struct canvas *canvas;
	struct bins_range range;
	struct bins bins;
	double *cells; /* column by column, bins.count each */
	uint8_t *steps; /* of the ramp, likewise; NO_INK = nothing is there */
	size_t columns; /* of the picture */
	size_t each; /* of the grid's, that one of them is */
	double most;
	double high; /* pixels of a cell */
	char caption[TEXT_BYTES];
	struct panel panel;
};

/* A value's bin need not be another's: what each bucket of the grid adds is worked out once. */
static int fill_cells(struct drawing *d)
{
	const struct heat_grid *grid = &d->heat->grid;
	double *parts = calloc(d->bins.count, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	for (size_t row = 0; row < grid->row_count; row++) {
		double from, to;

		heat_grid_row(grid, row, &from, &to);
		memset(parts, 0, d->bins.count * sizeof(*parts));
		bins_add(&d->bins, parts, fmax(from, d->heat->all.low),
			 fmin(to, fmax(d->heat->all.high, from)), 1);
		for (size_t bin = 0; bin < d->bins.count; bin++) {
			for (size_t i = 0; parts[bin] > 0 && i < grid->column_count; i++)
				d->cells[i / d->each * d->bins.count + bin] +=
					parts[bin] * (double)heat_grid_count(grid, i, row);
		}
	}
	free(parts);
	return 0;
}

static uint8_t step_of(const struct drawing *d, double count)
{
	double part = d->most > LOG_MOST ? log(fmax(count, 1)) / log(d->most) : count / d->most;

	if (count < CELL_LEAST)
		return NO_INK;
	return (uint8_t)(palette_ramp(FAINTEST + (1 - FAINTEST) * part) - INK_RAMP);
}

static int make_cells(struct drawing *d)
{
	size_t count;
	int err;

	d->columns = (d->heat->grid.column_count + d->each - 1) / d->each;
	count = d->columns * d->bins.count;
	d->cells = calloc(count ? count : 1, sizeof(*d->cells));
	d->steps = malloc(count ? count : 1);
	err = d->cells && d->steps ? fill_cells(d) : -ENOMEM;
	for (size_t i = 0; i < count && !err; i++)
		d->most = fmax(d->most, d->cells[i]);
	for (size_t i = 0; i < count && !err; i++)
		d->steps[i] = step_of(d, d->cells[i]);
	return err;
}

static void make_caption(struct drawing *d)
{
	const struct measure *measure = &d->heat->measure;
	const struct spread *all = &d->heat->all;
	uint64_t odd = d->range.kind == SCALE_LOG ? all->count - all->above : 0;
	char low[2 * UNIT_BYTES], high[2 * UNIT_BYTES], more[96] = "", lost[96] = "";

	unit_format(&measure->unit, all->low, 3, low, sizeof(low));
	unit_format(&measure->unit, all->high, 3, high, sizeof(high));
	if (odd)
		(void)snprintf(more, sizeof(more), "; %s are 0 or below, where the axis is not",
			       amount_count(odd).text);
	if (measure->lost)
		(void)snprintf(lost, sizeof(lost), "; %s events were lost",
			       amount_count(measure->lost).text);
	(void)snprintf(d->caption, sizeof(d->caption), "%s values from %s to %s%s%s%s",
		       amount_count(all->count).text, low, high, more, lost, d->look->trace_note);
	d->panel.caption = d->caption;
}

static void make_panel(struct drawing *d)
{
	const struct measure *measure = &d->heat->measure;
	struct panel *panel = &d->panel;
	double span = series_since(measure->last_ns, measure->first_ns);

	panel->title = d->look->title;
	make_caption(d);
	panel->x = (struct axis){
		.unit = unit_find("ns"), .title = "time", .tight = true, .grid = true};
	panel->x.scale.low = series_since(measure->first_ns, d->look->origin_ns);
	if (panel->x.scale.low > 0 && panel->x.scale.low < LATE * span)
		panel->x.scale.low = 0;
	panel->x.scale.high =
		fmax(series_since(measure->last_ns, d->look->origin_ns), panel->x.scale.low + 1);
	panel->y = (struct axis){.unit = measure->unit,
				 .title = measure->request.pick->name,
				 .tight = true,
				 .grid = true};
	panel->y.scale.kind = d->range.kind;
	panel->y.scale.low = bins_edge(&d->bins, 0);
	panel->y.scale.high = bins_edge(&d->bins, (double)d->bins.count);
	panel_layout(panel, d->canvas);
}

/* All cells are as high as each other, in whole pixels, so that their edges are sharp; the rest of the
 * plot is above the highest. */
static void lay_out(struct drawing *d)
{
	const struct heat *heat = d->heat;
	struct canvas *canvas = d->canvas;
	double high = canvas->coarse ? canvas->line_height : CELL_HIGH;
	double wide = canvas->coarse ? canvas->line_height / 2 : CELL_WIDE;
	double rows = (canvas->height - 6 * canvas->line_height) / high, columns;

	spacing_choose(d->look->values, &heat->all, measure_step(&heat->measure), &d->range);
	bins_choose(&d->bins, &d->range, &heat->measure.unit, (size_t)fmax(rows, 4));
	make_panel(d);
	d->high = floor(fmin(d->panel.area.height / (double)d->bins.count, CELL_HIGHEST));
	if (canvas->coarse)
		d->high = floor(d->high / high) * high;
	d->high = fmax(d->high, canvas->coarse ? high : 1);
	d->panel.y.scale.high = bins_edge(&d->bins, d->panel.area.height / d->high);
	panel_layout(&d->panel, canvas);
	columns = fmax(d->panel.area.width / wide, 1);
	d->each = (size_t)fmax(ceil((double)heat->grid.column_count / columns), 1);
}

/* The pixel where column @i begins, within the plot. */
static double column_at(const struct drawing *d, size_t i)
{
	const struct heat_grid *grid = &d->heat->grid;
	const struct canvas_rect *area = &d->panel.area;
	double slot = (double)(i * d->each);
	double first, at;

	/* Times are large, and what lies between them is small. */
	first = (double)(int64_t)(((uint64_t)grid->first << grid->shift) -
				  (uint64_t)d->look->origin_ns);
	at = scale_at(&d->panel.x.scale, first + ldexp(slot, (int)grid->shift));
	at = fmin(fmax(at, area->x), area->x + area->width);
	return d->canvas->coarse ? round(at / 8) * 8 : round(at);
}

/* The cells of one colour, as lines as thick as they are high: the shortest way to say it. */
static void draw_step(const struct drawing *d, uint8_t step)
{
	const struct canvas_rect *area = &d->panel.area;
	struct pen pen = {.ink = (enum ink)(INK_RAMP + step), .width = d->high};
	size_t rows = d->bins.count;

	for (size_t bin = 0; bin < rows; bin++) {
		double bottom = area->y + area->height - (double)bin * d->high;

		for (size_t i = 0, end; i < d->columns; i = end) {
			double from, to;

			end = i + 1;
			if (d->steps[i * rows + bin] != step)
				continue;
			while (end < d->columns && d->steps[end * rows + bin] == step)
				end++;
			from = column_at(d, i);
			to = column_at(d, end);
			if (d->canvas->coarse) {
				canvas_rect(d->canvas, &(struct canvas_rect){from, bottom - d->high,
									     to - from, d->high});
			} else if (to > from) {
				canvas_move(d->canvas, from, bottom - d->high / 2);
				canvas_line(d->canvas, to, bottom - d->high / 2);
			}
		}
	}
	if (d->canvas->coarse)
		canvas_fill(d->canvas, pen.ink, 1);
	else
		canvas_stroke(d->canvas, &pen);
}

/* What the colours mean, "events in a cell: 1 ... 5": beside the title of the time axis. */
static void draw_key(const struct drawing *d)
{
	struct canvas *canvas = d->canvas;
	struct text_style style = {FONT_NOTE, INK_FAINT, TEXT_END, false};
	const struct canvas_rect *area = &d->panel.area;
	double high = canvas->coarse ? canvas->line_height : 9;
	double y =
		area->y + area->height + axis_room(&d->panel.x, canvas) - canvas->line_height / 2;
	double x = area->x + area->width, gap = canvas->coarse ? 8 : 5;
	struct amount most = amount_count((uint64_t)ceil(d->most));

	canvas_text(canvas, x, y, most.text, &style);
	x -= ceil(canvas_text_width(canvas, most.text, FONT_NOTE) / gap) * gap + gap +
	     PALETTE_RAMP * BAR_STEP;
	for (unsigned int i = 0; i < PALETTE_RAMP; i++) {
		struct canvas_rect box = {x + i * BAR_STEP, y - high / 2, BAR_STEP, high};

		if (i < step_of(d, 1))
			continue;
		canvas_rect(canvas, &box);
		canvas_fill(canvas, (enum ink)(INK_RAMP + i), 1);
	}
	x += step_of(d, 1) * BAR_STEP - gap;
	canvas_text(canvas, x, y, canvas->coarse ? "events: 1" : "events in a cell: 1", &style);
}

int heat_draw(const struct heat *heat, const struct heat_look *look, struct canvas *canvas)
{
	struct drawing *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	*d = (struct drawing){.heat = heat, .look = look, .canvas = canvas};
	lay_out(d);
	err = make_cells(d);
	if (!err) {
		panel_begin(&d->panel, canvas);
		for (uint8_t step = 0; step < PALETTE_RAMP; step++)
			draw_step(d, step);
		panel_end(&d->panel, canvas);
		draw_key(d);
	}
	free(d->cells);
	free(d->steps);
	free(d);
	return err;
}
