// SPDX-License-Identifier: BSD-2-Clause
#include "graph/plot.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/panel.h"
#include "graph/series.h"

#define LINE_WIDTH 1.5
#define NARROW \
	0.6 /* values that all are above so much of the greatest do not have 0 on their axis */
#define LATE 0.15 /* of the span: a series that begins earlier has the origin on its axis */
#define LOSS_OPACITY 0.6
#define LABELS_MAX 4u /* lines with their names at their ends; more have a legend */
#define LABELS_ROOM 0.3 /* of the page at most, for these */
#define LABEL_GAP 8.0
#define CUT_WIDTH 7.0 /* of a mark for values beyond the axis */
#define FACET_HEIGHT 150.0 /* pixels, about: facets of one unit choose the same ends */
#define STACK_AROUND 0.3 /* of the height of one plot: title, caption, axis of time */
#define STACK_EACH 0.5 /* of each */

/* The axis of each line: 0 left, 1 right. */
static size_t axis_of(const struct plot_line *lines, size_t i)
{
	return !unit_same(&lines[0].unit, &lines[i].unit);
}

size_t plot_units(const struct plot_line *lines, size_t count)
{
	size_t units = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < i && !unit_same(&lines[k].unit, &lines[i].unit))
			k++;
		units += k == i;
	}
	return units;
}

static double factor_of(const struct plot_line *line)
{
	return line->factor * line->unit.factor;
}

bool plot_limit_fits(const struct plot_limit *limit, const struct unit *unit)
{
	const struct unit ns = unit_find("ns");

	return limit->given && (!limit->is_time || unit_same(unit, &ns));
}

/* ymax in the unit's own steps. */
static double limit_of(const struct plot_limit *limit, const struct unit *unit)
{
	return limit->is_time ? limit->value : limit->value * unit->factor;
}

static bool is_cut(const struct plot *plot, const struct plot_line *line)
{
	const double factor = factor_of(line);

	return plot_limit_fits(&plot->ymax, &line->unit) && line->series->points &&
	       fmax(line->series->low * factor, line->series->high * factor) >
		       limit_of(&plot->ymax, &line->unit);
}

bool plot_is_cut(const struct plot *plot)
{
	for (size_t i = 0; i < plot->count; i++) {
		if (is_cut(plot, &plot->lines[i]))
			return true;
	}
	return false;
}

/* The ends of the lines of one unit. */
static void find_ends(const struct plot *plot, const struct unit *unit, struct scale *scale)
{
	const struct plot *all = plot->whole ? plot->whole : plot;
	bool any = false;

	for (size_t i = 0; i < all->count; i++) {
		const struct plot_line *line = &all->lines[i];
		double factor = factor_of(line), low = line->series->low * factor;
		double high = line->series->high * factor;

		if (!line->series->points || !unit_same(&line->unit, unit))
			continue;
		if (plot->log_y)
			low = line->series->positive * factor;
		if (plot->log_y && !(low > 0))
			continue;
		scale->low = any ? fmin(scale->low, fmin(low, high)) : fmin(low, high);
		scale->high = any ? fmax(scale->high, fmax(low, high)) : fmax(low, high);
		any = true;
	}
	if (!plot->log_y && scale->low > 0 && scale->low < scale->high * NARROW)
		scale->low = 0;
	if (!plot->log_y && scale->high < 0 && scale->high > scale->low * NARROW)
		scale->high = 0;
}

/* An axis ends at ymax exactly, if any value is above it. */
static void cut_axis(const struct plot *plot, struct axis *y)
{
	double limit;

	if (!plot_limit_fits(&plot->ymax, &y->unit))
		return;
	limit = limit_of(&plot->ymax, &y->unit);
	if (limit >= y->scale.high || (plot->log_y && limit <= 0))
		return;
	if (y->scale.low >= limit)
		y->scale.low = plot->log_y ? limit / 10 : fmin(0, limit - 1);
	y->scale.high = limit;
	y->tight = true;
}

/* The quantity that all lines of the axis measure; NULL: they differ. */
static const char *quantity_of(const struct plot *plot, size_t axis)
{
	const char *quantity = NULL;

	for (size_t i = 0; i < plot->count; i++) {
		const char *own = plot->lines[i].quantity;

		if (axis_of(plot->lines, i) != axis)
			continue;
		if (!own || (quantity && strcmp(quantity, own)))
			return NULL;
		quantity = own;
	}
	return quantity;
}

/* The ink of the axis' title: of its line, if it is the only one of it. */
static enum ink ink_of(const struct plot *plot, size_t axis)
{
	size_t lines = 0, last = 0;

