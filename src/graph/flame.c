// SPDX-License-Identifier: BSD-2-Clause
#include "graph/flame.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/stack_weights.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/utf8.h"
#include "graph/picture.h"

#define FIRST_ROOM 256u
#define TEXT_LEAST 0.005 /* of all: less is not printed as text */
#define DIFFERS_LEAST 0.0005 /* as a share: less is no difference */
#define ROW_MOST 17.0 /* pixels */
#define ROW_LEAST 2.0
#define LETTERS_LEAST 11.0 /* a row is so high if anything is written into it */
#define MARGIN 10.0

/* Children of each node, by name. */
struct order {
	const struct stack_tree *tree;
	uint32_t *nodes; /* all but the root, by parent, then by name */
	uint32_t *first; /* by parent: where its children begin in `nodes`; one more at the end */
};

/* Shares of both sides, of one trace the same twice. */
static void shares_of(const struct flame *flame, uint32_t node, double share[2])
{
	const struct stack_tree *tree = &flame->weights->tree;
	const bool diff = flame->weights->request.diff;

	for (size_t i = 0; i < 2; i++) {
		const size_t side = diff ? i : 0;
		const uint64_t all = tree->nodes[0].total[side];

		share[i] = all ? (double)tree->nodes[node].total[side] / (double)all : 0;
	}
}

static double part_of(const struct flame *flame, uint32_t node)
{
	double share[2];

	shares_of(flame, node, share);
	return (share[0] + share[1]) / 2;
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct order *order = ctx;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct stack_tree *tree = order->tree;
	int ret;

	if (tree->nodes[a].parent != tree->nodes[b].parent)
		return tree->nodes[a].parent < tree->nodes[b].parent ? -1 : 1;
	ret = strcmp(stack_tree_text(tree, stack_tree_label_of(tree, a)->text),
		     stack_tree_text(tree, stack_tree_label_of(tree, b)->text));
	return ret ?: (a > b) - (a < b);
}

static void order_fini(struct order *order)
{
	free(order->nodes);
	free(order->first);
}

static int order_init(struct order *order, const struct stack_tree *tree)
{
	const size_t count = tree->node_count;

	*order = (struct order){.tree = tree};
	order->nodes = calloc(count, sizeof(*order->nodes));
	order->first = calloc(count + 1, sizeof(*order->first));
	if (!order->nodes || !order->first) {
		order_fini(order);
		return -ENOMEM;
	}
	for (size_t i = 1; i < count; i++) {
		order->nodes[i - 1] = (uint32_t)i;
		order->first[tree->nodes[i].parent + 1]++;
	}
	for (size_t i = 1; i <= count; i++)
		order->first[i] += order->first[i - 1];
	qsort_r(order->nodes, count - 1, sizeof(*order->nodes), compare, order);
	return 0;
}

