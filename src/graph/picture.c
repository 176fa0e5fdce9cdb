// SPDX-License-Identifier: BSD-2-Clause
#include "graph/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "graph/canvas_cairo.h"
#include "graph/canvas_cells.h"
#include "graph/canvas_svg.h"

#define SIDE_MIN 80.0

static const char *const format_names[PICTURE_FORMATS] = {"svg", "png", "pdf", "text"};

const char *picture_format_name(enum picture_format format)
{
	return format_names[format];
}

int picture_format_parse(const char *name, enum picture_format *ret)
{
	for (size_t i = 0; i < PICTURE_FORMATS; i++) {
		if (!strcasecmp(name, format_names[i])) {
			*ret = (enum picture_format)i;
			return 0;
		}
	}
	return -EINVAL;
}

int picture_format_of(const char *path, enum picture_format *ret)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strchr(dot, '/'))
		return -EINVAL;
	if (!strcasecmp(dot, ".txt")) {
		*ret = PICTURE_TEXT;
		return 0;
	}
	return picture_format_parse(dot + 1, ret);
}

/* Digits alone: strtod knows much more. */
static const char *parse_side(const char *text, double *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	*ret = (double)strtoul(text, &end, 10);
	return end;
}

int picture_parse_size(const char *text, double *width, double *height, struct diag *diag)
{
	double w = 0, h = 0;
	const char *end = parse_side(text, &w);

	if (end && *end == 'x')
		end = parse_side(end + 1, &h);
	else
		end = NULL;
	if (!end || *end)
		return diag_set(diag, -EINVAL, "'%s' is not a size: give one as 800x500, in pixels",
				text);
	if (w < SIDE_MIN || h < SIDE_MIN || w > PICTURE_SIDE_MAX || h > PICTURE_SIDE_MAX)
		return diag_set(diag, -EINVAL, "'%s': a side has from %g to %g pixels", text,
				SIDE_MIN, PICTURE_SIDE_MAX);
	*width = w;
	*height = h;
	return 0;
}

struct canvas *picture_canvas(const struct picture *picture, const char *title, const char *text,
			      struct buffer *out)
{
	struct canvas_page page = {picture->width, picture->height, title, text, picture->theme};
	struct cells_style style = {picture->ascii, picture->colour};

	switch (picture->format) {
	case PICTURE_PNG:
		return canvas_png_new(&page, out);
	case PICTURE_PDF:
		return canvas_pdf_new(&page, out);
	case PICTURE_TEXT:
		page.width *= CELL_WIDTH;
		page.height *= CELL_HEIGHT;
		return canvas_cells_new(&page, &style, out);
	default:
		return canvas_svg_new(&page, out);
	}
}