	for (size_t i = 0; i < plot->count; i++) {
		if (axis_of(plot->lines, i) == axis) {
			lines++;
			last = i;
		}
	}
	return lines == 1 && plot->count > 1 ? palette_series(plot->first_colour + last) : 0;
}

static void set_y(const struct plot *plot, size_t axis, struct axis *y)
{
	*y = (struct axis){.scale.kind = plot->log_y ? SCALE_LOG : SCALE_LINEAR,
			   .title = plot->whole ? NULL : quantity_of(plot, axis),
			   .grid = axis == 0,
			   .ink = ink_of(plot, axis)};
	for (size_t i = plot->count; i-- > 0;) {
		if (axis_of(plot->lines, i) == axis)
			y->unit = plot->lines[i].unit;
	}
	find_ends(plot, &y->unit, &y->scale);
	cut_axis(plot, y);
}

/* When the first and the last point of @plot are, as far as they are beyond @first and @last. */
static void find_times(const struct plot *plot, int64_t *first, int64_t *last)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = plot->lines[i].series;

		if (!series->count)
			continue;
		if (series->bins[0].first_ns < *first)
			*first = series->bins[0].first_ns;
		if (series->bins[series->count - 1].last_ns > *last)
			*last = series->bins[series->count - 1].last_ns;
	}
}

/* The first time of @plot that a log scale can have, if it is before @first. */
static double first_positive(const struct plot *plot, double first)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = plot->lines[i].series;

		for (uint32_t k = 0; k < series->count; k++) {
			double at = series_since(series->bins[k].last_ns, plot->origin_ns);

			if (at > 0) {
				first = fmin(first, at);
				break;
			}
		}
	}
	return first;
}

/* Where the log scale of @count plots begins. */
static double first_of_log(const struct plot *plots, size_t count)
{
	double first = HUGE_VAL;

	for (size_t i = 0; i < count; i++)
		first = first_positive(&plots[i], first);
	return isfinite(first) ? first : 0;
}

/* The axis of time of @count plots. */
static void set_x(const struct plot *plots, size_t count, struct axis *x)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < count; i++)
		find_times(&plots[i], &first, &last);
	if (first > last)
		first = last = plots->origin_ns;
	*x = (struct axis){.title = "time", .unit = unit_find("ns"), .tight = true};
	x->scale.low = series_since(first, plots->origin_ns);
	x->scale.high = series_since(last, plots->origin_ns);
	if (plots->log_x)
		x->scale.kind = SCALE_LOG;
	else if (x->scale.low > 0 && x->scale.low < (x->scale.high - x->scale.low) * LATE)
		x->scale.low = 0;
	if (plots->log_x && x->scale.low <= 0)
		x->scale.low = first_of_log(plots, count);
}

static enum dash dash_of(size_t i)
{
	return (enum dash)(i / PALETTE_SERIES % DASH_COUNT);
}

/* One series needs no legend if a title or an axis names it. */
static bool needs_legend(const struct plot *plot)
{
	return plot->count > 1 || (plot->losses && plot->losses_name) || !plot->title;
}

/* Pixels for the names of lines at their ends; 0: they stand in the legend. */
static double labels_room(const struct plot *plot, const struct canvas *canvas)
{
	double widest = 0;

	if (canvas->coarse || plot->count < 2 || plot->count > LABELS_MAX ||
	    plot_units(plot->lines, plot->count) > 1)
		return 0;
	for (size_t i = 0; i < plot->count; i++)
		widest = fmax(widest, canvas_text_width(canvas, plot->lines[i].name, FONT_LABEL));
	return widest < canvas->width * LABELS_ROOM ? widest + LABEL_GAP : 0;
}

