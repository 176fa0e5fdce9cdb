/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * picture: what a picture is asked to be: its format, size, theme. Makes the canvas for it.
 */
#ifndef SONDE_GRAPH_PICTURE_H
#define SONDE_GRAPH_PICTURE_H

#include <stdbool.h>

#include "graph/canvas.h"

struct buffer;
struct diag;

#define PICTURE_WIDTH 720.0 /* default */
#define PICTURE_HEIGHT 420.0
#define PICTURE_SIDE_MAX 8192.0 /* pixels */

enum picture_format {
	PICTURE_SVG,
	PICTURE_PNG,
	PICTURE_PDF,
	PICTURE_TEXT,
	PICTURE_FORMATS,
};

struct picture {
	enum picture_format format;
	double width, height; /* pixels; of text: columns and rows */
	bool has_height; /* it was asked for: else pictures of several plots are higher */
	bool has_width; /* likewise: else flame graphs are wider */
	enum theme theme;
	bool ascii, colour; /* of text */
	const char *title; /* borrowed; NULL = the chart's own */
};

const char *picture_format_name(enum picture_format format);
/* -EINVAL: no format has that name. */
int picture_format_parse(const char *name, enum picture_format *ret);
/* By the end of a file's name: -EINVAL where that says nothing. */
int picture_format_of(const char *path, enum picture_format *ret);
/* "800x500": -EINVAL, with the diag, if it is not a size, or too large. */
int picture_parse_size(const char *text, double *width, double *height, struct diag *diag);

/* NULL: no memory. @title and @text are for readers that cannot see it. Borrows @out. */
struct canvas *picture_canvas(const struct picture *picture, const char *title, const char *text,
			      struct buffer *out);

#endif /* SONDE_GRAPH_PICTURE_H */
