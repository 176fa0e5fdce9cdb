/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * font: the few kinds of text that pictures have, and how much room they take.
 *
 * Nobody knows which font a reader of an SVG has. So layouts reckon with DejaVu Sans, which is wider
 * than the others that may come, and they are the same in every format.
 */
#ifndef SONDE_GRAPH_FONT_H
#define SONDE_GRAPH_FONT_H

#include <stdbool.h>

enum font {
	FONT_TITLE,
	FONT_LABEL, /* of axes, series */
	FONT_TICK,
	FONT_NOTE, /* captions */
	FONT_COUNT,
};

/* Pixels from one line to the next, were they set solid. */
double font_size(enum font font);
bool font_is_bold(enum font font);
/* Pixels that @text, UTF-8, takes at most. */
double font_width(const char *text, enum font font);

#endif /* SONDE_GRAPH_FONT_H */
