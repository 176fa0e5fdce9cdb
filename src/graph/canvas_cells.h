/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas_cells: pictures of characters, for terminals. A character is 8 by 16 pixels; in each are 2 by 4
 * braille dots, or one mark where there is but ASCII.
 */
#ifndef SONDE_GRAPH_CANVAS_CELLS_H
#define SONDE_GRAPH_CANVAS_CELLS_H

#include <stdbool.h>

#define CELL_WIDTH 8.0
#define CELL_HEIGHT 16.0

struct buffer;
struct canvas;
struct canvas_page;

struct cells_style {
	bool ascii; /* else UTF-8 */
	bool colour; /* by escape sequences */
};

/* NULL: no memory. The page's size is in pixels: a multiple of the above. Borrows @out, which has
 * the lines behind canvas_end. */
struct canvas *canvas_cells_new(const struct canvas_page *page, const struct cells_style *style,
				struct buffer *out);

#endif /* SONDE_GRAPH_CANVAS_CELLS_H */
