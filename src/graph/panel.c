// SPDX-License-Identifier: BSD-2-Clause
#include "graph/panel.h"

#include <math.h>

#define MARK_WIDTH 22.0
#define MARK_GAP 6.0
#define ENTRY_GAP 20.0

/* Where the next entry goes. */
struct place {
	double x, y;
};

static double mark_width(const struct canvas *canvas)
{
	return canvas->coarse ? canvas->line_height : MARK_WIDTH; /* two characters */
}

static double mark_gap(const struct canvas *canvas)
{
	return canvas->coarse ? canvas->line_height / 2 : MARK_GAP;
}

static double entry_width(const struct legend_entry *entry, const struct canvas *canvas)
{
	return mark_width(canvas) + mark_gap(canvas) +
	       canvas_text_width(canvas, entry->name, FONT_LABEL);
}

/* Moves @place on to where @entry goes; it goes into a new row if this one is full. */
static struct place put(struct place *place, const struct legend_entry *entry,
			const struct canvas *canvas, const struct canvas_rect *room)
{
	double width = entry_width(entry, canvas);
	struct place ret;

	if (place->x > room->x && place->x + width > room->x + room->width) {
		place->x = room->x;
		place->y += canvas->line_height;
	}
	ret = *place;
	place->x += width + (canvas->coarse ? canvas->line_height : ENTRY_GAP);
	return ret;
}

double legend_height(const struct legend *legend, const struct canvas *canvas, double width)
{
	struct canvas_rect room = {.width = width};
	struct place place = {0};

	for (size_t i = 0; i < legend->count; i++)
		(void)put(&place, &legend->entries[i], canvas, &room);
	return legend->count ? place.y + canvas->line_height : 0;
}

static void draw_mark(const struct legend_entry *entry, struct canvas *canvas, double x, double y)
{
	struct pen pen = {.ink = entry->ink, .width = 2, .dash = entry->dash};
	double width = mark_width(canvas), middle = x + width / 2;

	switch (entry->mark) {
	case LEGEND_DOT:
		pen.width = 5;
		pen.round = true;
		canvas_dot(canvas, middle, y);
		canvas_stroke(canvas, &pen);
		return;
	case LEGEND_BOX:
		canvas_rect(canvas, &(struct canvas_rect){middle - 5, y - 5, 10, 10});
		canvas_fill(canvas, entry->ink, 1);
		return;
	case LEGEND_TICK:
		canvas_rule(canvas, middle, y - 6, middle, y + 6, &pen);
		return;
	default: /* LEGEND_LINE */
		canvas_rule(canvas, x, y, x + width - canvas->pitch / 2, y, &pen);
	}
}

void legend_draw(const struct legend *legend, struct canvas *canvas, const struct canvas_rect *room)
{
	struct text_style style = {FONT_LABEL, INK_TEXT, TEXT_START, false};
	double before = mark_width(canvas) + mark_gap(canvas);
	struct place place = {room->x, room->y};
	char name[CANVAS_FIT_BYTES];

	for (size_t i = 0; i < legend->count; i++) {
		const struct legend_entry *entry = &legend->entries[i];
		struct place at = put(&place, entry, canvas, room);
		double middle = at.y + canvas->line_height / 2;

		draw_mark(entry, canvas, at.x, middle);
		canvas_text(canvas, at.x + before, middle,
			    canvas_fit_text(canvas, entry->name, FONT_LABEL, room->width - before,
					    name),
			    &style);
	}
}

#define MARGIN 14.0 /* around everything */
#define TITLE_GAP 8.0
#define CAPTION_GAP 6.0
#define PLOT_MIN 32.0 /* pixels: a plot never vanishes, however much is written around it */
#define CLIP_OVER 1.5 /* a line along the edge shows whole */

static double margin(const struct canvas *canvas)
{
	return canvas->coarse ? 0 : MARGIN;
}

static double title_height(const struct panel *panel, const struct canvas *canvas)
{
	if (!panel->title)
		return 0;
	return canvas->line_height + (canvas->coarse ? 0 : TITLE_GAP);
}

