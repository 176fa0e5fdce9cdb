// SPDX-License-Identifier: BSD-2-Clause
#include "graph/hist_draw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/amount.h"
#include "graph/bins.h"
#include "graph/canvas.h"
#include "graph/hist.h"
#include "graph/panel.h"

#define BAR_WIDTH 7.0 /* pixels, about */
#define BAR_GAP 1.0
#define ROW_FULL 0.86 /* of a row's height that its highest bar takes */
#define ROW_MIN 38.0 /* pixels of height */
#define ROWS_MAX 24u
#define MARKS 3u
#define NAME_MAX 0.34 /* of the page: longer names are cut */
#define TEXT_BYTES 320u

static const unsigned int mark_per_mille[MARKS] = {500, 900, 990};
static const char *const mark_names[MARKS] = {"p50", "p90", "p99"};
static const enum dash mark_dashes[MARKS] = {DASH_NONE, DASH_LONG, DASH_SHORT};

struct hist_row {
	const struct hist_group *group;
	double *counts; /* by bin */
	double most;
	double marks[MARKS];
	char name[CANVAS_FIT_BYTES];
	char note[TEXT_BYTES];
};

/* All that the picture is made of. */
struct drawing {
	const struct hist *hist;
	const struct hist_look *look;
	struct canvas *canvas;
	struct spread all;
	struct bins_range range;
	struct bins bins;
	struct hist_row rows[ROWS_MAX];
	size_t row_count;
	struct legend_entry legend[MARKS];
	char legend_text[MARKS][2 * UNIT_BYTES + 16];
	char caption[TEXT_BYTES];
	struct panel panel;
};

static bool has_rows(const struct drawing *d)
{
	return d->hist->group_count > 1;
}

static double row_height_min(const struct canvas *canvas)
{
	return canvas->coarse ? 3 * canvas->line_height : ROW_MIN;
}

/* About as high as the plot will be. */
static size_t rows_that_fit(const struct canvas *canvas)
{
	double height = canvas->height - 7 * canvas->line_height;
	double rows = floor(height / row_height_min(canvas));

	return rows < 1 ? 1 : rows > ROWS_MAX ? ROWS_MAX : (size_t)rows;
}

static void fill_row(struct drawing *d, struct hist_row *row)
{
	const struct spread *spread = &row->group->spread;
	struct spread_bucket bucket;

	for (size_t at = 0; spread_next(spread, &at, &bucket);)
		bins_add(&d->bins, row->counts, bucket.from, bucket.to, (double)bucket.count);
	for (size_t i = 0; i < d->bins.count; i++)
		row->most = fmax(row->most, row->counts[i]);
	for (size_t i = 0; i < MARKS; i++)
		row->marks[i] = spread_percentile(spread, mark_per_mille[i], d->range.step);
}

static void amount_text(const struct drawing *d, double value, char *text, size_t room)
{
	unit_format(&d->hist->measure.unit, value, 3, text, room);
}

/* Cut where it would leave no room for the bars. */
static void name_row(const struct drawing *d, struct hist_row *row)
{
	const char *label = *row->group->label ? row->group->label : "-";
	char p50[2 * UNIT_BYTES], name[CANVAS_FIT_BYTES];

	(void)snprintf(row->name, sizeof(row->name), "%s",
		       canvas_fit_text(d->canvas, label, FONT_LABEL, d->canvas->width * NAME_MAX,
				       name));
	amount_text(d, row->marks[0], p50, sizeof(p50));
	(void)snprintf(row->note, sizeof(row->note), "%s \u00b7 p50 %s",
		       amount_count(row->group->spread.count).text, p50);
}

static size_t bars_wanted(const struct drawing *d)
{
	double room = d->canvas->width * (has_rows(d) ? 0.62 : 0.85);

	return (size_t)fmax(room / (d->canvas->coarse ? 8 : BAR_WIDTH), 8);
}

