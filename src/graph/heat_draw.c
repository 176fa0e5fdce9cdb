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
#define PANELS_MAX 8u
#define PANEL_LINES 7.0 /* of height at least, each */
#define TEXT_BYTES 320u

/* The map of one group. */
struct part {
	const struct hist_group *group;
	const struct heat_grid *grid;
	double *cells; /* column by column, bins.count each */
	uint8_t *steps; /* of the ramp, likewise; NO_INK = nothing is there */
	double high; /* pixels of a cell */
	char name[GROUP_LABEL_BYTES + 64];
	struct legend_entry legend;
	struct panel *panel;
};

/* All that the picture is made of. */
struct drawing {
	const struct heat *heat;
	const struct heat_look *look;
	struct canvas *canvas;
	struct spread all;
	struct bins_range range;
	struct bins bins;
	int64_t first; /* of the grids' columns */
	size_t grid_columns; /* from there to the last one */
	size_t columns; /* of the picture */
	size_t each; /* of the grids', that one of them is */
	double most;
	char caption[TEXT_BYTES];
	struct part parts[PANELS_MAX];
	struct panel panels[PANELS_MAX];
	size_t count;
};

size_t heat_panels(const struct heat *heat, size_t top)
{
	const size_t count = heat->hist.group_count,
		     max = top && top < PANELS_MAX ? top : PANELS_MAX;

	return count < max ? count : max;
}

