// SPDX-License-Identifier: BSD-2-Clause
#include "graph/canvas.h"

#include <string.h>

#include "base/utf8.h"

#define DOTS "\u2026"

void canvas_rect(struct canvas *canvas, const struct canvas_rect *rect)
{
	canvas_move(canvas, rect->x, rect->y);
	canvas_line(canvas, rect->x + rect->width, rect->y);
	canvas_line(canvas, rect->x + rect->width, rect->y + rect->height);
	canvas_line(canvas, rect->x, rect->y + rect->height);
	canvas_close(canvas);
}

void canvas_dot(struct canvas *canvas, double x, double y)
{
	canvas_move(canvas, x, y);
	canvas_line(canvas, x, y);
}

void canvas_rule(struct canvas *canvas, double x1, double y1, double x2, double y2,
		 const struct pen *pen)
{
	canvas_move(canvas, x1, y1);
	canvas_line(canvas, x2, y2);
	canvas_stroke(canvas, pen);
}

const char *canvas_fit_text(const struct canvas *canvas, const char *text, enum font font,
			    double width, char to[CANVAS_FIT_BYTES])
{
	const char *at = text;
	size_t fits = 0, len = 0; /* up to where there is room for the dots, too */

	if (strlen(text) < CANVAS_FIT_BYTES && canvas_text_width(canvas, text, font) <= width)
		return strcpy(to, text);
	while (*at && len < CANVAS_FIT_BYTES - UTF8_BYTES - sizeof(DOTS)) {
		len = (size_t)(utf8_put(to + len, utf8_next(&at)) - to);
		(void)strcpy(to + len, DOTS);
		if (canvas_text_width(canvas, to, font) > width)
			break;
		fits = len;
	}
	(void)strcpy(to + fits, DOTS);
	return to;
}
