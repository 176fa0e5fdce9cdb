// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_node.h"

#include <errno.h>

#include "base/buffer.h"
#include "ctf/arena.h"
#include "ctf/metadata_field.h"
#include "ctf/natural_place.h"

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
