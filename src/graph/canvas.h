/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas: what pictures are drawn on: a page of pixels, x to the right and y down. A table of
 * functions, filled by canvas_svg, canvas_cairo (PNG, PDF) and canvas_cells (a terminal).
 *
 * Draw a path (canvas_move, canvas_line, ...), then canvas_stroke or canvas_fill it, which begins a
 * new one; until then nothing else is drawn. A path may have many pieces, and one path for a whole
 * series is what keeps files small.
 * Errors are sticky and come out of canvas_end; in between nothing needs to be checked.
 */
#ifndef SONDE_GRAPH_CANVAS_H
#define SONDE_GRAPH_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The colours of pictures, on light and on dark paper. What draws names an ink; only
 * canvases ask what colour that is.
 *
 * Series differ also for readers that do not see all colours: the hues are those of Okabe and Ito
 * (2008), made darker or lighter where the paper asks for it. The ramp is even in lightness, so that
 * it survives a printer without colours; its end is what stands out from the paper.
 */

#define PALETTE_SERIES 7u /* that differ; further ones differ by their dashes */
#define PALETTE_RAMP 24u /* steps from little to much */
#define PALETTE_FLAME 6u /* shades of each kind of box in a flame graph */

enum ink {
	INK_PAPER,
	INK_TEXT,
	INK_FAINT, /* ticks' labels, captions */
	INK_AXIS,
	INK_GRID,
	INK_ALERT, /* losses */
	INK_SERIES, /* PALETTE_SERIES of them */
	INK_RAMP = INK_SERIES + PALETTE_SERIES, /* PALETTE_RAMP of them */
	/* Of flame graphs: boxes that are light on any paper, so that INK_LETTERS can be read on them. */
	INK_LETTERS = INK_RAMP + PALETTE_RAMP,
	INK_PLAIN, /* tasks, what has no name */
	INK_PROGRAM, /* PALETTE_FLAME of each of these */
	INK_KERNEL = INK_PROGRAM + PALETTE_FLAME,
	INK_MORE = INK_KERNEL + PALETTE_FLAME, /* red, from a little to much more */
	INK_LESS = INK_MORE + PALETTE_FLAME, /* blue */
	INK_COUNT = INK_LESS + PALETTE_FLAME,
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

/*
 * The few kinds of text that pictures have, and how much room they take.
 *
 * Nobody knows which font a reader of an SVG has. So layouts reckon with DejaVu Sans, which is wider
 * than the others that may come, and they are the same in every format.
 */

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

struct canvas_rect {
	double x, y; /* the upper left corner */
	double width, height;
};

/* What is said of the whole. All borrowed for the call. */
struct canvas_page {
	double width, height;
	const char *title; /* for readers that cannot see the picture; NULL = none */
	const char *text; /* likewise, a sentence; NULL = none */
	enum theme theme;
};

enum dash {
	DASH_NONE,
	DASH_LONG,
	DASH_SHORT,
	DASH_MIXED,
	DASH_COUNT,
};

struct pen {
	enum ink ink;
	double width;
	enum dash dash;
	double opacity; /* 0 is taken for 1 */
	bool round; /* round ends: canvas_dot makes dots as wide as the pen */
};

enum text_anchor {
	TEXT_START,
	TEXT_MIDDLE,
	TEXT_END,
};

struct text_style {
	enum font font;
	enum ink ink;
	enum text_anchor anchor; /* which part of the text is at x */
	bool upwards; /* turned a quarter, to be read from below */
};

struct canvas;

struct canvas_ops {
	void (*move)(struct canvas *canvas, double x, double y);
	void (*line)(struct canvas *canvas, double x, double y);
	void (*close)(struct canvas *canvas);
	void (*stroke)(struct canvas *canvas, const struct pen *pen);
	void (*fill)(struct canvas *canvas, enum ink ink, double opacity);
	/* @y is the middle of the line of text. @text may come from anywhere: it is escaped. */
	void (*text)(struct canvas *canvas, double x, double y, const char *text,
		     const struct text_style *style);
	/* Pixels that a text takes, for layout. */
	double (*text_width)(const struct canvas *canvas, const char *text, enum font font);
	/* Nothing is drawn outside of @rect until unclip. They do not nest. */
	void (*clip)(struct canvas *canvas, const struct canvas_rect *rect);
	void (*unclip)(struct canvas *canvas);
	/* What follows, until ungroup, is one thing, which shows @title where the reader points at
	 * it. They nest. */
	void (*group)(struct canvas *canvas, const char *title);
	void (*ungroup)(struct canvas *canvas);
	/* The picture is complete, and in the buffer that the canvas was made with: 0 or -errno. */
	int (*end)(struct canvas *canvas);
	void (*free)(struct canvas *canvas);
};

/* The beginning of every canvas. */
struct canvas {
	const struct canvas_ops *ops;
	double width, height;
	/* The smallest distance that shows: points that are nearer are one point. */
	double pitch;
	/* Of one line of text of any font, with the space around it. */
	double line_height;
	/* A terminal: a line takes the place of text there, so layouts leave out what is not needed. */
	bool coarse;
};

static inline void canvas_move(struct canvas *canvas, double x, double y)
{
	canvas->ops->move(canvas, x, y);
}

static inline void canvas_line(struct canvas *canvas, double x, double y)
{
	canvas->ops->line(canvas, x, y);
}

static inline void canvas_close(struct canvas *canvas)
{
	canvas->ops->close(canvas);
}

static inline void canvas_stroke(struct canvas *canvas, const struct pen *pen)
{
	canvas->ops->stroke(canvas, pen);
}

static inline void canvas_fill(struct canvas *canvas, enum ink ink, double opacity)
{
	canvas->ops->fill(canvas, ink, opacity);
}

static inline void canvas_text(struct canvas *canvas, double x, double y, const char *text,
			       const struct text_style *style)
{
	canvas->ops->text(canvas, x, y, text, style);
}

static inline double canvas_text_width(const struct canvas *canvas, const char *text,
				       enum font font)
{
	return canvas->ops->text_width(canvas, text, font);
}

static inline void canvas_clip(struct canvas *canvas, const struct canvas_rect *rect)
{
	canvas->ops->clip(canvas, rect);
}

static inline void canvas_unclip(struct canvas *canvas)
{
	canvas->ops->unclip(canvas);
}

static inline void canvas_group(struct canvas *canvas, const char *title)
{
	canvas->ops->group(canvas, title);
}

static inline void canvas_ungroup(struct canvas *canvas)
{
	canvas->ops->ungroup(canvas);
}

static inline int canvas_end(struct canvas *canvas)
{
	return canvas->ops->end(canvas);
}

/* NULL is fine. */
static inline void canvas_free(struct canvas *canvas)
{
	if (canvas)
		canvas->ops->free(canvas);
}

#define CANVAS_FIT_BYTES 512u

/* These add to the path. */
void canvas_rect(struct canvas *canvas, const struct canvas_rect *rect);
/* Shows where the pen is round. */
void canvas_dot(struct canvas *canvas, double x, double y);
/* Copies @text to @to, shortened with dots to at most @width; returns @to. */
const char *canvas_fit_text(const struct canvas *canvas, const char *text, enum font font,
			    double width, char to[CANVAS_FIT_BYTES]);
/* One straight line, painted at once. */
void canvas_rule(struct canvas *canvas, double x1, double y1, double x2, double y2,
		 const struct pen *pen);

#endif /* SONDE_GRAPH_CANVAS_H */