static int push(struct flame *flame, const struct flame_box *box)
{
	struct flame_box *larger;

	if (flame->count == flame->room) {
		const size_t room = flame->room ? 2 * flame->room : FIRST_ROOM;

		larger = realloc(flame->boxes, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		flame->boxes = larger;
		flame->room = room;
	}
	flame->boxes[flame->count++] = *box;
	if (box->depth >= flame->rows)
		flame->rows = box->depth + 1u;
	return 0;
}

/* The boxes on top of box @at. */
static int push_children(struct flame *flame, const struct order *order, size_t at)
{
	const struct flame_box parent = flame->boxes[at];
	double x = parent.x;
	int err = 0;

	for (uint32_t i = order->first[parent.node]; i < order->first[parent.node + 1] && !err;
	     i++) {
		const struct flame_box box = {
			.node = order->nodes[i],
			.depth = parent.depth + 1,
			.x = x,
			.width = part_of(flame, order->nodes[i]),
		};

		x += box.width;
		if (box.width >= FLAME_LEAST)
			err = push(flame, &box);
		else
			flame->narrow += box.width > 0;
	}
	return err;
}

static double difference(const struct flame *flame, uint32_t node)
{
	double share[2];

	shares_of(flame, node, share);
	return share[1] - share[0];
}

/* "12 samples", "3.4 ms". */
static struct amount amount_of(const struct stack_weights *weights, uint64_t weight)
{
	struct amount amount;

	if (weights->unit && !strcmp(weights->unit, "ns"))
		return amount_time(weight);
	if (weights->unit && !strcmp(weights->unit, "bytes"))
		return amount_size(weight);
	amount = amount_count(weight);
	if (weights->unit) {
		const size_t len = strlen(amount.text), unit = strlen(weights->unit);
		const bool one = weight == 1 && unit && weights->unit[unit - 1] == 's';

		(void)snprintf(amount.text + len, sizeof(amount.text) - len, " %.*s",
			       (int)(unit - one), weights->unit);
	}
	return amount;
}

static void tell(struct flame *flame)
{
	const struct stack_weights *sw = flame->weights;
	const uint64_t *total = sw->tree.nodes[0].total;
	int len;

	if (sw->request.diff)
		len = snprintf(flame->about, FLAME_TEXT_BYTES,
			       "%s, then %s. Red: more in the second, blue: less",
			       amount_of(sw, total[0]).text, amount_of(sw, total[1]).text);
	else
		len = snprintf(flame->about, FLAME_TEXT_BYTES, "%s", amount_of(sw, total[0]).text);
	if (sw->cut && len < (int)FLAME_TEXT_BYTES)
		len += snprintf(flame->about + len, FLAME_TEXT_BYTES - (size_t)len,
				"; %s stacks are deeper than what was recorded of them",
				amount_count(sw->cut).text);
	if (sw->unfinished && len < (int)FLAME_TEXT_BYTES)
		len += snprintf(flame->about + len, FLAME_TEXT_BYTES - (size_t)len,
				"; %s waits without an end are not counted",
				amount_count(sw->unfinished).text);
	if (flame->narrow && len < (int)FLAME_TEXT_BYTES)
		(void)snprintf(flame->about + len, FLAME_TEXT_BYTES - (size_t)len,
			       "; %s frames narrower than 0.02 %% are left out",
			       amount_count(flame->narrow).text);
}

int flame_init(struct flame *flame, const struct stack_weights *weights)
{
	const struct flame_box root = {.width = 1};
	struct order order;
	int err;

	*flame = (struct flame){.weights = weights};
	err = order_init(&order, &weights->tree);
	if (err)
		return err;
	err = push(flame, &root);
	for (size_t i = 0; i < flame->count && !err; i++)
		err = push_children(flame, &order, i);
	order_fini(&order);
	for (size_t i = 0; i < flame->count; i++)
		flame->most = fmax(flame->most, fabs(difference(flame, flame->boxes[i].node)));
	tell(flame);
	return err;
}

void flame_fini(struct flame *flame)
{
	free(flame->boxes);
	*flame = (struct flame){0};
}

const char *flame_name(const struct flame *flame, const struct flame_box *box)
{
	const struct stack_tree *tree = &flame->weights->tree;

	return box->node ? stack_tree_text(tree, stack_tree_label_of(tree, box->node)->text) :
			   "all";
}

void flame_describe(const struct flame *flame, const struct flame_box *box,
		    char text[FLAME_TEXT_BYTES])
{
	const struct stack_tree *tree = &flame->weights->tree;
	const struct stack_label *label = stack_tree_label_of(tree, box->node);
	const char *module = stack_tree_text(tree, label->module);
	const char *where = label->kind == STACK_KERNEL	 ? ", kernel" :
			    label->kind == STACK_INLINED ? ", inlined" :
							   "";
	double share[2];

	shares_of(flame, box->node, share);
	if (flame->weights->request.diff)
		(void)snprintf(text, FLAME_TEXT_BYTES, "%.2f %%, then %.2f %% (%+.2f)%s%s%.300s",
			       100 * share[0], 100 * share[1], 100 * (share[1] - share[0]), where,
			       *module ? ", " : "", module);
	else
		(void)snprintf(text, FLAME_TEXT_BYTES, "%s, %.2f %%%s%s%.300s",
			       amount_of(flame->weights, tree->nodes[box->node].total[0]).text,
			       100 * share[0], where, *module ? ", " : "", module);
}

/* By the name, so that a function looks the same everywhere. */
static unsigned int shade_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return (hash >> 16) % PALETTE_FLAME;
}

