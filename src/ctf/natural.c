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
#include "ctf/natural_type.h"
#include "ctf/pen.h"
#include "ctf/type.h"

static bool is_loose(const struct field *field)
{
	return field->kind == FIELD_LIST || field->optional || field->count_at;
}

/* Whether lengths or tags are in the context, from field @first on. */
static bool context_varies(const struct event_class *class, size_t first)
{
	for (size_t i = first; i < class->context_count; i++) {
		if (is_loose(&class->fields[i]) || class->fields[i].length)
			return true;
	}
	return false;
}

/* The name of field @i of the context as metadata has it. */
static const char *context_name(const struct natural_frame *frame, size_t i)
{
	return frame->class->fields[i].name + (frame->renamed[i] ? strlen(NATURAL_RENAMED) : 0);
}

/* Whether a field before @i of the context has its name, or is in a structure of that name that
 * cannot be the one that it is in. */
static bool is_second(const struct natural_frame *frame, size_t i)
{
	const char *name = context_name(frame, i);
	size_t len = strcspn(name, ".");
	bool apart = false;

	for (size_t j = i; j-- > 0;) {
		const char *other = context_name(frame, j);
		bool together = natural_name_begins(other, name, len);

		if (together && (apart || !strcmp(name, other)))
			return true;
		apart |= !together;
	}
	return false;
}

/* The first field of the context whose name another one has, or the task: that is what two contexts
 * were before they became one. */
static size_t find_second(const struct natural_frame *frame)
{
	const struct event_class *class = frame->class;

	for (size_t i = 0; i < class->context_count; i++) {
		if ((class->tells_task && !strcmp(context_name(frame, i), "tid")) ||
		    is_second(frame, i))
			return i;
	}
	return class->context_count;
}

static bool *find_renamed(struct arena *arena, const struct event_class *class)
{
	bool *renamed = arena_alloc(arena, class->context_count ?: 1);

	for (size_t i = 0; renamed && i < class->context_count; i++)
		renamed[i] = natural_is_renamed(class, i);
	return renamed;
}

static bool needs_trees(const struct natural_frame *frame)
{
	const struct event_class *class = frame->class;

	for (size_t i = 0; i < class->field_count; i++) {
		if (is_loose(&class->fields[i]) || (i < class->context_count && frame->renamed[i]))
			return true;
	}
	return false;
}

/* babeltrace2 2.0 refuses lengths and tags in contexts of events, and every reader refuses two members of one name:
 * a stream has to have that context, or the first of them. Where the second one has lengths or tags too, the stream
 * has both, and members whose names are there already are numbered. */
int natural_trees_make(const struct event_class *class, bool has_heads, struct arena *arena,
		       struct natural_trees *ret)
{
	struct natural_frame frame = {.class = class, .renamed = find_renamed(arena, class)};
	struct natural_maker maker = {.arena = arena, .class = class};
	const size_t context = class->context_count;
	bool shared, task;

	if (!frame.renamed)
		return -ENOMEM;
	maker.shared = find_second(&frame);
	shared = maker.shared < context || context_varies(class, 0);
	if (context_varies(class, maker.shared))
		maker.shared = context;
	task = has_heads ? shared : class->tells_task;
	if (!shared && !task && !needs_trees(&frame))
		return 0;
	if (shared)
		ret->shared = natural_type_root(&maker, &frame, 0, maker.shared, task);
	else
		maker.shared = 0;
	if (context > maker.shared || (task && !shared))
		ret->context =
			natural_type_root(&maker, &frame, maker.shared, context, task && !shared);
	ret->payload = natural_type_root(&maker, &frame, context, class->field_count, false);
	return maker.err;
}

/* Trees of nodes (ctf/natural_node.h) as TSDL. Only ctf/natural calls it. */

static void write_type(struct buffer *out, const struct natural_node *node, unsigned int depth);

/* Of what is an array of arrays, the outermost comes first. */
static void write_brackets(struct buffer *out, const struct natural_node *node)
{
	if (node->kind != NATURAL_LIST && node->kind != NATURAL_FIELD)
		return;
	if (node->path)
		buffer_format(out, "[%s]", node->path);
	else if (field_is_many(&node->field))
		buffer_format(out, "[%u]", node->field.count);
	if (node->kind == NATURAL_LIST)
		write_brackets(out, node->inner);
}

/* The variant that it is, or of which it is an array. */
static bool is_optional(const struct natural_node *node)
{
	while (node->kind == NATURAL_LIST)
		node = node->inner;
	return node->kind == NATURAL_VARIANT && node->variant->optional;
}

static void write_doc(struct buffer *out, const struct natural_node *node)
{
	bool is_field = node->kind == NATURAL_FIELD || node->kind == NATURAL_LIST;

	if (node->kind == NATURAL_LENGTH || node->kind == NATURAL_TAG)
		buffer_string(out, "; /** [; object; " CTF_DOC_HIDDEN "] */\n");
	else if (is_optional(node))
		buffer_string(out, "; /** [; object; " CTF_DOC_OPTIONAL "] */\n");
	else if (is_field)
		metadata_doc(out, &node->field);
	else
		buffer_string(out, ";\n");
}

static void write_members(struct buffer *out, const struct natural_node *node, unsigned int depth)
{
	for (node = node->inner; node; node = node->next) {
		buffer_pad(out, '\t', depth + 1);
		write_type(out, node, depth + 1);
		buffer_format(out, " %s", node->name);
		write_brackets(out, node);
		write_doc(out, node);
	}
	buffer_pad(out, '\t', depth);
	buffer_char(out, '}');
}

/* A tag of our own numbers the options. */
static void write_tag(struct buffer *out, const struct natural_node *node)
{
	unsigned int value = 0;

	buffer_format(out, "enum : integer { size = %u; align = 8; signed = false; } {",
		      node->bits);
	for (const struct natural_node *option = node->of->inner; option; option = option->next)
		buffer_format(out, "%s \"%s\" = %u", value ? "," : "", option->name, value),
			value++;
	buffer_string(out, " }");
}

static void write_type(struct buffer *out, const struct natural_node *node, unsigned int depth)
{
	switch (node->kind) {
	case NATURAL_FIELD:
		metadata_type(out, &node->field);
		break;
	case NATURAL_LIST:
		write_type(out, node->inner, depth);
		break;
	case NATURAL_STRUCT:
		buffer_string(out, "struct {\n");
		write_members(out, node, depth);
		break;
	case NATURAL_VARIANT:
		buffer_format(out, "variant <%s> {\n", node->path);
		write_members(out, node, depth);
		break;
	case NATURAL_TAG:
		write_tag(out, node);
		break;
	case NATURAL_LENGTH:
		buffer_string(out, "u32");
		break;
	case NATURAL_TASK:
		buffer_string(out, "s32");
		break;
	}
}

/* "struct { ... }", in a block. */
static void natural_text_write(struct buffer *out, const struct natural_node *root)
{
	write_type(out, root, 1);
}

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
