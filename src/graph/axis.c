// SPDX-License-Identifier: BSD-2-Clause
#include "graph/axis.h"

#include <math.h>
#include <stdio.h>

#define TICK_LENGTH 4.0
#define TICK_MINOR 2.0
#define LABEL_GAP 4.0 /* between a tick and its label */
#define TITLE_GAP 6.0
#define TICKS_APART_Y 58.0 /* pixels, about */
#define TICKS_APART_X 90.0
#define LABEL_APART 26.0 /* more than labels are wide */
#define LABEL_APART_LOG 10.0 /* between two of a logarithmic axis */
#define TITLE_BYTES 256u

static const struct pen axis_pen = {.ink = INK_AXIS, .width = 1};
static const struct pen grid_pen = {.ink = INK_GRID, .width = 1};

/* Lines of one pixel are sharp in the middle between two. */
static double sharp(double at)
{
	return floor(at) + 0.5;
}

static double widest_label(const struct axis *axis, const struct canvas *canvas)
{
	double widest = 0;

	for (size_t i = 0; i < axis->ticks.count; i++)
		widest = fmax(widest,
			      canvas_text_width(canvas, axis->ticks.ticks[i].label, FONT_TICK));
	return widest;
}

static size_t tick_count(double length, double apart)
{
	double count = length / apart;

	return count < 2 ? 2 : count > SCALE_TICKS / 2 ? SCALE_TICKS / 2 : (size_t)count;
}

static size_t ticks_wanted(const struct axis *axis, const struct canvas *canvas, double length)
{
	return tick_count(length, axis->side == AXIS_BOTTOM ?
					  TICKS_APART_X :
					  fmax(TICKS_APART_Y, 2 * canvas->line_height));
}

/* Whether the labels along the bottom, which is @length long, keep apart. */
static bool labels_fit(const struct axis *axis, const struct canvas *canvas, double length)
{
	struct scale scale = axis->scale;
	double end = -HUGE_VAL;

	if (scale.kind == SCALE_LINEAR)
		return (widest_label(axis, canvas) + LABEL_APART) * (double)axis->ticks.count <=
		       length;
	scale.from = 0;
	scale.to = length;
	for (size_t i = 0; i < axis->ticks.count; i++) {
		const struct tick *tick = &axis->ticks.ticks[i];
		double half = canvas_text_width(canvas, tick->label, FONT_TICK) / 2;
		double at = scale_at(&scale, tick->value);

		if (tick->minor)
			continue;
		if (at - half < end + LABEL_APART_LOG)
			return false;
		end = at + half;
	}
	return true;
}

/* As many as fit. Along the bottom that depends on how wide their labels are. */
static void choose_ticks(struct axis *axis, const struct canvas *canvas, double length)
{
	size_t wanted = ticks_wanted(axis, canvas, length);

	axis->ticks.count = 0;
	if (axis->no_ticks)
		return;
	scale_ticks(&axis->scale, &axis->unit, wanted, &axis->ticks);
	while (axis->side == AXIS_BOTTOM && wanted > 2 && !labels_fit(axis, canvas, length)) {
		axis->scale.step = 0;
		scale_ticks(&axis->scale, &axis->unit, --wanted, &axis->ticks);
	}
}

void axis_settle(struct axis *axis, const struct canvas *canvas, double length)
{
	struct scale *scale = &axis->scale;

	if (!axis->tight || !(scale->high > scale->low) ||
	    (scale->kind == SCALE_LOG && !(scale->low > 0)))
		scale_widen(scale, &axis->unit, ticks_wanted(axis, canvas, length));
	choose_ticks(axis, canvas, length);
}

void axis_match(struct axis *axis, const struct axis *other, const struct canvas *canvas,
		double length)
{
	if (axis->tight || other->tight || axis->scale.kind || other->scale.kind)
		return;
	scale_match(&axis->scale, &other->scale, &axis->unit);
	choose_ticks(axis, canvas, length);
}

