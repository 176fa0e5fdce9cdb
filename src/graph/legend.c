// SPDX-License-Identifier: BSD-2-Clause
#include "graph/legend.h"

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
