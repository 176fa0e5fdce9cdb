// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_teller.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/metadata_field.h"
#include "ctf/natural_node.h"
#include "ctf/natural_tag.h"

#define ADDED_NAME_BYTES 64u

/* A name that nothing in @place has: @base, then @suffix, then as many underscores as it takes. */
static const char *make_added_name(struct natural_maker *maker, const struct natural_place *place,
				   const char *base, const char *suffix)
{
	char name[ADDED_NAME_BYTES + 80];
	size_t len = 0;

	if (!((*base | 0x20) >= 'a' && (*base | 0x20) <= 'z'))
		name[len++] = 'n';
	while (*base && len < ADDED_NAME_BYTES)
		name[len++] = (char)(metadata_is_name((char[]){'n', *base, 0}) ? *base : '_'),
		base++;
	len += (size_t)snprintf(name + len, sizeof(name) - len, "%s", suffix);
	while (natural_place_has(place, name) && len + 1 < sizeof(name)) {
		name[len++] = '_';
		name[len] = '\0';
	}
	return natural_node_name(maker, name, len);
}

/* One value for each option, and one for none of them. */
static uint32_t tag_bits(const struct event_variant *variant)
{
	return variant->option_count < 256 ? 8 : 32;
}

/* Puts the length or tag field of @node in front of the member that is being made. */
static void add_teller(struct natural_maker *maker, struct natural_place *place,
		       enum natural_kind kind, struct natural_node *node, const char *base)
{
	struct natural_node *teller = natural_node_make(maker, kind, place->frame);

	base = natural_last_name(base);
	teller->bits = kind == NATURAL_LENGTH ? NATURAL_WORD_BITS : tag_bits(node->variant);
	teller->align = kind == NATURAL_LENGTH ? NATURAL_WORD_BITS : 8;
	teller->of = node;
	teller->name = make_added_name(maker, place, *base ? base : place->member,
				       kind == NATURAL_TAG ? "_tag" : "_length");
	node->path = teller->name;
	natural_node_append(maker, place, teller);
}

/* The whole path from the payload to a length that the event itself has, or NULL. */
static const char *make_path(struct natural_maker *maker, const struct natural_place *place,
			     const struct field *length)
{
	const struct event_class *class = maker->class;
	const size_t at = (size_t)(length - class->fields);
	struct buffer text;
	size_t scope;

	while (place->outer)
		place = place->outer;
	/* In contexts babeltrace2 2.0 finds only what is near, and here only what always is. */
	if (place->first < class->context_count || length->optional)
		return NULL;
	scope = natural_place_scope(&(struct natural_place){.frame = place->frame}, (uint32_t)at);
	buffer_init(&text);
	buffer_string(&text, at >= class->context_count ? "event.fields." :
			     at < maker->shared		? "stream.event.context." :
							  "event.context.");
	metadata_path(&text, length->name + scope);
	return natural_node_text(maker, &text);
}

static const char *last_name(struct natural_maker *maker, const struct field *field)
{
	const char *name = natural_last_name(field->name);

	return natural_node_name(maker, name, strlen(name));
}

void natural_teller_length(struct natural_maker *maker, struct natural_place *place,
			   const struct natural_frame *frame, struct natural_node *node)
{
	const struct field *field = &frame->class->fields[node->index];
	const struct field_ref near = {field->length, 0};
	const struct field *length =
		natural_frame_find(&frame, field->length ? &near : &field->count_of);

	if (length && !length->is_signed) { /* elsewhere lengths have no sign */
		if (natural_place_sees(place, frame, length))
			node->path = last_name(maker, length);
		else if (!frame->list)
			node->path = make_path(maker, place, length);
	}
	if (!node->path)
		add_teller(maker, place, NATURAL_LENGTH, node, field->name);
}

/* The field that may choose of @variant in here, or NULL. */
static const struct field *find_tag(const struct natural_place *place,
				    const struct natural_frame *frame,
				    const struct event_variant *variant)
{
	const struct field *tag = natural_frame_find(&frame, &variant->tag);

	return tag && natural_place_sees(place, frame, tag) && natural_tag_fits(variant, tag) ?
		       tag :
		       NULL;
}

const struct field *natural_teller_tag(struct natural_maker *maker, struct natural_place *place,
				       const struct natural_frame *frame, struct natural_node *node)
{
	const struct event_variant *variant = node->variant;
	const struct field *tag = find_tag(place, frame, variant);
	char name[ADDED_NAME_BYTES];

	node->own_tag = tag;
	if (tag) {
		node->path = last_name(maker, tag);
		return tag;
	}
	(void)snprintf(name, sizeof(name), "%.*s", (int)variant->name_len,
		       frame->class->fields[variant->first].name);
	add_teller(maker, place, NATURAL_TAG, node, name);
	return NULL;
}