static double caption_height(const struct panel *panel, const struct canvas *canvas)
{
	if (!panel->caption)
		return 0;
	return canvas->line_height + (canvas->coarse ? 0 : CAPTION_GAP);
}

/* Titles of upright axes stand above them on a terminal. */
static double above_axes(const struct panel *panel, const struct canvas *canvas)
{
	if (!canvas->coarse)
		return panel->legend.count || panel->title ? TITLE_GAP : 0;
	return axis_has_title(&panel->y) || (panel->has_right && axis_has_title(&panel->right)) ?
		       canvas->line_height :
		       0;
}

static struct canvas_rect room_of(const struct panel *panel, const struct canvas *canvas)
{
	const struct canvas_rect page = {0, 0, canvas->width, canvas->height};

	return panel->room.width > 0 ? panel->room : page;
}

static double legend_width(const struct panel *panel, const struct canvas *canvas)
{
	return room_of(panel, canvas).width - 2 * margin(canvas);
}

static double right_room(const struct panel *panel, const struct canvas *canvas)
{
	double room = panel->has_right ? axis_room(&panel->right, canvas) :
		      canvas->coarse   ? 0 :
					 MARGIN;

	return fmax(room, panel->right_room);
}

static double left_room(const struct panel *panel, const struct canvas *canvas)
{
	return fmax(axis_room(&panel->y, canvas), panel->left_room);
}

/* On a terminal the area ends where characters do. */
static double snap(double at, double step, bool coarse)
{
	return coarse ? round(at / step) * step : round(at);
}

static void set_area(struct panel *panel, const struct canvas *canvas)
{
	const struct canvas_rect room = room_of(panel, canvas);
	double edge = margin(canvas), top, bottom, left, right;

	top = room.y + edge + title_height(panel, canvas) +
	      legend_height(&panel->legend, canvas, legend_width(panel, canvas)) +
	      above_axes(panel, canvas);
	bottom = room.y + room.height - edge - caption_height(panel, canvas) - panel->below_room -
		 axis_room(&panel->x, canvas);
	left = room.x + edge + left_room(panel, canvas);
	right = room.x + room.width - edge - right_room(panel, canvas);
	left = snap(left, 8, canvas->coarse);
	right = snap(right, 8, canvas->coarse);
	panel->area = (struct canvas_rect){left, round(top), fmax(right - left, PLOT_MIN),
					   fmax(round(bottom) - round(top), PLOT_MIN)};
}

/* The ends first: how wide the labels are decides how much is left. */
static void settle(struct panel *panel, const struct canvas *canvas)
{
	const struct canvas_rect room = room_of(panel, canvas);
	double height = panel->settle_height > 0 ? panel->settle_height : room.height * 0.7;

	axis_settle(&panel->x, canvas, room.width * 0.8);
	axis_settle(&panel->y, canvas, height);
	if (!panel->has_right)
		return;
	axis_settle(&panel->right, canvas, height);
	axis_match(&panel->right, &panel->y, canvas, height);
}

static void place(struct panel *panel, const struct canvas *canvas)
{
	set_area(panel, canvas);
	axis_place(&panel->x, canvas, &panel->area);
	axis_place(&panel->y, canvas, &panel->area);
	if (panel->has_right)
		axis_place(&panel->right, canvas, &panel->area);
}

void panel_layout(struct panel *panel, const struct canvas *canvas)
{
	panel->x.side = AXIS_BOTTOM;
	panel->y.side = AXIS_LEFT;
	panel->right.side = AXIS_RIGHT;
	settle(panel, canvas);
	place(panel, canvas);
	place(panel, canvas); /* ticks were chosen again, and their labels may be narrower */
}

/* What @panel takes above and below its plot, which does not depend on the plot. */
static double around_plot(const struct panel *panel, const struct canvas *canvas)
{
	struct panel alone = *panel;

	alone.room = (struct canvas_rect){0, 0, canvas->width, 2 * canvas->height};
	panel_layout(&alone, canvas);
	return alone.room.height - alone.area.height;
}

/* One below the other; where two meet one margin is enough. The remainder of the division goes to
 * the upper ones. */