static int make_legend(const struct plot *plot, bool labels, struct legend *legend)
{
	struct legend_entry *entries = calloc(plot->count + 1, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	legend->entries = entries;
	for (size_t i = 0; !labels && i < plot->count; i++) {
		bool dots = plot->lines[i].style == SERIES_DOTS;

		entries[legend->count++] = (struct legend_entry){
			plot->lines[i].name, dots ? LEGEND_DOT : LEGEND_LINE,
			palette_series(plot->first_colour + i), dots ? DASH_NONE : dash_of(i)};
	}
	if (plot->losses && plot->losses_name)
		entries[legend->count++] =
			(struct legend_entry){plot->losses_name, LEGEND_TICK, INK_ALERT, DASH_NONE};
	if (!needs_legend(plot))
		legend->count = 0;
	return 0;
}

/* Above the curves, since what is missing may be what matters. Marks nearer than a pixel are one. */
static void draw_losses(const struct plot *plot, const struct panel *panel, struct canvas *canvas)
{
	const struct pen pen = {.ink = INK_ALERT, .width = 1, .opacity = LOSS_OPACITY};
	double top = panel->area.y, bottom = panel->area.y + panel->area.height;
	double last = -HUGE_VAL;

	if (!plot->losses)
		return;
	canvas_group(canvas, plot->losses_name ?: "");
	for (uint32_t i = 0; i < plot->losses->count; i++) {
		double at = scale_at(&panel->x.scale,
				     series_since(plot->losses->bins[i].first_ns, plot->origin_ns));

		if (at - last < canvas->pitch)
			continue;
		last = at;
		canvas_move(canvas, at, top);
		canvas_line(canvas, at, bottom);
	}
	canvas_stroke(canvas, &pen);
	canvas_ungroup(canvas);
}

/* A mark at the upper edge where values are beyond it; those nearer than its width are one. */
static void draw_cuts(const struct plot_line *line, const struct panel *panel,
		      const struct series_look *look, struct canvas *canvas)
{
	const double limit = panel->y.scale.high, top = panel->area.y;
	const double width = canvas->coarse ? canvas->line_height / 2 : CUT_WIDTH;
	const struct text_style style = {FONT_TICK, look->pen.ink, TEXT_MIDDLE, false};
	double last = -HUGE_VAL;

	for (uint32_t i = 0; i < line->series->count; i++) {
		const struct series_bin *bin = &line->series->bins[i];
		double at = scale_at(&panel->x.scale, series_since(bin->first_ns, look->origin_ns));

		if (fmax(bin->low * look->factor, bin->high * look->factor) <= limit ||
		    at - last < width)
			continue;
		last = at;
		if (canvas->coarse) {
			canvas_text(canvas, at, top + canvas->line_height / 2, "^", &style);
			continue;
		}
		canvas_move(canvas, at - width / 2, top + width);
		canvas_line(canvas, at, top);
		canvas_line(canvas, at + width / 2, top + width);
		canvas_close(canvas);
	}
	if (!canvas->coarse)
		canvas_fill(canvas, look->pen.ink, 1);
}

static void draw_lines(const struct plot *plot, const struct panel *panel, struct canvas *canvas)
{
	for (size_t i = 0; i < plot->count; i++) {
		const struct plot_line *line = &plot->lines[i];
		struct series_look look = {
			.style = line->style,
			.pen = {.ink = palette_series(plot->first_colour + i),
				.width = LINE_WIDTH,
				.dash = dash_of(i)},
			.factor = factor_of(line),
			.origin_ns = plot->origin_ns,
		};
		bool right = panel->has_right && axis_of(plot->lines, i);

		canvas_group(canvas, line->name);
		series_draw(line->series, &look, &panel->x.scale,
			    right ? &panel->right.scale : &panel->y.scale, canvas);
		if (!right && is_cut(plot, line))
			draw_cuts(line, panel, &look, canvas);
		canvas_ungroup(canvas);
	}
}

/* Where the name of a line goes: level with its last value. */
struct end_label {
	size_t line;
	double y;
};

static int compare_labels(const void *a, const void *b)
{
	const struct end_label *x = a, *y = b;

	return x->y != y->y ? (x->y > y->y) - (x->y < y->y) :
			      (x->line > y->line) - (x->line < y->line);
}

/* From the top down no two on one another, and then from the bottom up none below the plot. */
static void spread_labels(struct end_label *labels, size_t count, const struct panel *panel,
			  double apart)
{
	double bottom = panel->area.y + panel->area.height;

	qsort(labels, count, sizeof(*labels), compare_labels);
	for (size_t i = 1; i < count; i++)
		labels[i].y = fmax(labels[i].y, labels[i - 1].y + apart);
	for (size_t i = count; i-- > 0; bottom = labels[i].y - apart)
		labels[i].y = fmin(labels[i].y, bottom);
}

static void draw_labels(const struct plot *plot, const struct panel *panel, struct canvas *canvas)
{
	struct end_label labels[LABELS_MAX];

	if (!labels_room(plot, canvas))
		return;
	for (size_t i = 0; i < plot->count; i++) {
		const struct series *series = plot->lines[i].series;
		double y = scale_at(&panel->y.scale, series->bins[series->count - 1].last *
							     factor_of(&plot->lines[i]));

		labels[i] = (struct end_label){i, fmin(fmax(y, panel->area.y),
						       panel->area.y + panel->area.height)};
	}
	spread_labels(labels, plot->count, panel, font_size(FONT_LABEL));
	for (size_t i = 0; i < plot->count; i++) {
		const struct text_style style = {
			FONT_LABEL, palette_series(plot->first_colour + labels[i].line), TEXT_START,
			false};

		canvas_text(canvas, panel->area.x + panel->area.width + LABEL_GAP, labels[i].y,
			    plot->lines[labels[i].line].name, &style);
	}
}

/* Those lines of @plot that are of the unit of line @first. */
static size_t take_unit(const struct plot *plot, size_t first, struct plot_line *lines)
{
	size_t count = 0;

	for (size_t i = first; i < plot->count; i++) {
		if (unit_same(&plot->lines[first].unit, &plot->lines[i].unit))
			lines[count++] = plot->lines[i];
	}
	return count;
}

static bool is_first_of_unit(const struct plot *plot, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (unit_same(&plot->lines[k].unit, &plot->lines[i].unit))
			return false;
	}
	return true;
}