/* "send buffer (KiB)" */
static bool format_title(const struct axis *axis, char *text, size_t room)
{
	const char *unit = axis->ticks.unit;

	if (axis->title && *unit)
		(void)snprintf(text, room, "%s (%s)", axis->title, unit);
	else
		(void)snprintf(text, room, "%s", axis->title ? axis->title : unit);
	return *text;
}

bool axis_has_title(const struct axis *axis)
{
	char title[TITLE_BYTES];

	return format_title(axis, title, sizeof(title));
}

/* Pixels between the plot and the labels: the ticks; on a terminal the axis itself is a character. */
static double outside(const struct axis *axis, const struct canvas *canvas)
{
	if (canvas->coarse)
		return axis->side == AXIS_BOTTOM ? canvas->line_height : canvas->line_height / 2;
	return axis->side == AXIS_BOTTOM ? TICK_LENGTH : TICK_LENGTH + LABEL_GAP;
}

double axis_room(const struct axis *axis, const struct canvas *canvas)
{
	char title[TITLE_BYTES];
	double room = outside(axis, canvas);

	if (axis->bare)
		return ceil(room);
	if (axis->side == AXIS_BOTTOM) {
		room += axis->ticks.count ? canvas->line_height : 0;
		return room + (format_title(axis, title, sizeof(title)) ? canvas->line_height : 0);
	}
	room += widest_label(axis, canvas);
	if (canvas->coarse)
		return room;
	if (format_title(axis, title, sizeof(title)))
		room += TITLE_GAP + font_size(FONT_LABEL);
	return fmax(ceil(room), axis->room);
}

void axis_place(struct axis *axis, const struct canvas *canvas, const struct canvas_rect *area)
{
	if (axis->side == AXIS_BOTTOM) {
		axis->scale.from = area->x;
		axis->scale.to = area->x + area->width;
		choose_ticks(axis, canvas, area->width);
	} else {
		axis->scale.from = area->y + area->height;
		axis->scale.to = area->y;
		choose_ticks(axis, canvas, area->height);
	}
}

void axis_draw_grid(const struct axis *axis, struct canvas *canvas, const struct canvas_rect *area)
{
	if (!axis->grid || canvas->coarse)
		return;
	for (size_t i = 0; i < axis->ticks.count; i++) {
		double at = sharp(scale_at(&axis->scale, axis->ticks.ticks[i].value));

		if (axis->ticks.ticks[i].minor)
			continue;
		if (axis->side == AXIS_BOTTOM) {
			canvas_move(canvas, at, area->y);
			canvas_line(canvas, at, area->y + area->height);
		} else {
			canvas_move(canvas, area->x, at);
			canvas_line(canvas, area->x + area->width, at);
		}
	}
	canvas_stroke(canvas, &grid_pen);
}

/*
 * Upright text beside a plot that is lower begins at the plot's top, so as not to lie on the text
 * above, and continues below its end, for a line; if that is too little, the unit has to do.
 */
static void draw_upright(const struct axis *axis, struct canvas *canvas,
			 const struct canvas_rect *area, double x, const char *title,
			 const struct text_style *style)
{
	double room = area->height + canvas->line_height, over;
	char fitted[CANVAS_FIT_BYTES];

	if (canvas_text_width(canvas, title, FONT_LABEL) > room && *axis->ticks.unit)
		title = axis->ticks.unit;
	title = canvas_fit_text(canvas, title, FONT_LABEL, room, fitted);
	over = canvas_text_width(canvas, title, FONT_LABEL) - area->height;
	canvas_text(canvas, x, area->y + area->height / 2 + fmax(over, 0) / 2, title, style);
}

