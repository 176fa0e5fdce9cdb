/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame: stacks as a flame graph. Each frame is a box on top of its caller's, as wide as what it
 * weighs, callers below. As SVG it has a script of its own, and nothing else is needed to zoom and search.
 *
 * Of two traces, a box is as wide as the mean of its shares of both, red where its share is larger in the
 * second, blue where it is smaller.
 */
#ifndef SONDE_GRAPH_FLAME_H
#define SONDE_GRAPH_FLAME_H

#include <stddef.h>
#include <stdint.h>

#include "graph/canvas.h"

struct buffer;
struct picture;
struct stack_weights;

#define FLAME_WIDTH 1200.0 /* default */
#define FLAME_LEAST 0.0002 /* of the width: narrower boxes are left out, and counted */
#define FLAME_TEXT_BYTES 512u

struct flame_box {
	uint32_t node; /* of the tree */
	uint32_t depth; /* 0: the root */
	double x, width; /* parts of the whole */
};

struct flame {
	const struct stack_weights *weights; /* borrowed */
	struct flame_box *boxes; /* callers first; [0] is the root */
	size_t count, room;
	size_t rows; /* depth of the deepest, and the root */
	size_t narrow; /* frames that were left out, with all above them */
	double most; /* by which a share differs between two traces */
	const char *title, *note; /* borrowed; NULL = none */
	char about[FLAME_TEXT_BYTES]; /* a sentence: what is in it */
};

/* Of stacks that have been summed up. 0 or -ENOMEM; flame_fini is due in both cases. */
int flame_init(struct flame *flame, const struct stack_weights *weights);
void flame_fini(struct flame *flame);

/* What the frame of a box is called. Borrowed from the tree. */
const char *flame_name(const struct flame *flame, const struct flame_box *box);
/* "12 samples, 3.4 %", or of two traces "3.4 %, then 5.1 %". */
void flame_describe(const struct flame *flame, const struct flame_box *box,
		    char text[FLAME_TEXT_BYTES]);
enum ink flame_ink(const struct flame *flame, const struct flame_box *box);
/* What weights of it are called: "Off-CPU time"; a title where none is given. */
void flame_default_title(const struct stack_weights *weights, char text[FLAME_TEXT_BYTES]);

/* In the format of @picture (SVG, PNG, PDF, text). 0 or -errno. */
int flame_draw(struct flame *flame, const struct picture *picture, struct buffer *out);
/* SVG alone (flame_svg.c). */
int flame_svg(const struct flame *flame, const struct picture *picture, struct buffer *out);

#endif /* SONDE_GRAPH_FLAME_H */
