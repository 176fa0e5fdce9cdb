// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas_cairo.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "graph/canvas.h"

#define TEXT_MAX_BYTES 1024u /* of one line; more would leave any page */

static const double dash_long[] = {7, 3}, dash_short[] = {2, 2.5}, dash_mixed[] = {7, 2.5, 2, 2.5};

struct dash_pattern {
	const double *lengths;
	int count;
};

static const struct dash_pattern dashes[DASH_COUNT] = {
	[DASH_LONG] = {dash_long, 2},
	[DASH_SHORT] = {dash_short, 2},
	[DASH_MIXED] = {dash_mixed, 4},
};

struct canvas_cairo {
	struct canvas canvas; /* first: the vtable's functions get this */
	struct buffer *out;
	cairo_surface_t *surface;
	cairo_t *cr;
	bool png;
	bool dark;
};

static cairo_t *cr_of(struct canvas *canvas)
{
	return ((struct canvas_cairo *)canvas)->cr;
}

static void set_ink(struct canvas *canvas, enum ink ink, double opacity)
{
	uint32_t rgb = palette_rgb(ink, ((struct canvas_cairo *)canvas)->dark);

	cairo_set_source_rgba(cr_of(canvas), (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
			      (rgb & 255) / 255.0, opacity > 0 ? opacity : 1);
}

static void cairo_canvas_move(struct canvas *canvas, double x, double y)
{
	cairo_move_to(cr_of(canvas), x, y);
}

static void cairo_canvas_line(struct canvas *canvas, double x, double y)
{
	cairo_line_to(cr_of(canvas), x, y);
}

static void cairo_canvas_close(struct canvas *canvas)
{
	cairo_close_path(cr_of(canvas));
}

static void cairo_canvas_stroke(struct canvas *canvas, const struct pen *pen)
{
	cairo_t *cr = cr_of(canvas);

	set_ink(canvas, pen->ink, pen->opacity);
	cairo_set_line_width(cr, pen->width);
	cairo_set_line_cap(cr, pen->round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
	cairo_set_dash(cr, dashes[pen->dash].lengths, dashes[pen->dash].count, 0);
	cairo_stroke(cr);
}

static void cairo_canvas_fill(struct canvas *canvas, enum ink ink, double opacity)
{
	set_ink(canvas, ink, opacity);
	cairo_fill(cr_of(canvas));
}

/* Cairo stops for good at what is not UTF-8. */
static void clean(const char *text, char *to)
{
	char *end = to + TEXT_MAX_BYTES - UTF8_BYTES;
	uint32_t character;

	while (to < end && (character = utf8_next(&text)))
		to = utf8_put(to, character);
	*to = '\0';
}

static void set_font(cairo_t *cr, enum font font)
{
	cairo_select_font_face(cr, "Helvetica", CAIRO_FONT_SLANT_NORMAL,
			       font_is_bold(font) ? CAIRO_FONT_WEIGHT_BOLD :
						    CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, font_size(font));
}

static void cairo_canvas_text(struct canvas *canvas, double x, double y, const char *text,
			      const struct text_style *style)
{
	cairo_t *cr = cr_of(canvas);
	double base = font_size(style->font) * 0.36;
	char safe[TEXT_MAX_BYTES];
	cairo_text_extents_t extents;

	clean(text, safe);
	cairo_save(cr);
	set_font(cr, style->font);
	set_ink(canvas, style->ink, 1);
	cairo_text_extents(cr, safe, &extents);
	cairo_translate(cr, x, y);
	if (style->upwards)
		cairo_rotate(cr, -1.5707963267948966);
	cairo_move_to(cr, -extents.x_advance * (int)style->anchor / (int)TEXT_END, base);
	cairo_show_text(cr, safe);
	cairo_new_path(cr);
	cairo_restore(cr);
}

static double cairo_canvas_text_width(const struct canvas *canvas, const char *text, enum font font)
{
	(void)canvas;
	return font_width(text, font);
}

static void cairo_canvas_clip(struct canvas *canvas, const struct canvas_rect *rect)
{
	cairo_t *cr = cr_of(canvas);

	cairo_save(cr);
	cairo_rectangle(cr, rect->x, rect->y, rect->width, rect->height);
	cairo_clip(cr);
}

static void cairo_canvas_unclip(struct canvas *canvas)
{
	cairo_restore(cr_of(canvas));
}

/* Neither format shows titles of parts. */
static void cairo_canvas_group(struct canvas *canvas, const char *title)
{
	(void)canvas;
	(void)title;
}

static void cairo_canvas_ungroup(struct canvas *canvas)
{
	(void)canvas;
}

static cairo_status_t append(void *ctx, const unsigned char *bytes, unsigned int len)
{
	struct buffer *out = ctx;

	buffer_append(out, bytes, len);
	return buffer_error(out) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static int cairo_canvas_end(struct canvas *canvas)
{
	struct canvas_cairo *cc = (struct canvas_cairo *)canvas;
	cairo_status_t status = cairo_status(cc->cr);

	if (!status && cc->png)
		status = cairo_surface_write_to_png_stream(cc->surface, append, cc->out);
	if (!status && !cc->png) {
		cairo_show_page(cc->cr);
		cairo_surface_finish(cc->surface);
		status = cairo_surface_status(cc->surface);
	}
	return status ? -ENOMEM : 0;
}

static void cairo_canvas_free(struct canvas *canvas)
{
	struct canvas_cairo *cc = (struct canvas_cairo *)canvas;

	cairo_destroy(cc->cr);
	cairo_surface_destroy(cc->surface);
	free(cc);
}

static const struct canvas_ops cairo_ops = {
	.move = cairo_canvas_move,
	.line = cairo_canvas_line,
	.close = cairo_canvas_close,
	.stroke = cairo_canvas_stroke,
	.fill = cairo_canvas_fill,
	.text = cairo_canvas_text,
	.text_width = cairo_canvas_text_width,
	.clip = cairo_canvas_clip,
	.unclip = cairo_canvas_unclip,
	.group = cairo_canvas_group,
	.ungroup = cairo_canvas_ungroup,
	.end = cairo_canvas_end,
	.free = cairo_canvas_free,
};

static struct canvas *new_canvas(const struct canvas_page *page, struct buffer *out,
				 cairo_surface_t *surface, bool png)
{
	struct canvas_cairo *cc = calloc(1, sizeof(*cc));

	if (!cc || cairo_surface_status(surface)) {
		cairo_surface_destroy(surface);
		free(cc);
		return NULL;
	}
	*cc = (struct canvas_cairo){
		.canvas = {.ops = &cairo_ops,
			   .width = page->width,
			   .height = page->height,
			   .pitch = png ? 1.0 / CANVAS_PNG_SCALE : 0.5,
			   .line_height = 18},
		.out = out,
		.surface = surface,
		.cr = cairo_create(surface),
		.png = png,
		.dark = page->theme == THEME_DARK,
	};
	cairo_set_line_join(cc->cr, CAIRO_LINE_JOIN_ROUND);
	return &cc->canvas;
}

struct canvas *canvas_png_new(const struct canvas_page *page, struct buffer *out)
{
	int width = (int)(page->width * CANVAS_PNG_SCALE);
	int height = (int)(page->height * CANVAS_PNG_SCALE);
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);

	cairo_surface_set_device_scale(surface, CANVAS_PNG_SCALE, CANVAS_PNG_SCALE);
	return new_canvas(page, out, surface, true);
}

struct canvas *canvas_pdf_new(const struct canvas_page *page, struct buffer *out)
{
	cairo_surface_t *surface =
		cairo_pdf_surface_create_for_stream(append, out, page->width, page->height);
	char title[TEXT_MAX_BYTES];

	if (page->title) {
		clean(page->title, title);
		cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
	}
	return new_canvas(page, out, surface, false);
}
