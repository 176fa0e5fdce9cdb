// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/natural_type.h"

#include <string.h>

#include "base/buffer.h"
#include "ctf/natural_node.h"
#include "ctf/natural_tag.h"
#include "ctf/natural_teller.h"

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