/* A value's bin need not be another's: what each bucket of the grid adds is worked out once. */
static int fill_cells(struct drawing *d, struct part *part)
{
	const struct heat_grid *grid = part->grid;
	double *parts = calloc(d->bins.count, sizeof(*parts));
	size_t before = (size_t)(grid->first - d->first);

	if (!parts)
		return -ENOMEM;
	for (size_t row = 0; row < grid->row_count; row++) {
		double from, to;

		heat_grid_row(grid, row, &from, &to);
		memset(parts, 0, d->bins.count * sizeof(*parts));
		bins_add(&d->bins, parts, fmax(from, part->group->spread.low),
			 fmin(to, fmax(part->group->spread.high, from)), 1);
		for (size_t bin = 0; bin < d->bins.count; bin++) {
			for (size_t i = 0; parts[bin] > 0 && i < grid->column_count; i++)
				part->cells[(before + i) / d->each * d->bins.count + bin] +=
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

/* One scale of colours for all. */
static int make_cells(struct drawing *d)
{
	size_t count;
	int err = 0;

	d->columns = (d->grid_columns + d->each - 1) / d->each;
	count = d->columns * d->bins.count;
	for (size_t p = 0; p < d->count && !err; p++) {
		struct part *part = &d->parts[p];

		part->cells = calloc(count ? count : 1, sizeof(*part->cells));
		part->steps = malloc(count ? count : 1);
		err = part->cells && part->steps ? fill_cells(d, part) : -ENOMEM;
		for (size_t i = 0; i < count && !err; i++)
			d->most = fmax(d->most, part->cells[i]);
	}
	for (size_t p = 0; p < d->count && !err; p++)
		for (size_t i = 0; i < count; i++)
			d->parts[p].steps[i] = step_of(d, d->parts[p].cells[i]);
	return err;
}

static void make_caption(struct drawing *d)
{
	const struct hist *hist = &d->heat->hist;
	const struct measure *measure = &hist->measure;
	uint64_t shown = 0, all = d->all.count + hist->left_out;
	uint64_t odd = d->range.kind == SCALE_LOG ? d->all.count - d->all.above : 0;
	char low[2 * UNIT_BYTES], high[2 * UNIT_BYTES], more[96] = "", lost[96] = "";

	for (size_t i = 0; i < d->count; i++)
		shown += d->parts[i].group->spread.count;
	unit_format(&measure->unit, d->all.low, 3, low, sizeof(low));
	unit_format(&measure->unit, d->all.high, 3, high, sizeof(high));
	if (shown < all)
		(void)snprintf(more, sizeof(more), "; %zu of %s%zu groups shown, with %s of them",
			       d->count, hist->left_out ? "more than " : "", hist->group_count,
			       amount_count(shown).text);
	else if (odd)
		(void)snprintf(more, sizeof(more), "; %s are 0 or below, where the axis is not",
			       amount_count(odd).text);
	if (measure->lost)
		(void)snprintf(lost, sizeof(lost), "; %s events were lost",
			       amount_count(measure->lost).text);
	(void)snprintf(d->caption, sizeof(d->caption), "%s values from %s to %s%s%s%s",
		       amount_count(all).text, low, high, more, lost, d->look->trace_note);
}

/* What all have. */
static void make_axes(struct drawing *d, struct panel *panel)
{
	const struct measure *measure = &d->heat->hist.measure;
	double span = series_since(measure->last_ns, measure->first_ns);

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
}

static void make_panels(struct drawing *d)
{
	bool grouped = d->heat->hist.measure.request.by.by != GROUP_NONE;

	make_caption(d);
	for (size_t i = 0; i < d->count; i++) {
		struct part *part = &d->parts[i];
		struct panel *panel = part->panel = &d->panels[i];
		const char *label = *part->group->label ? part->group->label : "-";

		make_axes(d, panel);
		panel->title = i ? NULL : d->look->title;
		panel->caption = i + 1 < d->count ? NULL : d->caption;
		panel->x.bare = i + 1 < d->count;
		if (!grouped)
			continue;
		(void)snprintf(part->name, sizeof(part->name), "%s (%s)", label,
			       amount_count(part->group->spread.count).text);
		part->legend =
			(struct legend_entry){part->name, LEGEND_BOX, palette_ramp(1), DASH_NONE};
		panel->legend = (struct legend){&part->legend, 1};
	}
	panel_layout_stack(d->panels, d->count, d->canvas);
}

/* All cells are as high as each other, in whole pixels, so that their edges are sharp; the rest of the
 * plot is above the highest. */
static void set_height(struct drawing *d, struct part *part)
{
	struct canvas *canvas = d->canvas;
	struct panel *panel = part->panel;
	double high = canvas->coarse ? canvas->line_height : CELL_HIGH;

	part->high = floor(fmin(panel->area.height / (double)d->bins.count, CELL_HIGHEST));
	if (canvas->coarse)
		part->high = floor(part->high / high) * high;
	part->high = fmax(part->high, canvas->coarse ? high : 1);
	panel->y.scale.high = bins_edge(&d->bins, panel->area.height / part->high);
}

/* Pixels of the lowest plot. */
static double lowest(const struct drawing *d)
{
	double height = d->panels[0].area.height;

	for (size_t i = 1; i < d->count; i++)
		height = fmin(height, d->panels[i].area.height);
	return height;
}

static void lay_out(struct drawing *d)
{
	const struct measure *measure = &d->heat->hist.measure;
	struct canvas *canvas = d->canvas;
	double high = canvas->coarse ? canvas->line_height : CELL_HIGH;
	double wide = canvas->coarse ? canvas->line_height / 2 : CELL_WIDE;
	double around = (4 + 2 * (double)d->count) * canvas->line_height;
	double rows = (canvas->height - around) / (double)d->count / high, columns;

	spacing_choose(d->look->values, &d->all, measure_step(measure), &d->range);
	bins_choose(&d->bins, &d->range, &measure->unit, (size_t)fmax(rows, 4));
	make_panels(d);
	rows = floor(lowest(d) / high);
	if (rows < (double)d->bins.count) { /* each value has to be on the picture */
		bins_choose(&d->bins, &d->range, &measure->unit, (size_t)fmax(rows, 1));
		make_panels(d);
	}
	for (size_t i = 0; i < d->count; i++)
		set_height(d, &d->parts[i]);
	panel_layout_stack(d->panels, d->count, canvas);
	columns = fmax(d->panels[0].area.width / wide, 1);
	d->each = (size_t)fmax(ceil((double)d->grid_columns / columns), 1);
}

/* The pixel where column @i begins, within the plot. */
static double column_at(const struct drawing *d, const struct panel *panel, size_t i)
{
	const struct canvas_rect *area = &panel->area;
	double slot = (double)(i * d->each);
	double first, at;

	/* Times are large, and what lies between them is small. */
	first = (double)(int64_t)(((uint64_t)d->first << d->heat->shift) -
				  (uint64_t)d->look->origin_ns);
	at = scale_at(&panel->x.scale, first + ldexp(slot, (int)d->heat->shift));
	at = fmin(fmax(at, area->x), area->x + area->width);
	return d->canvas->coarse ? round(at / 8) * 8 : round(at);
}

/* The cells of one colour, as lines as thick as they are high: the shortest way to say it. */
static void draw_step(const struct drawing *d, const struct part *part, uint8_t step)
{
	const struct canvas_rect *area = &part->panel->area;
	struct pen pen = {.ink = (enum ink)(INK_RAMP + step), .width = part->high};
	size_t rows = d->bins.count;

	for (size_t bin = 0; bin < rows; bin++) {
		double bottom = area->y + area->height - (double)bin * part->high;

		for (size_t i = 0, end; i < d->columns; i = end) {
			double from, to;

			end = i + 1;
			if (part->steps[i * rows + bin] != step)
				continue;
			while (end < d->columns && part->steps[end * rows + bin] == step)
				end++;
			from = column_at(d, part->panel, i);
			to = column_at(d, part->panel, end);
			if (d->canvas->coarse) {
				/* Nor does the last column vanish in the edge. */
				from = fmin(from, to - 8);
				canvas_rect(d->canvas,
					    &(struct canvas_rect){from, bottom - part->high,
								  to - from, part->high});
			} else if (to > from) {
				canvas_move(d->canvas, from, bottom - part->high / 2);
				canvas_line(d->canvas, to, bottom - part->high / 2);
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
	const struct panel *panel = &d->panels[d->count - 1];
	const struct canvas_rect *area = &panel->area;
	double high = canvas->coarse ? canvas->line_height : 9;
	double y = area->y + area->height + axis_room(&panel->x, canvas) - canvas->line_height / 2;
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

static int choose_parts(struct drawing *d)
{
	const struct hist *hist = &d->heat->hist;
	double room = floor(d->canvas->height / (PANEL_LINES * d->canvas->line_height));
	size_t want = heat_panels(d->heat, d->look->top);
	int64_t last = INT64_MIN;

	d->count = (double)want <= room ? want : (size_t)fmax(room, 1);
	d->first = INT64_MAX;
	for (size_t i = 0; i < hist->group_count; i++)
		if (spread_merge(&d->all, &hist->groups[i]->spread))
			return -ENOMEM;
	for (size_t i = 0; i < d->count; i++) {
		struct part *part = &d->parts[i];
		const struct heat_grid *grid = d->heat->grids[hist->groups[i]->number];
		int64_t end = grid->first + (int64_t)grid->column_count;

		part->group = hist->groups[i];
		part->grid = grid;
		d->first = grid->first < d->first ? grid->first : d->first;
		last = end > last ? end : last;
	}
	d->grid_columns = (size_t)(last - d->first);
	return 0;
}

static void draw_parts(const struct drawing *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct part *part = &d->parts[i];

		panel_begin(part->panel, d->canvas);
		for (uint8_t step = 0; step < PALETTE_RAMP; step++)
			draw_step(d, part, step);
		panel_end(part->panel, d->canvas);
	}
	draw_key(d);
}

int heat_draw(const struct heat *heat, const struct heat_look *look, struct canvas *canvas)
{
	struct drawing *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	*d = (struct drawing){.heat = heat, .look = look, .canvas = canvas};
	err = choose_parts(d);
	if (!err) {
		lay_out(d);
		err = make_cells(d);
	}
	if (!err)
		draw_parts(d);
	for (size_t i = 0; i < d->count; i++) {
		free(d->parts[i].cells);
		free(d->parts[i].steps);
	}
	spread_fini(&d->all);
	free(d);
	return err;
}