static int make_rows(struct drawing *d)
{
	const struct hist *hist = d->hist;
	size_t fit = rows_that_fit(d->canvas);

	if (d->look->top && d->look->top < fit)
		fit = d->look->top;
	d->row_count = hist->group_count < fit ? hist->group_count : fit;
	for (size_t i = 0; i < hist->group_count; i++)
		if (spread_merge(&d->all, &hist->groups[i]->spread))
			return -ENOMEM;
	spacing_choose(d->look->values, &d->all, measure_step(&hist->measure), &d->range);
	bins_choose(&d->bins, &d->range, &hist->measure.unit, bars_wanted(d));
	for (size_t i = 0; i < d->row_count; i++) {
		struct hist_row *row = &d->rows[i];

		row->group = hist->groups[i];
		row->counts = calloc(d->bins.count, sizeof(*row->counts));
		if (!row->counts)
			return -ENOMEM;
		fill_row(d, row);
		name_row(d, row);
	}
	return 0;
}

static void make_legend(struct drawing *d)
{
	for (size_t i = 0; i < MARKS; i++) {
		char value[2 * UNIT_BYTES];

		amount_text(d, d->rows[0].marks[i], value, sizeof(value));
		(void)snprintf(d->legend_text[i], sizeof(d->legend_text[i]), "%s%s%s",
			       mark_names[i], has_rows(d) ? "" : " ", has_rows(d) ? "" : value);
		d->legend[i] = (struct legend_entry){d->legend_text[i], LEGEND_LINE, INK_TEXT,
						     mark_dashes[i]};
	}
	d->panel.legend = (struct legend){d->legend, MARKS};
}

/* Says what the picture leaves out. */
static void make_caption(struct drawing *d)
{
	const struct hist *hist = d->hist;
	uint64_t shown = 0, odd = d->all.count - d->all.above, all = d->all.count + hist->left_out;
	char low[2 * UNIT_BYTES], high[2 * UNIT_BYTES], more[TEXT_BYTES / 2] = "", lost[64] = "";

	for (size_t i = 0; i < d->row_count; i++)
		shown += d->rows[i].group->spread.count;
	amount_text(d, d->all.low, low, sizeof(low));
	amount_text(d, d->all.high, high, sizeof(high));
	if (shown < all)
		(void)snprintf(more, sizeof(more), "; %zu of %zu groups shown, with %s of them",
			       d->row_count, hist->group_count, amount_count(shown).text);
	else if (d->range.kind == SCALE_LOG && odd)
		(void)snprintf(more, sizeof(more), "; %s are 0 or below, where the axis is not",
			       amount_count(odd).text);
	if (hist->measure.lost)
		(void)snprintf(lost, sizeof(lost), "; %s events were lost",
			       amount_count(hist->measure.lost).text);
	(void)snprintf(d->caption, sizeof(d->caption), "%s values from %s to %s%s%s%s",
		       amount_count(all).text, low, high, more, lost, d->look->trace_note);
	d->panel.caption = d->caption;
}

static void set_axes(struct drawing *d)
{
	struct panel *panel = &d->panel;

	panel->x = (struct axis){.unit = d->hist->measure.unit,
				 .title = d->hist->measure.request.pick->name,
				 .tight = true};
	panel->x.scale.kind = d->range.kind;
	panel->x.scale.low = bins_edge(&d->bins, 0);
	panel->x.scale.high = bins_edge(&d->bins, (double)d->bins.count);
	panel->y = (struct axis){.no_ticks = has_rows(d), .grid = !has_rows(d)};
	if (has_rows(d)) {
		panel->y.tight = true;
		panel->y.scale.high = (double)d->row_count;
		for (size_t i = 0; i < d->row_count; i++)
			panel->left_room = fmax(
				panel->left_room,
				fmax(canvas_text_width(d->canvas, d->rows[i].name, FONT_LABEL),
				     canvas_text_width(d->canvas, d->rows[i].note, FONT_NOTE)) +
					(d->canvas->coarse ? 24 : 10));
		return;
	}
	panel->y.title = "events";
	panel->y.scale.whole = true;
	panel->y.scale.high = fmax(d->rows[0].most, 1);
	if (d->look->log_counts) {
		panel->y.scale.kind = SCALE_LOG;
		panel->y.scale.low = 0.5;
	}
}

static void make_panel(struct drawing *d)
{
	d->panel.title = d->look->title;
	make_legend(d);
	make_caption(d);
	set_axes(d);
	panel_layout(&d->panel, d->canvas);
}

/* Where the bars of row @i are. */
static struct canvas_rect row_area(const struct drawing *d, size_t i)
{
	struct canvas_rect area = d->panel.area;