static void draw_title(const struct axis *axis, struct canvas *canvas,
		       const struct canvas_rect *area)
{
	struct text_style style = {FONT_LABEL, axis->ink ? axis->ink : INK_TEXT, TEXT_MIDDLE,
				   false};
	double half = font_size(FONT_LABEL) / 2, room = axis_room(axis, canvas);
	char title[TITLE_BYTES];

	if (!format_title(axis, title, sizeof(title)))
		return;
	if (axis->side == AXIS_BOTTOM) {
		canvas_text(canvas, area->x + area->width / 2,
			    area->y + area->height + room - canvas->line_height / 2, title, &style);
		return;
	}
	if (canvas->coarse) { /* upright text is for paper: it stands above the axis */
		bool left = axis->side == AXIS_LEFT;

		style.anchor = left ? TEXT_START : TEXT_END;
		canvas_text(canvas, left ? area->x - room : area->x + area->width + room,
			    area->y - canvas->line_height / 2, title, &style);
		return;
	}
	style.upwards = true;
	draw_upright(axis, canvas, area,
		     axis->side == AXIS_LEFT ? area->x - room + half :
					       area->x + area->width + room - half,
		     title, &style);
}

/* Where the line of the axis is: beside the plot, on a terminal in the middle of a character. */
static double line_at(const struct axis *axis, const struct canvas *canvas,
		      const struct canvas_rect *area)
{
	double away = canvas->coarse ? outside(axis, canvas) / 2 : 0;

	switch (axis->side) {
	case AXIS_LEFT:
		return sharp(area->x) - away;
	case AXIS_RIGHT:
		return sharp(area->x + area->width) + away;
	default:
		return sharp(area->y + area->height) + away;
	}
}

static void draw_label(const struct axis *axis, struct canvas *canvas,
		       const struct canvas_rect *area, const struct tick *tick)
{
	double at = scale_at(&axis->scale, tick->value), away = outside(axis, canvas);
	double half = canvas_text_width(canvas, tick->label, FONT_TICK) / 2;
	struct text_style style = {FONT_TICK, INK_FAINT, TEXT_MIDDLE, false};

	switch (axis->side) {
	case AXIS_LEFT:
		style.anchor = TEXT_END;
		canvas_text(canvas, area->x - away, at, tick->label, &style);
		return;
	case AXIS_RIGHT:
		style.anchor = TEXT_START;
		canvas_text(canvas, area->x + area->width + away, at, tick->label, &style);
		return;
	default:
		canvas_text(canvas, fmin(at, canvas->width - half),
			    area->y + area->height + away + canvas->line_height / 2, tick->label,
			    &style);
	}
}

static void draw_tick(const struct axis *axis, struct canvas *canvas,
		      const struct canvas_rect *area, const struct tick *tick)
{
	double at = sharp(scale_at(&axis->scale, tick->value)), line = line_at(axis, canvas, area);
	double length = tick->minor ? TICK_MINOR : TICK_LENGTH;

	if (canvas->coarse && (tick->minor || axis->bare))
		return;
	if (axis->side == AXIS_BOTTOM) {
		length = canvas->coarse ? canvas->line_height / 2 : length;
		canvas_move(canvas, at, line);
		canvas_line(canvas, at, line + length);
	} else {
		length = axis->side == AXIS_LEFT ? -length : length;
		canvas_move(canvas, line, at);
		canvas_line(canvas, line + length, at);
	}
}

static void draw_line(const struct axis *axis, struct canvas *canvas,
		      const struct canvas_rect *area)
{
	double line = line_at(axis, canvas, area);
	/* Axes meet in the middle of a character. */
	double over = canvas->coarse ? canvas->line_height / 4 : 0;

	if (axis->side == AXIS_BOTTOM)
		canvas_rule(canvas, area->x - over, line, area->x + area->width, line, &axis_pen);
	else
		canvas_rule(canvas, line, area->y, line, area->y + area->height + 2 * over,
			    &axis_pen);
}

void axis_draw(const struct axis *axis, struct canvas *canvas, const struct canvas_rect *area)
{
	for (size_t i = 0; i < axis->ticks.count; i++)
		draw_tick(axis, canvas, area, &axis->ticks.ticks[i]);
	canvas_stroke(canvas, &axis_pen);
	for (size_t i = 0; i < axis->ticks.count && !axis->bare; i++)
		if (!axis->ticks.ticks[i].minor)
			draw_label(axis, canvas, area, &axis->ticks.ticks[i]);
	draw_line(axis, canvas, area);
	if (!axis->bare)
		draw_title(axis, canvas, area);
}
