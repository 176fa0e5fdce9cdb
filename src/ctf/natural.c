// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural.h"

#include <errno.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/metadata_field.h"
#include "ctf/metadata_write.h"
#include "ctf/natural_node.h"
#include "ctf/natural_pack.h"
#include "ctf/natural_text.h"
#include "ctf/pen.h"

#define HOST_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static uint64_t align_up(uint64_t at, uint32_t align)
{
	return (at + align - 1) & ~((uint64_t)align - 1);
}

/* What all events have in common, whose last field ends at bit @end. */
static void end_fields(struct natural *natural, uint64_t end)
{
	natural->class.payload_bytes = natural->class.fixed ? (uint32_t)((end + 7) / 8) : 0;
	natural->spare_bits = -end & 7;
}

/* Whether the class can stay unchanged, bit fields and all: then its events' bytes are copied. */
static bool is_fit(struct natural *natural)
{
	const struct event_class *class = &natural->class;
	uint64_t at = 0;

	if (!HOST_IS_LITTLE || !class->fixed)
		return false;
	for (size_t i = 0; i < class->field_count; i++) {
		const struct field *field = &class->fields[i];

		natural->aligns[i] = metadata_field_align(class, i);
		at = align_up(at, natural->aligns[i]);
		if (field->offset_bits != at || natural->aligns[i] > NATURAL_ALIGN_BITS ||
		    (field->big_endian && field->bits > 8))
			return false;
		at += (uint64_t)field->bits * field->count;
	}
	end_fields(natural, at);
	return true;
}

/* Natural alignments and order for all fields. */
static int straighten(struct natural *natural, struct arena *arena)
{
	struct event_class *class = &natural->class;
	uint64_t at = 0;

	natural->fields = arena_alloc(arena, class->field_count * sizeof(*natural->fields));
	if (!natural->fields)
		return -ENOMEM;
	for (size_t i = 0; i < class->field_count; i++)
		natural->fields[i] = natural_field(&class->fields[i]);
	class->fields = natural->fields;
	class->fixed = true;
	for (size_t i = 0; i < class->field_count; i++) {
		struct field *field = &natural->fields[i];

		natural->aligns[i] = metadata_field_align(class, i);
		at = align_up(at, natural->aligns[i]);
		field->offset_bits = (uint32_t)at;
		at += (uint64_t)field->bits * field->count;
		class->fixed = class->fixed && !field_varies(field);
	}
	end_fields(natural, at);
	return 0;
}

static int init_fields(struct natural *natural, struct arena *arena)
{
	natural->aligns = arena_alloc(arena, natural->class.field_count * sizeof(*natural->aligns));
	if (!natural->aligns)
		return -ENOMEM;
	natural->class.offsets = NULL;
	natural->same = is_fit(natural);
	return natural->same ? 0 : straighten(natural, arena);
}

int natural_init(struct natural *natural, const struct event_class *class, bool has_heads,
		 struct arena *arena, struct diag *diag)
{
	int err;

	*natural = (struct natural){.class = *class};
	err = natural_trees_make(class, has_heads, arena, &natural->trees);
	if (!err && !natural->trees.payload)
		err = init_fields(natural, arena);
	return err ? diag_set(diag, err, "no memory") : 0;
}

int natural_describe(const struct natural *natural, struct buffer *out, uint32_t stream)
{
	if (!natural->trees.payload)
		return metadata_write_event(out, &natural->class, stream);
	metadata_begin_event(out, &natural->class, stream);
	if (natural->trees.context) {
		buffer_string(out, ";\n\tcontext := ");
		natural_text_write(out, natural->trees.context);
	}
	buffer_string(out, ";\n\tfields := ");
	natural_text_write(out, natural->trees.payload);
	buffer_string(out, ";\n};\n\n");
	return 0;
}

void natural_describe_shared(const struct natural *natural, struct buffer *out)
{
	natural_text_write(out, natural->trees.shared);
}

/* At most, with all padding. */
static size_t payload_room(const struct event *event)
{
	size_t room = PEN_SLACK_BYTES;

	for (size_t i = 0; i < event->class->field_count; i++)
		room += pen_field_room(event, i);
	return room;
}

/* Ends what begins with @out->len. */
static unsigned int finish_pack(struct pen *pen, struct buffer *out)
{
	unsigned int spare = -pen->at & 7;

	pen_align(pen, 8);
	buffer_advance(out, (size_t)(pen->at / 8) - out->len);
	return spare;
}

static unsigned int pack_fields(const struct natural *natural, const struct event *event,
				struct buffer *out)
{
	struct pen pen;

	if (!buffer_reserve(out, payload_room(event)))
		return 0;
	pen = (struct pen){(uint8_t *)out->data, (uint64_t)out->len * 8};
	for (size_t i = 0; i < natural->class.field_count; i++) {
		pen_align(&pen, natural->aligns[i]);
		pen_field(&pen, event, i, natural->class.fields[i].bits);
	}
	return finish_pack(&pen, out);
}

static unsigned int pack_trees(const struct natural *natural, const struct event *event,
			       struct buffer *out)
{
	const struct natural_trees *trees = &natural->trees;
	struct pen pen = {NULL, (uint64_t)out->len * 8};

	if ((trees->shared && natural_pack_tree(&pen, out, trees->shared, event)) ||
	    (trees->context && natural_pack_tree(&pen, out, trees->context, event)) ||
	    natural_pack_tree(&pen, out, trees->payload, event))
		return 0;
	return finish_pack(&pen, out);
}

unsigned int natural_pack(const struct natural *natural, const struct event *event,
			  struct buffer *out)
{
	if (natural->same && event->offsets == event->class->offsets) {
		buffer_append(out, event->payload, natural->class.payload_bytes);
		return natural->spare_bits;
	}
	return natural->trees.payload ? pack_trees(natural, event, out) :
					pack_fields(natural, event, out);
}