	area.height /= (double)d->row_count;
	if (d->canvas->coarse)
		area.height = floor(area.height / d->canvas->line_height) * d->canvas->line_height;
	area.y += area.height * (double)i;
	return area;
}

/* As a part of the available room. */
static double bar_height(const struct drawing *d, const struct hist_row *row, double count)
{
	const struct scale *y = &d->panel.y.scale;
	double part;

	if (!has_rows(d))
		return y->from - scale_at(y, count);
	part = d->look->log_counts ? log1p(count) / log1p(row->most) : count / row->most;
	return part * ROW_FULL * row_area(d, 0).height;
}

/* The smallest count shows: one event among millions may be what is sought. */
static void draw_bars(const struct drawing *d, size_t i)
{
	const struct hist_row *row = &d->rows[i];
	const struct scale *x = &d->panel.x.scale;
	struct canvas_rect area = row_area(d, i);
	double least = d->canvas->coarse ? 4 : 1, gap = d->canvas->coarse ? 0 : BAR_GAP;

	for (size_t k = 0; k < d->bins.count; k++) {
		double from = round(scale_at(x, bins_edge(&d->bins, (double)k)));
		double to = round(scale_at(x, bins_edge(&d->bins, (double)k + 1)));
		double height = fmax(bar_height(d, row, row->counts[k]), least);
		struct canvas_rect bar = {from, area.y + area.height - height,
					  fmax(to - from - gap, 1), height};

		if (row->counts[k] > 0)
			canvas_rect(d->canvas, &bar);
	}
	canvas_fill(d->canvas, palette_series(0), 1);
}

static void draw_marks(const struct drawing *d, size_t i)
{
	struct canvas_rect area = row_area(d, i);
	double top = has_rows(d) ? area.y + area.height * (1 - ROW_FULL) : area.y;

	for (size_t k = 0; k < MARKS; k++) {
		struct pen pen = {.ink = INK_TEXT, .width = 1.2, .dash = mark_dashes[k]};
		double at = scale_at(&d->panel.x.scale, d->rows[i].marks[k]);

		if (d->range.kind == SCALE_LOG && !(d->rows[i].marks[k] > 0))
			continue;
		canvas_rule(d->canvas, at, top, at, area.y + area.height, &pen);
	}
}

static void draw_name(const struct drawing *d, size_t i)
{
	struct text_style name = {FONT_LABEL, INK_TEXT, TEXT_END, false};
	struct text_style note = {FONT_NOTE, INK_FAINT, TEXT_END, false};
	struct canvas_rect area = row_area(d, i);
	double line = d->canvas->coarse ? d->canvas->line_height : 14;
	double x = area.x - (d->canvas->coarse ? 16 : 8);
	double y = area.y + area.height - line / 2 - (d->canvas->coarse ? 0 : 3);

	canvas_text(d->canvas, x, y - line, d->rows[i].name, &name);
	canvas_text(d->canvas, x, y, d->rows[i].note, &note);
}

static void draw_floor(const struct drawing *d, size_t i)
{
	const struct pen pen = {.ink = INK_GRID, .width = 1};
	struct canvas_rect area = row_area(d, i);
	double y = floor(area.y + area.height) + 0.5;

	if (i + 1 < d->row_count)
		canvas_rule(d->canvas, area.x, y, area.x + area.width, y, &pen);
}

static void draw_all(const struct drawing *d)
{
	panel_begin(&d->panel, d->canvas);
	for (size_t i = 0; i < d->row_count; i++) {
		canvas_group(d->canvas, d->rows[i].name);
		draw_floor(d, i);
		draw_bars(d, i);
		draw_marks(d, i);
		canvas_ungroup(d->canvas);
	}
	panel_end(&d->panel, d->canvas);
	for (size_t i = 0; i < d->row_count && has_rows(d); i++)
		draw_name(d, i);
}

int hist_draw(const struct hist *hist, const struct hist_look *look, struct canvas *canvas)
{
	struct drawing *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	*d = (struct drawing){.hist = hist, .look = look, .canvas = canvas};
	err = make_rows(d);
	if (!err) {
		make_panel(d);
		draw_all(d);
	}
	for (size_t i = 0; i < d->row_count; i++)
		free(d->rows[i].counts);
	spread_fini(&d->all);
	free(d);
	return err;
}
