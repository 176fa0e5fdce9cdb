/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas_svg: pictures as SVG 1.1 with a style sheet, which every browser shows and no fonts, scripts
 * or other files are needed for. Coordinates are relative and in tenths of a pixel.
 */
#ifndef SONDE_GRAPH_CANVAS_SVG_H
#define SONDE_GRAPH_CANVAS_SVG_H

struct buffer;
struct canvas;
struct canvas_page;

/* NULL: no memory. Borrows @out, which has the file behind canvas_end. */
struct canvas *canvas_svg_new(const struct canvas_page *page, struct buffer *out);

/* @text as the content of an element; what XML cannot hold becomes U+FFFD. */
void canvas_svg_escape(struct buffer *out, const char *text);

#endif /* SONDE_GRAPH_CANVAS_SVG_H */
