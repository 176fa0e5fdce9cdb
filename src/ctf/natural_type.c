// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_type.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "ctf/metadata_field.h"
#include "ctf/natural_node.h"
#include "schema/field.h"
#include "schema/variant.h"
#include "wire/ctf.h"

#define NO_OPTION SIZE_MAX

/* As ctf_type_member: a leading underscore only keeps names apart from keywords. */
static size_t find_option(const struct event_variant *variant, const char *label)
{
	if (label[0] == '_' && label[1])
		label++;
	for (size_t i = 0; i < variant->option_count; i++) {
		if (!strcmp(variant->options[i].name, label))
			return i;
	}
	return NO_OPTION;
}

const char *natural_tag_label(const struct event_variant *variant, size_t option,
			      const struct field *tag)
{
	for (size_t i = 0; i < tag->label_count; i++) {
		if (find_option(variant, tag->labels[i].name) == option)
			return tag->labels[i].name;
	}
	return NULL;
}

/* The labels choose what the source chooses, in the same order. */
static bool is_same(const struct event_variant *variant, const struct field *tag)
{
	size_t count = 0;

	for (size_t i = 0; i < tag->label_count; i++) {
		const struct field_label *label = &tag->labels[i];
		size_t option = find_option(variant, label->name);
		const struct event_choice *choice = &variant->choices[count];

		if (option == NO_OPTION)
			continue;
		if (count == variant->choice_count || choice->option != option ||
		    choice->first != label->first || choice->last != label->last ||
		    strcmp(natural_tag_label(variant, option, tag), label->name) != 0)
			return false;
		count++;
	}
	return count == variant->choice_count;
}

static bool is_less(int64_t a, int64_t b, bool is_signed)
{
	return is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}

/* Of labels that overlap the first one wins here, and elsewhere they are an error. */
static bool overlap(const struct event_variant *variant, bool is_signed)
{
	for (size_t i = 0; i < variant->choice_count; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct event_choice *a = &variant->choices[i];
			const struct event_choice *b = &variant->choices[j];

			if (!is_less(a->last, b->first, is_signed) &&
			    !is_less(b->last, a->first, is_signed))
				return true;
		}
	}
	return false;
}

bool natural_tag_fits(const struct event_variant *variant, const struct field *tag)
{
	if (tag->kind != FIELD_INT || field_is_many(tag) || !tag->label_count ||
	    variant->optional || variant->choice_count > CTF_CHOICES_MAX ||
	    !is_same(variant, tag) || overlap(variant, tag->is_signed))
		return false;
	for (size_t i = 0; i < variant->option_count; i++) {
		const struct event_option *option = &variant->options[i];
		const char *label = natural_tag_label(variant, i, tag);

		if (label ? !metadata_is_name(label) : option->first != option->end)
			return false;
	}
	return true;
}

/*
 * The length field of a sequence, and the tag field of a variant.
 *
 * That is a field of the source, if readers find it: by the path that the node gets. A length or a tag that
 * no field of the source holds, or that babeltrace2 2.0 does not find where the field is, gets a node of its
 * own in front of the type that needs it; our readers hide it (sonde-trace(5)). Only
 * ctf/natural_type calls this.
 */

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