size_t plot_split(const struct plot *plot, struct plot_line *lines,
		  struct plot plots[PLOT_STACK_MAX])
{
	size_t count = 0, made = 0;

	if (plot_units(plot->lines, plot->count) <= PLOT_UNITS) {
		plots[0] = *plot;
		return 1;
	}
	for (size_t i = 0; i < plot->count && count < PLOT_STACK_MAX; i++) {
		struct plot *part = &plots[count];

		if (!is_first_of_unit(plot, i))
			continue;
		*part = *plot;
		part->lines = &lines[made];
		part->count = take_unit(plot, i, &lines[made]);
		part->first_colour = made;
		part->title = count ? NULL : plot->title;
		part->losses_name = count ? NULL : plot->losses_name;
		part->caption = NULL;
		made += part->count;
		count++;
	}
	plots[count - 1].caption = plot->caption;
	return count;
}

size_t plot_facets(const struct plot *plot, struct plot plots[PLOT_STACK_MAX])
{
	size_t count = plot->count < PLOT_STACK_MAX ? plot->count : PLOT_STACK_MAX;

	for (size_t i = 0; i < count; i++) {
		plots[i] = *plot;
		plots[i].lines = &plot->lines[i];
		plots[i].count = 1;
		plots[i].first_colour = i;
		plots[i].title = plot->lines[i].name;
		plots[i].losses_name = i ? NULL : plot->losses_name;
		plots[i].caption = i + 1 < count ? NULL : plot->caption;
		plots[i].whole = plot;
	}
	return count;
}

static int make_panel(const struct plot *plot, const struct canvas *canvas, struct panel *panel)
{
	const double labels = labels_room(plot, canvas);

	panel->title = plot->title;
	panel->caption = plot->caption;
	set_y(plot, 0, &panel->y);
	panel->has_right = plot_units(plot->lines, plot->count) > 1;
	if (panel->has_right)
		set_y(plot, 1, &panel->right);
	panel->right_room = labels;
	panel->settle_height = plot->whole ? FACET_HEIGHT : 0;
	return make_legend(plot, labels > 0, &panel->legend);
}

static void draw_panel(const struct plot *plot, const struct panel *panel, struct canvas *canvas)
{
	panel_begin(panel, canvas);
	draw_lines(plot, panel, canvas);
	draw_losses(plot, panel, canvas);
	panel_end(panel, canvas);
	draw_labels(plot, panel, canvas);
}

int plot_draw_stack(const struct plot *plots, size_t count, struct canvas *canvas)
{
	struct panel panels[PLOT_STACK_MAX] = {0};
	int err = 0;

	assert(count && count <= PLOT_STACK_MAX);
	for (size_t i = 0; !err && i < count; i++) {
		err = make_panel(&plots[i], canvas, &panels[i]);
		set_x(plots, count, &panels[i].x);
		panels[i].x.grid = count > 1;
		panels[i].x.bare = i + 1 < count;
	}
	if (!err)
		panel_layout_stack(panels, count, canvas);
	for (size_t i = 0; !err && i < count; i++)
		draw_panel(&plots[i], &panels[i], canvas);
	for (size_t i = 0; i < count; i++)
		free((void *)panels[i].legend.entries);
	return err;
}

int plot_draw(const struct plot *plot, struct canvas *canvas)
{
	return plot_draw_stack(plot, 1, canvas);
}

double plot_stack_height(size_t count, double height)
{
	return count > 1 ? round(height * (STACK_AROUND + STACK_EACH * (double)count)) : height;
}
