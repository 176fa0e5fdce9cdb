// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas_svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "graph/canvas.h"

static struct buffer out;

static struct canvas *begin(enum theme theme)
{
	const struct canvas_page page = {200, 100, "a & b", "c < d", theme};
	struct canvas *canvas;

	buffer_init(&out);
	canvas = canvas_svg_new(&page, &out);
	assert_non_null(canvas);
	return canvas;
}

static const char *end(struct canvas *canvas)
{
	assert_int_equal(canvas_end(canvas), 0);
	canvas_free(canvas);
	buffer_char(&out, '\0');
	assert_non_null(out.data);
	return out.data;
}

static void has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text ? text : "nothing");
}

static void a_path_is_relative_and_short(void **state)
{
	struct canvas *canvas = begin(THEME_LIGHT);

	(void)state;
	canvas_move(canvas, 10, 10.04);
	canvas_line(canvas, 10.5, 9);
	canvas_line(canvas, 20, 9);
	canvas_line(canvas, 20, 30);
	canvas_line(canvas, 20.26, 30.26);
	canvas_move(canvas, 1, 1);
	canvas_line(canvas, 2, 0.5);
	canvas_close(canvas);
	canvas_stroke(canvas, &(struct pen){.ink = INK_SERIES, .width = 1.5, .dash = DASH_LONG});
	has(end(canvas), "<path class=\"s6\" stroke-width=\"1.5\" stroke-dasharray=\"7 3\" "
			 "d=\"m10 10 .5-1h9.5v21l.3 .3m-19.3-29.3 1-.5z\"/>");
	buffer_fini(&out);
}

/* A thousand steps of a third of a pixel end where they should, to a tenth. */
static void rounding_does_not_add_up(void **state)
{
	struct canvas *canvas = begin(THEME_LIGHT);
	double x = 0, y = 0, dx, dy;
	const char *p;
	int used;

	(void)state;
	canvas_move(canvas, 0, 0);
	for (int i = 1; i <= 1000; i++)
		canvas_line(canvas, i / 3.0, i % 2 ? 1 : 0.31);
	canvas_stroke(canvas, &(struct pen){.ink = INK_SERIES, .width = 1});
	p = strstr(end(canvas), "d=\"m0 0") + strlen("d=\"m0 0");
	while (sscanf(p, " %lf %lf%n", &dx, &dy, &used) == 2) {
		x += dx;
		y += dy;
		p += used;
	}
	assert_true(*p == '"');
	assert_true(fabs(x - 1000 / 3.0) < 0.06 && fabs(y - 0.31) < 0.06);
	buffer_fini(&out);
}

static void texts_are_escaped(void **state)
{
	struct canvas *canvas = begin(THEME_AUTO);
	const char *text;

	(void)state;
	canvas_group(canvas, "\"x\" > <y>");
	canvas_text(canvas, 5, 5, "<script>\x01\xff & \u00b5s",
		    &(struct text_style){FONT_TICK, INK_TEXT, TEXT_END, true});
	canvas_ungroup(canvas);
	text = end(canvas);
	has(text, "<title>a &amp; b</title>");
	has(text, "<desc>c &lt; d</desc>");
	has(text, "<title>&quot;x&quot; &gt; &lt;y&gt;</title>");
	has(text,
	    "text-anchor=\"end\" transform=\"rotate(-90 9 5)\">&lt;script&gt;\ufffd\ufffd &amp; "
	    "\u00b5s</text>");
	buffer_fini(&out);
}

static const char *page_of(enum theme theme)
{
	struct canvas *canvas = begin(theme);

	canvas_rect(canvas, &(struct canvas_rect){0, 0, 200, 100});
	canvas_fill(canvas, INK_PAPER, 1);
	return end(canvas);
}

/* Only the inks that are used, and the reader's choice only where it is asked for. */
static void the_theme_is_in_the_style_sheet(void **state)
{
	const char *text = page_of(THEME_LIGHT);

	(void)state;
	has(text, ".f0{fill:#ffffff}");
	assert_null(strstr(text, "prefers-color-scheme"));
	assert_null(strstr(text, ".f1{"));
	buffer_fini(&out);
	text = page_of(THEME_DARK);
	has(text, ".f0{fill:#14171b}");
	assert_null(strstr(text, "#ffffff"));
	buffer_fini(&out);
	text = page_of(THEME_AUTO);
	has(text, ".f0{fill:#ffffff}\n@media (prefers-color-scheme:dark){\n.f0{fill:#14171b}\n}");
	buffer_fini(&out);
}

static void what_is_far_off_or_no_number_is_written_as_a_number(void **state)
{
	struct canvas *canvas = begin(THEME_LIGHT);

	(void)state;
	canvas_move(canvas, -1e300, NAN);
	canvas_line(canvas, INFINITY, 1e9);
	canvas_stroke(canvas, &(struct pen){.ink = INK_SERIES, .width = 1});
	has(end(canvas), "d=\"m-1000000-1000000 2000000 2000000\"");
	buffer_fini(&out);
}

static void a_clip_is_a_picture_within(void **state)
{
	struct canvas *canvas = begin(THEME_LIGHT);

	(void)state;
	canvas_clip(canvas, &(struct canvas_rect){10.5, 20, 30, 40});
	canvas_unclip(canvas);
	has(end(canvas), "<svg x=\"10.5\" y=\"20\" width=\"30\" height=\"40\" "
			 "viewBox=\"10.5 20 30 40\">\n</svg>\n</svg>\n");
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_relative_and_short),
		cmocka_unit_test(rounding_does_not_add_up),
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(the_theme_is_in_the_style_sheet),
		cmocka_unit_test(what_is_far_off_or_no_number_is_written_as_a_number),
		cmocka_unit_test(a_clip_is_a_picture_within),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
