/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * palette: the colours of pictures, on light and on dark paper. What draws names an ink; only
 * canvases ask what colour that is.
 *
 * Series differ also for readers that do not see all colours: the hues are those of Okabe and Ito
 * (2008), made darker or lighter where the paper asks for it. The ramp is even in lightness, so that
 * it survives a printer without colours; its end is what stands out from the paper.
 */
#ifndef SONDE_GRAPH_PALETTE_H
#define SONDE_GRAPH_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PALETTE_SERIES 7u /* that differ; further ones differ by their dashes */
#define PALETTE_RAMP 24u /* steps from little to much */

enum ink {
	INK_PAPER,
	INK_TEXT,
	INK_FAINT, /* ticks' labels, captions */
	INK_AXIS,
	INK_GRID,
	INK_ALERT, /* losses */
	INK_SERIES, /* PALETTE_SERIES of them */
	INK_RAMP = INK_SERIES + PALETTE_SERIES, /* PALETTE_RAMP of them */
	INK_COUNT = INK_RAMP + PALETTE_RAMP,
};

/* What a picture is to be looked at on. */
enum theme {
	THEME_AUTO, /* what the reader prefers, where the format can ask; else light */
	THEME_LIGHT,
	THEME_DARK,
};

/* -EINVAL: no theme has that name. */
int theme_parse(const char *name, enum theme *ret);

/* 0xrrggbb. */
uint32_t palette_rgb(enum ink ink, bool dark);
/* The ink of series @i. */
enum ink palette_series(size_t i);
/* The ink for @part of the most, 0 to 1. */
enum ink palette_ramp(double part);

#endif /* SONDE_GRAPH_PALETTE_H */
