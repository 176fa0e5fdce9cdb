// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas_cairo.h"

#include <cairo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "graph/canvas.h"

static struct buffer out;
static size_t read_bytes;

/* Paper, a filled square in one corner, a line across, and a text that is not UTF-8. */
static void draw(struct canvas *canvas)
{
	assert_non_null(canvas);
	canvas_rect(canvas, &(struct canvas_rect){0, 0, 100, 60});
	canvas_fill(canvas, INK_PAPER, 1);
	canvas_rect(canvas, &(struct canvas_rect){0, 0, 20, 20});
	canvas_fill(canvas, INK_SERIES, 1);
	canvas_clip(canvas, &(struct canvas_rect){0, 0, 50, 60});
	canvas_rule(canvas, 0, 40, 100, 40, &(struct pen){.ink = INK_ALERT, .width = 4});
	canvas_unclip(canvas);
	canvas_text(canvas, 50, 10, "\xff\x01 text",
		    &(struct text_style){FONT_TICK, INK_TEXT, TEXT_MIDDLE, false});
	assert_int_equal(canvas_end(canvas), 0);
	canvas_free(canvas);
}

static cairo_status_t read_out(void *ctx, unsigned char *bytes, unsigned int len)
{
	(void)ctx;
	if (read_bytes + len > out.len)
		return CAIRO_STATUS_READ_ERROR;
	memcpy(bytes, out.data + read_bytes, len);
	read_bytes += len;
	return CAIRO_STATUS_SUCCESS;
}

/* Of the page, not of the picture. */
static uint32_t pixel(cairo_surface_t *surface, int x, int y)
{
	const unsigned char *row = cairo_image_surface_get_data(surface) +
				   y * CANVAS_PNG_SCALE * cairo_image_surface_get_stride(surface);
	uint32_t value;

	memcpy(&value, row + x * CANVAS_PNG_SCALE * 4, sizeof(value));
	return value & 0xffffff;
}

static void check_png(enum theme theme)
{
	const struct canvas_page page = {100, 60, "title", "text", theme};
	bool dark = theme == THEME_DARK;
	cairo_surface_t *surface;

	buffer_init(&out);
	read_bytes = 0;
	draw(canvas_png_new(&page, &out));
	surface = cairo_image_surface_create_from_png_stream(read_out, NULL);
	assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
	assert_int_equal(cairo_image_surface_get_width(surface), 100 * CANVAS_PNG_SCALE);
	assert_int_equal(cairo_image_surface_get_height(surface), 60 * CANVAS_PNG_SCALE);
	assert_int_equal(pixel(surface, 10, 10), palette_rgb(INK_SERIES, dark));
	assert_int_equal(pixel(surface, 90, 50), palette_rgb(INK_PAPER, dark));
	assert_int_equal(pixel(surface, 25, 40), palette_rgb(INK_ALERT, dark));
	assert_int_equal(pixel(surface, 75, 40), palette_rgb(INK_PAPER, dark)); /* clipped */
	cairo_surface_destroy(surface);
	buffer_fini(&out);
}

static void a_png_has_what_was_drawn(void **state)
{
	(void)state;
	check_png(THEME_AUTO);
	check_png(THEME_DARK);
}

static void a_pdf_is_one(void **state)
{
	const struct canvas_page page = {100, 60, "\xff title", NULL, THEME_LIGHT};

	(void)state;
	buffer_init(&out);
	draw(canvas_pdf_new(&page, &out));
	assert_true(out.len > 500);
	assert_memory_equal(out.data, "%PDF-1.", 7);
	assert_non_null(memmem(out.data, out.len, "/MediaBox [ 0 0 100 60 ]", 24));
	assert_non_null(memmem(out.data, out.len, "%%EOF", 5));
	buffer_fini(&out);
}

static void what_is_too_large_is_refused(void **state)
{
	const struct canvas_page page = {.width = 1e6, .height = 1e6};

	(void)state;
	buffer_init(&out);
	assert_null(canvas_png_new(&page, &out));
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_png_has_what_was_drawn),
		cmocka_unit_test(a_pdf_is_one),
		cmocka_unit_test(what_is_too_large_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
