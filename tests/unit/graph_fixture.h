/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph_fixture: a canvas that writes down what is drawn on it, a line each, so that tests of layouts
 * and drawings need no format. Its texts are 6 pixels a letter.
 */
#ifndef SONDE_TESTS_GRAPH_FIXTURE_H
#define SONDE_TESTS_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "graph/canvas.h"

struct paper {
	struct canvas canvas; /* first */
	struct buffer log;
};

static inline struct buffer *paper_log(struct canvas *canvas)
{
	return &((struct paper *)canvas)->log;
}

static inline void paper_move(struct canvas *canvas, double x, double y)
{
	buffer_format(paper_log(canvas), "M %g %g ", x, y);
}

static inline void paper_line(struct canvas *canvas, double x, double y)
{
	buffer_format(paper_log(canvas), "L %g %g ", x, y);
}

static inline void paper_close(struct canvas *canvas)
{
	buffer_string(paper_log(canvas), "Z ");
}

static inline void paper_stroke(struct canvas *canvas, const struct pen *pen)
{
	buffer_format(paper_log(canvas), "stroke %d\n", (int)pen->ink);
}

static inline void paper_fill(struct canvas *canvas, enum ink ink, double opacity)
{
	(void)opacity;
	buffer_format(paper_log(canvas), "fill %d\n", (int)ink);
}

static inline void paper_text(struct canvas *canvas, double x, double y, const char *text,
			      const struct text_style *style)
{
	(void)style;
	buffer_format(paper_log(canvas), "text %g %g '%s'\n", x, y, text);
}

static inline double paper_text_width(const struct canvas *canvas, const char *text, enum font font)
{
	(void)canvas;
	(void)font;
	return 6.0 * (double)strlen(text);
}

static inline void paper_clip(struct canvas *canvas, const struct canvas_rect *rect)
{
	buffer_format(paper_log(canvas), "clip %g %g %g %g\n", rect->x, rect->y, rect->width,
		      rect->height);
}

static inline void paper_unclip(struct canvas *canvas)
{
	buffer_string(paper_log(canvas), "unclip\n");
}

static inline void paper_group(struct canvas *canvas, const char *title)
{
	buffer_format(paper_log(canvas), "group '%s'\n", title);
}

static inline void paper_ungroup(struct canvas *canvas)
{
	buffer_string(paper_log(canvas), "ungroup\n");
}

static const struct canvas_ops paper_ops = {
	.move = paper_move,
	.line = paper_line,
	.close = paper_close,
	.stroke = paper_stroke,
	.fill = paper_fill,
	.text = paper_text,
	.text_width = paper_text_width,
	.clip = paper_clip,
	.unclip = paper_unclip,
	.group = paper_group,
	.ungroup = paper_ungroup,
};

static inline void paper_init(struct paper *paper, double width, double height)
{
	paper->canvas = (struct canvas){
		.ops = &paper_ops, .width = width, .height = height, .pitch = 1, .line_height = 18};
	buffer_init(&paper->log);
}

static inline const char *paper_text_of(struct paper *paper)
{
	buffer_char(&paper->log, '\0');
	assert_int_equal(buffer_error(&paper->log), 0);
	return paper->log.data;
}

#endif /* SONDE_TESTS_GRAPH_FIXTURE_H */