/* Of @node, a sequence in @frame: the path to its length, or a length of its own. */
static void natural_teller_length(struct natural_maker *maker, struct natural_place *place,
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

/* Of @node, a variant in @frame: its tag, a field of the source, or NULL: a tag of its own. */
static const struct field *natural_teller_tag(struct natural_maker *maker,
					      struct natural_place *place,
					      const struct natural_frame *frame,
					      struct natural_node *node)
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

static struct natural_node *make_type(struct natural_maker *maker, struct natural_place *place,
				      struct natural_frame *frame, uint32_t first, uint32_t end,
				      size_t prefix);
static struct natural_node *make_struct(struct natural_maker *maker,
					const struct natural_place *outer,
					struct natural_frame *frame, uint32_t first, uint32_t end,
					size_t scope);

static struct natural_node *make_item(struct natural_maker *maker, struct natural_place *place,
				      struct natural_frame *outer, const struct natural_node *list)
{
	struct natural_frame frame = {.class = list->field.items, .list = list, .outer = outer};

	return make_type(maker, place, &frame, 0, (uint32_t)frame.class->field_count, 0);
}

static struct natural_node *make_field(struct natural_maker *maker, struct natural_place *place,
				       struct natural_frame *frame, uint32_t i)
{
	const struct field *field = &frame->class->fields[i];
	bool is_list = field->kind == FIELD_LIST;
	struct natural_node *node =
		natural_node_make(maker, is_list ? NATURAL_LIST : NATURAL_FIELD, frame);

	node->index = i;
	node->field = natural_field(field);
	node->align = node->field.align_bits;
	if (field->length || field->count_at)
		natural_teller_length(maker, place, frame, node);
	if (!is_list)
		return node;
	node->inner = make_item(maker, place, frame, node);
	node->align = node->inner->align;
	return node;
}

/* The variant whose fields begin with field @i of @frame, or NULL: a variant without fields is not visible. */
static const struct event_variant *next_variant(struct natural_frame *frame, uint32_t i)
{
	const struct event_class *class = frame->class;

	while (frame->variant < class->variant_count &&
	       class->variants[frame->variant].first == class->variants[frame->variant].end)
		frame->variant++;
	if (frame->variant == class->variant_count || class->variants[frame->variant].first != i)
		return NULL;
	return &class->variants[frame->variant];
}

static bool has_option(const struct event_variant *variant, const char *name)
{
	for (size_t i = 0; i < variant->option_count; i++) {
		if (!strcmp(variant->options[i].name, name))
			return true;
	}
	return false;
}

/* What is chosen where the event has nothing of the variant; the source may have it. */
static struct natural_node *make_nothing(struct natural_maker *maker,
					 const struct natural_frame *frame,
					 const struct event_variant *variant)
{
	struct natural_node *node = natural_node_make(maker, NATURAL_STRUCT, frame);
	char name[32] = "none";

	for (size_t i = 0; i < variant->option_count; i++) {
		if (variant->options[i].first == variant->options[i].end && !variant->optional)
			return NULL;
	}
	for (size_t len = strlen(name);
	     !variant->optional && has_option(variant, name) && len + 1 < sizeof(name); len++)
		memcpy(name + len, "_", 2);
	node->option = NATURAL_NOTHING;
	node->name = natural_node_name(maker, name, strlen(name));
	return node;
}

static void push_option(const struct natural_maker *maker, struct natural_node *variant,
			struct natural_node **last, struct natural_node *option)
{
	if (maker->err)
		return;
	if (*last)
		(*last)->next = option;
	else
		variant->inner = option;
	*last = option;
}

static const char *name_option(struct natural_maker *maker, const struct event_variant *variant,
			       size_t i, const struct field *tag)
{
	const char *name = variant->optional ? "some" : variant->options[i].name;

	return tag ? natural_tag_label(variant, i, tag) :
		     natural_node_name(maker, name, strlen(name));
}

/* Of an optional field there may be none; then it has no option but that. */
static bool is_written(const struct event_variant *variant, size_t i, const struct field *tag)
{
	const struct event_option *option = &variant->options[i];

	if (tag)
		return natural_tag_label(variant, i, tag);
	return !variant->optional || option->first != option->end;
}

static void make_options(struct natural_maker *maker, struct natural_place *place,
			 struct natural_frame *frame, struct natural_node *node,
			 const struct field *tag)
{
	const struct event_variant *variant = node->variant;
	struct natural_node *nothing = tag ? NULL : make_nothing(maker, frame, variant);
	struct natural_node *last = NULL;

	if (nothing)
		push_option(maker, node, &last, nothing);
	for (size_t i = 0; i < variant->option_count; i++) {
		const struct event_option *option = &variant->options[i];
		size_t prefix = variant->name_len;
		struct natural_node *made;

		if (!is_written(variant, i, tag))
			continue;
		if (!variant->optional)
			prefix += strlen(option->name) + (prefix > 0);
		made = make_type(maker, place, frame, option->first, option->end, prefix);
		made->option = (uint32_t)i;
		made->name = name_option(maker, variant, i, tag);
		push_option(maker, node, &last, made);
	}
}

static struct natural_node *make_variant(struct natural_maker *maker, struct natural_place *place,
					 struct natural_frame *frame,
					 const struct event_variant *variant)
{
	struct natural_node *node = natural_node_make(maker, NATURAL_VARIANT, frame);
	const struct field *tag;

	frame->variant++;
	node->variant = variant;
	tag = natural_teller_tag(maker, place, frame, node);
	make_options(maker, place, frame, node, tag);
	return node;
}

/* How many fields from @i on are in one structure: have the first @len bytes of its name. */
static uint32_t count_group(const struct natural_place *place, uint32_t i, size_t len)
{
	const struct field *fields = place->frame->class->fields;
	uint32_t end = i + 1;

	while (end < place->end && !strncmp(fields[end].name, fields[i].name, len))
		end++;
	return end - i;
}

static bool is_member(const struct natural_place *place, const char *name)
{
	for (const struct natural_node *node = place->node->inner; node; node = node->next) {
		if (!strcmp(node->name, name))
			return true;
	}
	return false;
}

/*
 * A structure has one member of a name. Each of the three contexts of an event may have a member of one name, and there are two
 * structures for them: the third member is numbered.
 */
static const char *name_apart(struct natural_maker *maker, const struct natural_place *place,
			      const char *name)
{
	const char *apart = name;

	for (unsigned int i = 2;
	     !maker->err &&
	     (is_member(place, apart) || (apart != name && natural_place_has(place, apart)));
	     i++) {
		struct buffer text;

		buffer_init(&text);
		buffer_format(&text, "%s_%u", name, i);
		apart = natural_node_text(maker, &text);
	}
	return apart;
}

/* The member that begins with field @i. How many fields it has. */
static uint32_t add_member(struct natural_maker *maker, struct natural_place *place, uint32_t i)
{
	struct natural_frame *frame = place->frame;
	const struct event_variant *variant = next_variant(frame, i);
	const size_t scope = natural_place_scope(place, i);
	const char *name = frame->class->fields[i].name + scope;
	size_t own = variant && variant->name_len > scope ? variant->name_len - scope :
							    strlen(name);
	size_t len = strcspn(name, ".");
	struct natural_node *node;
	uint32_t count = 1;

	place->member = name;
	if (len < own) {
		count = count_group(place, i, scope + len + 1);
		node = make_struct(maker, place, frame, i, i + count, scope + len + 1);
	} else if (variant) {
		len = own;
		count = variant->end - i;
		node = make_variant(maker, place, frame, variant);
	} else {
		node = make_field(maker, place, frame, i);
	}
	node->name = name_apart(maker, place, natural_node_name(maker, name, len));
	natural_node_append(maker, place, node);
	return count;
}

static void add_members(struct natural_maker *maker, struct natural_place *place)
{
	for (uint32_t i = place->first; i < place->end && !maker->err;)
		i += add_member(maker, place, i);
}

static struct natural_node *make_struct(struct natural_maker *maker,
					const struct natural_place *outer,
					struct natural_frame *frame, uint32_t first, uint32_t end,
					size_t scope)
{
	struct natural_place place = {
		.frame = frame,
		.outer = outer,
		.first = first,
		.end = end,
		.scope = scope,
		.node = natural_node_make(maker, NATURAL_STRUCT, frame),
	};

	add_members(maker, &place);
	return place.node;
}

/* Whether the field is what the first @prefix bytes of its name are called, and no member of that. Names that are there twice
 * are numbered behind that: "a.b_2". */
static bool is_whole(const char *name, size_t prefix)
{
	return strlen(name) == prefix || (prefix && name[prefix] != '.');
}

/* Whatever an item or an option is, whose name is the first @prefix bytes of those of its fields. */
static struct natural_node *make_type(struct natural_maker *maker, struct natural_place *place,
				      struct natural_frame *frame, uint32_t first, uint32_t end,
				      size_t prefix)
{
	const struct event_variant *variant = first < end ? next_variant(frame, first) : NULL;

	if (variant && variant->name_len == prefix)
		return make_variant(maker, place, frame, variant);
	if (!variant && first < end && is_whole(frame->class->fields[first].name, prefix))
		return make_field(maker, place, frame, first);
	return make_struct(maker, place, frame, first, end, prefix ? prefix + 1 : 0);
}

const struct natural_node *natural_type_root(struct natural_maker *maker,
					     struct natural_frame *frame, size_t first, size_t end,
					     bool task)
{
	struct natural_place place = {
		.frame = frame,
		.first = (uint32_t)first,
		.end = (uint32_t)end,
		.node = natural_node_make(maker, NATURAL_STRUCT, frame),
	};

	if (task) {
		struct natural_node *node = natural_node_make(maker, NATURAL_TASK, frame);

		node->bits = node->align = NATURAL_WORD_BITS;
		node->name = "tid";
		natural_node_append(maker, &place, node);
	}
	add_members(maker, &place);
	return place.node;
}
