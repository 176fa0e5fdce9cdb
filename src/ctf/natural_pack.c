// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_pack.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/natural_node.h"
#include "ctf/pen.h"

/* An event, or an item of one of its lists, and what that is in. */
struct pen_frame {
	const struct event *event;
	const struct pen_frame *outer;
};

/* A tree that is being written. */
struct tree {
	struct pen *pen;
	struct buffer *out;
	const struct event *event;
};

/* The packet ends with @out->len, and the tree is behind it. */
static int make_room(struct tree *tree, size_t bytes)
{
	size_t used = (size_t)((tree->pen->at + 7) / 8) - tree->out->len;

	if (!buffer_reserve(tree->out, used + bytes))
		return -ENOMEM;
	tree->pen->packet = (uint8_t *)tree->out->data;
	return 0;
}

static int write_field(struct tree *tree, const struct natural_node *node,
		       const struct event *event)
{
	int err = make_room(tree, pen_field_room(event, node->index));

	if (err)
		return err;
	pen_align(tree->pen, node->align);
	pen_field(tree->pen, event, node->index, node->field.bits);
	return 0;
}

static int write_number(struct tree *tree, const struct natural_node *node, uint64_t value)
{
	int err = make_room(tree, PEN_SLACK_BYTES);

	if (err)
		return err;
	pen_align(tree->pen, node->align);
	pen_number(tree->pen, value, node->bits);
	return 0;
}

/*
 * The event or item that has @node, seen from one that is in items of @list; lists between have items
 * that are not structures, so that all of them are alike. False: none.
 */
static bool find_owner(const struct natural_node *node, const struct natural_node *list,
		       const struct event *event, struct event *ret)
{
	const struct natural_node *own = node->list;
	struct event outer;

	if (own == list) {
		*ret = *event;
		return true;
	}
	if (!find_owner(own, list, event, &outer) || !event_has(&outer, own->index) ||
	    !event_count(&outer, own->index))
		return false;
	*ret = event_item(&outer, own->index, 0);
	return true;
}

static uint32_t find_length(const struct natural_node *node, const struct event *event)
{
	struct event owner;

	if (!find_owner(node->of, node->list, event, &owner) || !event_has(&owner, node->of->index))
		return 0;
	return event_count(&owner, node->of->index);
}

static bool has_any(const struct event *event, const struct event_option *option)
{
	for (uint32_t i = option->first; i < option->end; i++) {
		if (event_has(event, i))
			return true;
	}
	return false;
}

/* The option of which @event has something, else one that is of nothing. @ret_at: the how manieth. */
static const struct natural_node *find_present(const struct natural_node *variant,
					       const struct event *event, uint32_t *ret_at)
{
	const struct natural_node *nothing = NULL;
	uint32_t at = 0;

	for (const struct natural_node *node = variant->inner; node; node = node->next, at++) {
		const struct event_option *option =
			node->option == NATURAL_NOTHING ? NULL :
							  &variant->variant->options[node->option];

		if (option && event && has_any(event, option)) {
			*ret_at = at;
			return node;
		}
		if (!nothing && (!option || option->first == option->end)) {
			*ret_at = at;
			nothing = node;
		}
	}
	return nothing;
}

static uint32_t find_tag(const struct natural_node *node, const struct event *event)
{
	struct event owner;
	bool found = find_owner(node->of, node->list, event, &owner);
	uint32_t at = 0;

	(void)find_present(node->of, found ? &owner : NULL, &at);
	return at;
}

static bool is_in(const struct event_choice *choice, uint64_t value, bool is_signed)
{
	if (is_signed)
		return (int64_t)value >= choice->first && (int64_t)value <= choice->last;
	return value >= (uint64_t)choice->first && value <= (uint64_t)choice->last;
}

/* The option that a field of the source chooses, or NULL. */
static const struct natural_node *find_chosen(const struct natural_node *node,
					      const struct pen_frame *frame)
{
	const struct event_variant *variant = node->variant;
	const struct natural_node *option = NULL;
	const size_t tag = variant->tag.index - 1;
	uint64_t value;

	for (uint32_t i = 0; i < variant->tag.lists; i++)
		frame = frame->outer;
	value = event_uint(frame->event, tag);
	for (size_t i = 0; i < variant->choice_count && !option; i++) {
		if (!is_in(&variant->choices[i], value, frame->event->class->fields[tag].is_signed))
			continue;
		option = node->inner;
		while (option && option->option != variant->choices[i].option)
			option = option->next;
	}
	return option;
}

static int write_node(struct tree *tree, const struct natural_node *node,
		      const struct pen_frame *frame);

static int write_list(struct tree *tree, const struct natural_node *node,
		      const struct pen_frame *frame)
{
	const uint32_t count = event_count(frame->event, node->index);
	int err = make_room(tree, PEN_SLACK_BYTES);

	if (!err)
		pen_align(tree->pen, node->align);
	for (uint32_t i = 0; i < count && !err; i++) {
		const struct event item = event_item(frame->event, node->index, i);

		err = write_node(tree, node->inner,
				 &(struct pen_frame){.event = &item, .outer = frame});
	}
	return err;
}

static int write_struct(struct tree *tree, const struct natural_node *node,
			const struct pen_frame *frame)
{
	int err = make_room(tree, PEN_SLACK_BYTES);

	if (!err)
		pen_align(tree->pen, node->align);
	for (node = node->inner; node && !err; node = node->next)
		err = write_node(tree, node, frame);
	return err;
}

static int write_variant(struct tree *tree, const struct natural_node *node,
			 const struct pen_frame *frame)
{
	const struct natural_node *option;
	uint32_t at;

	option = node->own_tag ? find_chosen(node, frame) : find_present(node, frame->event, &at);
	return option ? write_node(tree, option, frame) : 0;
}

/* As deep as the types of the source, of which there is a limit. */
static int write_node(struct tree *tree, const struct natural_node *node,
		      const struct pen_frame *frame)
{
	switch (node->kind) {
	case NATURAL_FIELD:
		return write_field(tree, node, frame->event);
	case NATURAL_LIST:
		return write_list(tree, node, frame);
	case NATURAL_STRUCT:
		return write_struct(tree, node, frame);
	case NATURAL_VARIANT:
		return write_variant(tree, node, frame);
	case NATURAL_LENGTH:
		return write_number(tree, node, find_length(node, frame->event));
	case NATURAL_TAG:
		return write_number(tree, node, find_tag(node, frame->event));
	case NATURAL_TASK:
		return write_number(tree, node, (uint32_t)tree->event->tid);
	}
	return 0;
}

int natural_pack_tree(struct pen *pen, struct buffer *out, const struct natural_node *root,
		      const struct event *event)
{
	struct tree tree = {.pen = pen, .out = out, .event = event};

	return write_node(&tree, root, &(struct pen_frame){.event = event});
}