static void share_height(struct panel *panels, size_t count, const struct canvas *canvas)
{
	double overlap = margin(canvas), step = canvas->coarse ? canvas->line_height : 1;
	double left = canvas->height, y = 0, plot;

	for (size_t i = 0; i < count; i++) {
		panels[i].room = (struct canvas_rect){.width = canvas->width,
						      .height = around_plot(&panels[i], canvas)};
		left -= panels[i].room.height - (i ? overlap : 0);
	}
	plot = fmax(floor(left / (double)count / step) * step, PLOT_MIN);
	left -= plot * (double)count;
	for (size_t i = 0; i < count; i++) {
		double more = left >= step ? step : 0;

		panels[i].room.y = y;
		panels[i].room.height += plot + more;
		left -= more;
		y += panels[i].room.height - overlap;
	}
}

/* The widest labels decide where all plots begin and end. */
static void share_sides(struct panel *panels, size_t count, const struct canvas *canvas)
{
	double left = 0, right = 0;

	for (size_t i = 0; i < count; i++) {
		struct panel alone = panels[i];

		panel_layout(&alone, canvas);
		left = fmax(left, left_room(&alone, canvas));
		right = fmax(right, right_room(&alone, canvas));
	}
	for (size_t i = 0; i < count; i++) {
		panels[i].left_room = left;
		panels[i].y.room = left;
		panels[i].right_room = right;
		panels[i].right.room = right;
	}
}

void panel_layout_stack(struct panel *panels, size_t count, const struct canvas *canvas)
{
	if (count > 1) {
		share_height(panels, count, canvas);
		share_sides(panels, count, canvas);
	}
	for (size_t i = 0; i < count; i++)
		panel_layout(&panels[i], canvas);
}

static void draw_head(const struct panel *panel, struct canvas *canvas)
{
	struct text_style style = {FONT_TITLE, INK_TEXT, TEXT_START, false};
	char title[CANVAS_FIT_BYTES];
	const struct canvas_rect whole = room_of(panel, canvas);
	double left = whole.x + margin(canvas), top = whole.y + margin(canvas);
	struct canvas_rect room = {left, top + title_height(panel, canvas),
				   legend_width(panel, canvas), 0};

	if (panel->title)
		canvas_text(canvas, left, top + canvas->line_height / 2,
			    canvas_fit_text(canvas, panel->title, FONT_TITLE, room.width, title),
			    &style);
	legend_draw(&panel->legend, canvas, &room);
}

void panel_begin(const struct panel *panel, struct canvas *canvas)
{
	const struct canvas_rect room = room_of(panel, canvas);
	struct canvas_rect clip = panel->area;

	canvas_rect(canvas, &room);
	canvas_fill(canvas, INK_PAPER, 1);
	draw_head(panel, canvas);
	axis_draw_grid(&panel->x, canvas, &panel->area);
	axis_draw_grid(&panel->y, canvas, &panel->area);
	if (panel->has_right)
		axis_draw_grid(&panel->right, canvas, &panel->area);
	clip.x -= CLIP_OVER;
	clip.y -= CLIP_OVER;
	clip.width += 2 * CLIP_OVER;
	clip.height += 2 * CLIP_OVER;
	canvas_clip(canvas, &clip);
}

void panel_end(const struct panel *panel, struct canvas *canvas)
{
	struct text_style style = {FONT_NOTE, INK_FAINT, TEXT_START, false};
	char caption[CANVAS_FIT_BYTES];
	const struct canvas_rect room = room_of(panel, canvas);
	double edge = margin(canvas);

	canvas_unclip(canvas);
	axis_draw(&panel->x, canvas, &panel->area);
	axis_draw(&panel->y, canvas, &panel->area);
	if (panel->has_right)
		axis_draw(&panel->right, canvas, &panel->area);
	if (panel->caption)
		canvas_text(canvas, room.x + edge,
			    room.y + room.height - edge - canvas->line_height / 2,
			    canvas_fit_text(canvas, panel->caption, FONT_NOTE,
					    legend_width(panel, canvas), caption),
			    &style);
}