static enum ink ink_of_difference(const struct flame *flame, uint32_t node)
{
	const double differs = difference(flame, node), part = fabs(differs);
	unsigned int shade;

	if (part < DIFFERS_LEAST || !(flame->most > 0))
		return INK_PLAIN;
	shade = (unsigned int)(part / flame->most * (PALETTE_FLAME - 1) + 0.5);
	return (enum ink)((differs > 0 ? INK_MORE : INK_LESS) + shade);
}

enum ink flame_ink(const struct flame *flame, const struct flame_box *box)
{
	const struct stack_tree *tree = &flame->weights->tree;
	const struct stack_label *label = stack_tree_label_of(tree, box->node);
	const char *name = flame_name(flame, box);

	if (flame->weights->request.diff)
		return ink_of_difference(flame, box->node);
	if (!box->node || label->kind == STACK_TASK || *name == '[')
		return INK_PLAIN;
	return (enum ink)((label->kind == STACK_KERNEL ? INK_KERNEL : INK_PROGRAM) +
			  shade_of(name));
}

void flame_default_title(const struct stack_weights *weights, char text[FLAME_TEXT_BYTES])
{
	const char *event = weights->event ?: "stacks";
	const bool time = weights->unit && !strcmp(weights->unit, "ns");

	if (!strcmp(event, "cpu.sample"))
		(void)snprintf(text, FLAME_TEXT_BYTES, "On-CPU %s", time ? "time" : "samples");
	else if (!strcmp(event, "sched.switch") && time)
		(void)snprintf(text, FLAME_TEXT_BYTES, "Off-CPU time");
	else
		(void)snprintf(text, FLAME_TEXT_BYTES, "%s: %s", event,
			       weights->request.weight ?:
				       weights->unit   ?:
							 "events");
}

/* Pixels of one row, of a picture that may have a height of its own. */
static double row_height(const struct flame *flame, const struct picture *picture, double other)
{
	double row = ROW_MOST;

	if (picture->has_height)
		row = (picture->height - other) / (double)flame->rows;
	else if (row * (double)flame->rows + other > PICTURE_SIDE_MAX)
		row = (PICTURE_SIDE_MAX - other) / (double)flame->rows;
	return fmin(fmax(row, ROW_LEAST), ROW_MOST);
}

static void draw_box(const struct flame *flame, const struct flame_box *box,
		     const struct canvas_rect *rect, struct canvas *canvas)
{
	const struct text_style style = {FONT_TICK, INK_LETTERS, TEXT_START, false};
	char text[CANVAS_FIT_BYTES];

	canvas_rect(canvas, rect);
	canvas_fill(canvas, flame_ink(flame, box), 1);
	if (rect->height < LETTERS_LEAST || rect->width < 24)
		return;
	canvas_text(canvas, rect->x + 3, rect->y + rect->height / 2,
		    canvas_fit_text(canvas, flame_name(flame, box), FONT_TICK, rect->width - 6,
				    text),
		    &style);
}

