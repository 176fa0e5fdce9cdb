// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_node.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/arena.h"
#include "ctf/metadata_field.h"

/* Elements of an array lie side by side, so that odd ones cannot begin on bytes. */
static uint16_t align_of(const struct field *field)
{
	if (field->bits % 8)
		return field_is_many(field) ? 1 : 8;
	if (field->bits == 64)
		return NATURAL_ALIGN_BITS;
	return field->bits & (field->bits - 1) ? 8 : field->bits;
}

struct field natural_field(const struct field *field)
{
	struct field natural = *field;

	if (!natural.bits) /* of variable length */
		natural.bits = 64;
	natural.align_bits = align_of(&natural);
	natural.big_endian = false;
	return natural;
}

struct natural_node *natural_node_make(struct natural_maker *maker, enum natural_kind kind,
				       const struct natural_frame *frame)
{
	struct natural_node *node = arena_alloc(maker->arena, sizeof(*node));

	if (!node) {
		maker->err = -ENOMEM;
		node = &maker->spare;
		*node = (struct natural_node){0};
	}
	node->kind = kind;
	node->list = frame->list;
	node->align = 1;
	return node;
}

const char *natural_node_text(struct natural_maker *maker, struct buffer *text)
{
	const char *kept =
		buffer_error(text) ? NULL : arena_text(maker->arena, text->data ?: "", text->len);

	if (!kept)
		maker->err = -ENOMEM;
	buffer_fini(text);
	return kept ?: "";
}

const char *natural_node_name(struct natural_maker *maker, const char *name, size_t len)
{
	struct buffer text;

	buffer_init(&text);
	metadata_name(&text, name, len);
	return natural_node_text(maker, &text);
}

void natural_node_append(const struct natural_maker *maker, struct natural_place *place,
			 struct natural_node *node)
{
	struct natural_node *parent = place->node;

	if (maker->err)
		return;
	if (place->last)
		place->last->next = node;
	else
		parent->inner = node;
	place->last = node;
	if (node->align > parent->align)
		parent->align = node->align;
}

const char *natural_last_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

bool natural_name_begins(const char *name, const char *wanted, size_t len)
{
	return !strncmp(name, wanted, len) && (!name[len] || name[len] == '.');
}

bool natural_is_renamed(const struct event_class *class, size_t i)
{
	const char *name = class->fields[i].name;
	size_t skip = strlen(NATURAL_RENAMED), len;

	if (strncmp(name, NATURAL_RENAMED, skip) != 0)
		return false;
	name += skip;
	len = strcspn(name, ".");
	for (size_t j = class->context_count; j < class->field_count; j++) {
		if (natural_name_begins(class->fields[j].name, name, len))
			return true;
	}
	return false;
}

size_t natural_place_scope(const struct natural_place *place, uint32_t i)
{
	const struct natural_frame *frame = place->frame;

	if (place->scope || frame->list || i >= frame->class->context_count || !frame->renamed[i])
		return place->scope;
	return strlen(NATURAL_RENAMED);
}

/* -1: none. */
static int64_t find_here(const struct natural_place *place, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = place->first; i < place->end; i++) {
		const char *full = place->frame->class->fields[i].name;

		if (natural_name_begins(full + natural_place_scope(place, i), name, len))
			return i;
	}
	return -1;
}

/* Added names have neither dots nor parts that distinguish them from others. */
static bool was_added(const struct natural_place *place, const char *name)
{
	for (const struct natural_node *node = place->node->inner; node; node = node->next) {
		if ((node->kind == NATURAL_LENGTH || node->kind == NATURAL_TAG ||
		     node->kind == NATURAL_TASK) &&
		    !strcmp(node->name, name))
			return true;
	}
	return false;
}

bool natural_place_has(const struct natural_place *place, const char *name)
{
	return find_here(place, name) >= 0 || was_added(place, name);
}

const struct field *natural_frame_find(const struct natural_frame **frame,
				       const struct field_ref *at)
{
	const struct natural_frame *found = *frame;

	for (uint32_t i = 0; i < at->lists && found; i++)
		found = found->outer;
	if (!found || !at->index)
		return NULL;
	*frame = found;
	return &found->class->fields[at->index - 1];
}

bool natural_place_sees(const struct natural_place *place, const struct natural_frame *frame,
			const struct field *field)
{
	const char *name = natural_last_name(field->name);

	for (; place; place = place->outer) {
		int64_t i = find_here(place, name);

		if (was_added(place, name))
			return false;
		if (i >= 0)
			return place->frame == frame && &frame->class->fields[i] == field;
	}
	return false;
}
