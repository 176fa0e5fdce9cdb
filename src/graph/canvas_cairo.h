/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas_cairo: pictures as PNG and PDF. In a PNG a pixel of the page is two of the picture, each way, for
 * screens and printers that show so many; a page of PDF has as many points as pixels.
 */
#ifndef SONDE_GRAPH_CANVAS_CAIRO_H
#define SONDE_GRAPH_CANVAS_CAIRO_H

#define CANVAS_PNG_SCALE 2

struct buffer;
struct canvas;
struct canvas_page;

/* NULL: no memory, or larger than cairo can. Borrow @out, which has the file behind canvas_end. */
struct canvas *canvas_png_new(const struct canvas_page *page, struct buffer *out);
struct canvas *canvas_pdf_new(const struct canvas_page *page, struct buffer *out);

#endif /* SONDE_GRAPH_CANVAS_CAIRO_H */
