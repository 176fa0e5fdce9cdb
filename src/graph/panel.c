// SPDX-License-Identifier: BSD-2-Clause
#include "graph/panel.h"

#include <math.h>

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

static double legend_width(const struct canvas *canvas)
{
	return canvas->width - 2 * margin(canvas);
}

static double right_room(const struct panel *panel, const struct canvas *canvas)
{
	return panel->has_right ? axis_room(&panel->right, canvas) : canvas->coarse ? 0 : MARGIN;
}

/* On a terminal the area ends where characters do. */
static double snap(double at, double step, bool coarse)
{
	return coarse ? round(at / step) * step : round(at);
}

static void set_area(struct panel *panel, const struct canvas *canvas)
{
	double edge = margin(canvas), top, bottom, left, right;

	top = edge + title_height(panel, canvas) +
	      legend_height(&panel->legend, canvas, legend_width(canvas)) +
	      above_axes(panel, canvas);
	bottom = canvas->height - edge - caption_height(panel, canvas) - panel->below_room -
		 axis_room(&panel->x, canvas);
	left = edge + fmax(panel->left_room, axis_room(&panel->y, canvas));
	right = canvas->width - edge - right_room(panel, canvas);
	left = snap(left, 8, canvas->coarse);
	right = snap(right, 8, canvas->coarse);
	panel->area = (struct canvas_rect){left, round(top), fmax(right - left, PLOT_MIN),
					   fmax(round(bottom) - round(top), PLOT_MIN)};
}

/* The ends first: how wide the labels are decides how much is left. */
static void settle(struct panel *panel, const struct canvas *canvas)
{
	double height = canvas->height * 0.7;

	axis_settle(&panel->x, canvas, canvas->width * 0.8);
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
	place(panel, canvas); /* ticks were chosen anew, and their labels may be narrower */
}

static void draw_head(const struct panel *panel, struct canvas *canvas)
{
	struct text_style style = {FONT_TITLE, INK_TEXT, TEXT_START, false};
	char title[CANVAS_FIT_BYTES];
	double edge = margin(canvas);
	struct canvas_rect room = {edge, edge + title_height(panel, canvas), legend_width(canvas),
				   0};

	if (panel->title)
		canvas_text(canvas, edge, edge + canvas->line_height / 2,
			    canvas_fit_text(canvas, panel->title, FONT_TITLE, room.width, title),
			    &style);
	legend_draw(&panel->legend, canvas, &room);
}

void panel_begin(const struct panel *panel, struct canvas *canvas)
{
	struct canvas_rect page = {0, 0, canvas->width, canvas->height};
	struct canvas_rect clip = panel->area;

	canvas_rect(canvas, &page);
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
	double edge = margin(canvas);

	canvas_unclip(canvas);
	axis_draw(&panel->x, canvas, &panel->area);
	axis_draw(&panel->y, canvas, &panel->area);
	if (panel->has_right)
		axis_draw(&panel->right, canvas, &panel->area);
	if (panel->caption)
		canvas_text(canvas, edge, canvas->height - edge - canvas->line_height / 2,
			    canvas_fit_text(canvas, panel->caption, FONT_NOTE, legend_width(canvas),
					    caption),
			    &style);
}