/* PNG and PDF. */
static int draw(const struct flame *flame, const struct picture *asked, struct buffer *out)
{
	const struct text_style heading = {FONT_TITLE, INK_TEXT, TEXT_START, false};
	const struct text_style small = {FONT_NOTE, INK_FAINT, TEXT_START, false};
	const double head = flame->title ? 34 : MARGIN, foot = flame->note ? 46 : 30;
	const double row = row_height(flame, asked, head + foot);
	struct picture picture = *asked;
	char text[CANVAS_FIT_BYTES];
	struct canvas *canvas;
	double wide;
	int err;

	picture.height = ceil(head + foot + row * (double)flame->rows);
	wide = picture.width - 2 * MARGIN;
	canvas = picture_canvas(&picture, flame->title, flame->about, out);
	if (!canvas)
		return -ENOMEM;
	canvas_rect(canvas, &(struct canvas_rect){0, 0, picture.width, picture.height});
	canvas_fill(canvas, INK_PAPER, 1);
	if (flame->title)
		canvas_text(canvas, MARGIN, 18,
			    canvas_fit_text(canvas, flame->title, FONT_TITLE, wide, text),
			    &heading);
	for (size_t i = 0; i < flame->count; i++) {
		const struct flame_box *box = &flame->boxes[i];
		const struct canvas_rect rect = {
			MARGIN + box->x * wide,
			head + row * (double)(flame->rows - 1 - box->depth),
			fmax(box->width * wide - 0.6, 0.3),
			fmax(row - 1, 1),
		};

		draw_box(flame, box, &rect, canvas);
	}
	canvas_text(canvas, MARGIN, picture.height - foot + 14,
		    canvas_fit_text(canvas, flame->about, FONT_NOTE, wide, text), &small);
	if (flame->note)
		canvas_text(canvas, MARGIN, picture.height - foot + 32,
			    canvas_fit_text(canvas, flame->note, FONT_NOTE, wide, text), &small);
	err = canvas_end(canvas);
	canvas_free(canvas);
	return err;
}

static int compare_weight(const void *left, const void *right)
{
	const struct flame_box *a = *(const struct flame_box *const *)left;
	const struct flame_box *b = *(const struct flame_box *const *)right;

	if (a->width > b->width || a->width < b->width)
		return a->width > b->width ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Nothing that commands a terminal. */
static void write_plain(struct buffer *out, const char *text)
{
	char bytes[UTF8_BYTES];
	uint32_t character;

	while ((character = utf8_next(&text)))
		buffer_append(out, bytes, (size_t)(utf8_put(bytes, character) - bytes));
}

static void write_line(const struct flame *flame, const struct flame_box *box, struct buffer *out)
{
	double share[2];

	shares_of(flame, box->node, share);
	buffer_format(out, "%6.2f %%", 100 * share[0]);
	if (flame->weights->request.diff)
		buffer_format(out, "  %6.2f %%", 100 * share[1]);
	buffer_pad(out, ' ', 2 + box->depth);
	write_plain(out, flame_name(flame, box));
	buffer_char(out, '\n');
}

/* Below box @at, which has been written. The boxes of one row that stand on it follow each other. */
static int write_above(const struct flame *flame, size_t at, struct buffer *out)
{
	const struct stack_tree *tree = &flame->weights->tree;
	const struct flame_box **above;
	size_t first = at + 1, count = 0;
	int err = 0;

	while (first < flame->count &&
	       tree->nodes[flame->boxes[first].node].parent != flame->boxes[at].node)
		first++;
	while (first + count < flame->count &&
	       tree->nodes[flame->boxes[first + count].node].parent == flame->boxes[at].node)
		count++;
	above = calloc(count + 1, sizeof(*above));
	if (!above)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		above[i] = &flame->boxes[first + i];
	qsort(above, count, sizeof(*above), compare_weight);
	for (size_t i = 0; i < count && !err && above[i]->width >= TEXT_LEAST; i++) {
		write_line(flame, above[i], out);
		err = write_above(flame, (size_t)(above[i] - flame->boxes), out);
	}
	free(above);
	return err;
}

/* A tree of lines for a terminal. */
static int draw_text(const struct flame *flame, struct buffer *out)
{
	int err;

	if (flame->title) {
		write_plain(out, flame->title);
		buffer_char(out, '\n');
	}
	write_line(flame, flame->boxes, out);
	err = write_above(flame, 0, out);
	write_plain(out, flame->about);
	buffer_char(out, '\n');
	if (flame->note) {
		write_plain(out, flame->note);
		buffer_char(out, '\n');
	}
	return err ?: buffer_error(out);
}

int flame_draw(struct flame *flame, const struct picture *picture, struct buffer *out)
{
	switch (picture->format) {
	case PICTURE_SVG:
		return flame_svg(flame, picture, out);
	case PICTURE_TEXT:
		return draw_text(flame, out);
	default:
		return draw(flame, picture, out);
	}
}
