// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas_cells.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "graph/canvas.h"

static struct buffer out;

static struct canvas *begin(int columns, int rows, bool ascii, bool colour)
{
	const struct canvas_page page = {.width = columns * CELL_WIDTH,
					 .height = rows * CELL_HEIGHT};
	struct canvas *canvas;

	buffer_init(&out);
	canvas = canvas_cells_new(&page, &(struct cells_style){ascii, colour}, &out);
	assert_non_null(canvas);
	return canvas;
}

static void ends_as(struct canvas *canvas, const char *expected)
{
	assert_int_equal(canvas_end(canvas), 0);
	canvas_free(canvas);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buffer_fini(&out);
}

static const struct pen series = {.ink = INK_SERIES, .width = 1};
static const struct pen axis = {.ink = INK_AXIS, .width = 1};

static void draw_diagonal(struct canvas *canvas)
{
	canvas_move(canvas, 0, 0);
	canvas_line(canvas, 31, 31);
	canvas_stroke(canvas, &series);
}

static void a_line_is_dots(void **state)
{
	struct canvas *canvas = begin(4, 2, false, false);

	(void)state;
	draw_diagonal(canvas);
	ends_as(canvas, "\u2811\u2884\n  \u2811\u2884\n");
}

static void without_utf8_it_is_marks(void **state)
{
	struct canvas *canvas = begin(4, 2, true, false);

	(void)state;
	draw_diagonal(canvas);
	canvas_text(canvas, 0, 24, "\u00b5", &(struct text_style){.ink = INK_TEXT});
	ends_as(canvas, "**\nu **\n");
}

static void axes_meet(void **state)
{
	struct canvas *canvas = begin(5, 3, false, false);

	(void)state;
	canvas_rule(canvas, 4, 0, 4, 40, &axis);
	canvas_rule(canvas, 4, 40, 40, 40, &axis);
	canvas_rule(canvas, 4, 8, 0, 8, &axis);
	ends_as(canvas, "\u2524\n\u2502\n\u2514\u2500\u2500\u2500\u2500\n");
}

static void text_is_placed_by_its_anchor(void **state)
{
	struct text_style style = {.ink = INK_TEXT, .anchor = TEXT_END};
	struct canvas *canvas = begin(8, 3, false, false);

	(void)state;
	canvas_text(canvas, 64, 8, "end", &style);
	style.anchor = TEXT_MIDDLE;
	canvas_text(canvas, 32, 24, "mi\x07\xff", &style);
	style.anchor = TEXT_START;
	canvas_text(canvas, 48, 40, "cut off", &style);
	ends_as(canvas, "     end\n  mi\ufffd\ufffd\n      cu\n");
}

static void what_is_clipped_does_not_show(void **state)
{
	struct canvas *canvas = begin(4, 2, true, false);

	(void)state;
	canvas_clip(canvas, &(struct canvas_rect){0, 0, 8, 16});
	draw_diagonal(canvas);
	canvas_unclip(canvas);
	ends_as(canvas, "*\n\n");
}

static void areas_are_filled_by_how_dark_they_are(void **state)
{
	struct canvas *canvas = begin(4, 1, true, false);

	(void)state;
	canvas_rect(canvas, &(struct canvas_rect){0, 0, 16, 16});
	canvas_fill(canvas, palette_ramp(0), 1);
	canvas_rect(canvas, &(struct canvas_rect){16, 0, 16, 16});
	canvas_fill(canvas, palette_ramp(1), 1);
	ends_as(canvas, "..@@\n");
}

static void colours_end_with_the_line(void **state)
{
	struct canvas *canvas = begin(2, 1, true, true);

	(void)state;
	canvas_rule(canvas, 0, 8, 7, 8, &series);
	canvas_text(canvas, 8, 8, "x", &(struct text_style){.ink = INK_TEXT});
	ends_as(canvas, "\033[38;5;32m*\033[0mx\n");
}

static void what_is_far_off_ends(void **state)
{
	struct canvas *canvas = begin(2, 1, true, false);

	(void)state;
	canvas_move(canvas, -INFINITY, NAN);
	canvas_line(canvas, 1e300, 8);
	canvas_stroke(canvas, &series);
	assert_int_equal(canvas_end(canvas), 0);
	canvas_free(canvas);
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_dots),
		cmocka_unit_test(without_utf8_it_is_marks),
		cmocka_unit_test(axes_meet),
		cmocka_unit_test(text_is_placed_by_its_anchor),
		cmocka_unit_test(what_is_clipped_does_not_show),
		cmocka_unit_test(areas_are_filled_by_how_dark_they_are),
		cmocka_unit_test(colours_end_with_the_line),
		cmocka_unit_test(what_is_far_off_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
