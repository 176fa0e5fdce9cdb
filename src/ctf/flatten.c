// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/flatten.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/flatten_field.h"
#include "ctf/flatten_find.h"
#include "ctf/reference.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "schema/event.h"
#include "schema/variant.h"

static enum event_role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum event_role role;
	} roles[] = {
		{"sonde.task", EVENT_ROLE_TASK},     {"sonde.name", EVENT_ROLE_NAME},
		{"sonde.symbol", EVENT_ROLE_SYMBOL}, {"sonde.mapping", EVENT_ROLE_MAPPING},
		{"sonde.stream", EVENT_ROLE_STREAM}, {"sonde.end", EVENT_ROLE_END},
		{"sonde.stack", EVENT_ROLE_STACK},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (!strcmp(roles[i].name, name))
			return roles[i].role;
	}
	return EVENT_ROLE_PLAIN;
}

static void set_task(struct ctf_layout *layout, const struct flatten *flatten)
{
	if (!flatten->tid)
		return;
	layout->tid_bits = (uint8_t)flatten->tid->size;
	layout->tid_big_endian = flatten->tid->big_endian;
	layout->tid_signed = flatten->tid->is_signed;
	layout->tid_slot = flatten->tid_slot;
	layout->tid_offset = (uint32_t)flatten->tid_offset;
}

static uint32_t first_align(const struct ctf_layout *layout)
{
	return layout->steps.count ? layout->steps.steps[0].align : 1;
}

static int add_scopes(struct flatten *flatten, struct event_class *class,
		      struct ctf_steps *packet_steps)
{
	const struct ctf_event_decl *decl = flatten->decl;
	int err = 0;

	if (flatten->stream->shows_packet)
		err = flatten_packet(flatten, flatten->stream->packet_context, packet_steps);
	if (!err && !flatten->stream->head_has_context)
		err = flatten_context(flatten, "stream.event.context",
				      flatten->stream->event_context);
	err = err ?: flatten_context(flatten, "event.context", decl->context);
	class->context_count = flatten->frame.count;
	class->tells_task = flatten->task_is_no_field;
	err = err ?: flatten_scope(flatten, "event.fields", decl->fields);
	return err ?: flatten_finish(flatten, class);
}

static void fit_steps(struct arena *arena, struct ctf_steps *steps)
{
	void *array = steps->steps;

	arena_fit(arena, &array, steps->count, sizeof(*steps->steps));
	steps->steps = array;
}

int ctf_layout_make(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		    const struct ctf_event_decl *decl, struct ctf_layout **ret, struct diag *diag)
{
	struct ctf_layout *layout = arena_alloc(&trace->arena, sizeof(*layout));
	struct flatten flatten;
	int err;

	if (!layout)
		return diag_set(diag, -ENOMEM, "out of memory");
	layout->class = (struct event_class){
		.id = (uint32_t)decl->id,
		.name = decl->name,
		.text = decl->text,
		.role = role_of(decl->name),
	};
	flatten_init(&flatten, trace, stream, decl, &layout->steps, diag);
	err = add_scopes(&flatten, &layout->class, &layout->packet_steps);
	if (err)
		return err;
	fit_steps(&trace->arena, &layout->steps);
	fit_steps(&trace->arena, &layout->packet_steps);
	layout->class.fixed = flatten.fixed;
	layout->class.payload_bytes = flatten.fixed ? (uint32_t)((flatten.offset + 7) / 8) : 0;
	layout->bits = (uint32_t)flatten.offset;
	layout->align = first_align(layout);
	layout->align_max = flatten.align > 8 ? flatten.align : 8;
	set_task(layout, &flatten);
	*ret = layout;
	return 0;
}

static int flatten_type(struct flatten *flatten, const struct ctf_type *type,
			const struct ctf_doc *doc);

/* Appends to the path; the caller cuts it back to the length it had. */
static int push_path(struct flatten *flatten, const char *before, const char *name,
		     const struct ctf_type *type)
{
	size_t room = sizeof(flatten->path) - flatten->path_len;
	int len = snprintf(flatten->path + flatten->path_len, room, "%s%s", before, name);

	if (len < 0 || (size_t)len >= room)
		return flatten_fail(flatten, -E2BIG, type, "has too long a name");
	flatten->path_len += (size_t)len;
	return 0;
}

static int push_name(struct flatten *flatten, const char *name, const struct ctf_type *type)
{
	return push_path(flatten, flatten->path_len > flatten->name_at ? "." : "", name, type);
}

static void cut_name(struct flatten *flatten, size_t len)
{
	flatten->path_len = len;
	flatten->path[len] = '\0';
}

static int flatten_member(struct flatten *flatten, const struct ctf_member *member)
{
	size_t len = flatten->path_len;
	int err = push_name(flatten, member->name, member->type);

	err = err ?: flatten_type(flatten, member->type, &member->doc);
	cut_name(flatten, len);
	return err;
}

static void begin_struct(struct flatten *flatten, const struct ctf_type *type)
{
	if (type->align > flatten->lead)
		flatten->lead = type->align;
}

static int flatten_struct(struct flatten *flatten, const struct ctf_type *type)
{
	int err = 0;

	begin_struct(flatten, type);
	for (size_t i = 0; i < type->member_count && !err; i++)
		err = flatten_member(flatten, &type->members[i]);
	return err;
}

/* Elements that lie side by side and differ only by their number. */
static bool is_plain(const struct ctf_type *element)
{
	return ctf_type_has_size(element) && !(element->size % element->align);
}

/* What one item of a list looks like: a frame of its own. */
static int flatten_items(struct flatten *flatten, const struct ctf_type *element,
			 struct ctf_steps *steps, struct event_class *items)
{
	const struct flatten outer = *flatten;
	static const struct ctf_doc no_doc;
	int err;

	flatten->frame = (struct flatten_frame){0};
	flatten->steps = steps;
	flatten->options = 0;
	flatten->lists++;
	flatten->renamed = false;
	err = push_path(flatten, "[]", ".", element);
	flatten->name_at = flatten->path_len;
	err = err ?: flatten_type(flatten, element, &no_doc);
	err = err ?: flatten_end_steps(flatten, element);
	err = err ?: flatten_finish(flatten, items);
	flatten->frame = outer.frame;
	flatten->steps = outer.steps;
	flatten->options = outer.options;
	flatten->lists = outer.lists;
	flatten->renamed = outer.renamed;
	flatten->name_at = outer.name_at;
	flatten->number_count = outer.number_count;
	cut_name(flatten, outer.path_len);
	return err;
}

/* @field is its array or sequence, whose step is the last. */
static int add_list(struct flatten *flatten, const struct ctf_type *type, struct ctf_step *step,
		    size_t field)
{
	struct arena *arena = &flatten->trace->arena;
	struct ctf_steps *inner = arena_alloc(arena, sizeof(*inner));
	struct event_class *items = arena_alloc(arena, sizeof(*items));

	if (!inner || !items)
		return flatten_no_memory(flatten);
	step->inner = inner;
	step->items = items;
	flatten->frame.fields[field].items = items;
	return flatten_items(flatten, type->element, inner, items);
}

static int add_array(struct flatten *flatten, const struct ctf_type *type,
		     const struct ctf_doc *doc)
{
	struct ctf_step *step;
	struct field *field;
	int err;

	begin_struct(flatten, type);
	if (is_plain(type->element)) {
		size_t at = flatten->frame.count;

		err = flatten_add_bits(flatten, type->element, type->count,
				       flatten_kind_of(type->element), doc);
		if (!err)
			flatten->frame.fields[at].is_array = true;
		return err;
	}
	err = flatten_add_field(flatten, type->element, FIELD_LIST, type->count, doc, &field);
	if (err)
		return err;
	step = flatten_add_field_step(flatten, CTF_STEP_LIST, type);
	if (!step)
		return flatten_no_memory(flatten);
	step->count = type->count;
	return add_list(flatten, type, step, flatten->frame.count - 1);
}

static int fail_reference(struct flatten *flatten, const struct ctf_type *type, int err)
{
	char text[CTF_NAME_MAX_BYTES + 64];

	if (err == -ENOMEM)
		return flatten_no_memory(flatten);
	if (err == -E2BIG)
		return flatten_fail(flatten, err, type, "refers to one field too many");
	if (!type->ref)
		return flatten_fail(flatten, -EBADMSG, type, "is a variant without a tag");
	(void)snprintf(text, sizeof(text), "refers to '%.200s', which is not an %s before it",
		       type->ref->path, type->kind == CTF_VARIANT ? "enumeration" : "integer");
	return flatten_fail(flatten, -EBADMSG, type, text);
}

static int add_sequence(struct flatten *flatten, const struct ctf_type *type,
			const struct ctf_doc *doc)
{
	const struct ctf_type *element = type->element;
	bool plain = is_plain(element);
	struct flatten_value length;
	struct ctf_step *step;
	struct field *field;
	int err = flatten_find(flatten, type, &length);

	if (err)
		return fail_reference(flatten, type, err);
	err = flatten_add_field(flatten, element, plain ? flatten_kind_of(element) : FIELD_LIST, 0,
				doc, &field);
	if (err)
		return err;
	step = flatten_add_field_step(flatten, plain ? CTF_STEP_SEQUENCE : CTF_STEP_LIST, type);
	if (!step)
		return flatten_no_memory(flatten);
	if (length.place.index && !length.place.lists)
		field->length = length.place.index;
	else
		flatten_add_count(flatten, field, &length.place);
	step->bits = plain ? element->size : 0;
	step->from = length.slot;
	return plain ? 0 : add_list(flatten, type, step, flatten->frame.count - 1);
}

/* What an optional field may be has the field's name; in CTF 2 it is the field that is described. */
static int flatten_optional(struct flatten *flatten, const struct ctf_type *variant,
			    const struct ctf_member *member, const struct ctf_doc *doc)
{
	return flatten_type(flatten, member->type, variant->ref->has_ranges ? doc : &member->doc);
}

/* One of those that a variant chooses from. */
static int flatten_option(struct flatten *flatten, const struct ctf_type *variant,
			  const struct ctf_member *member, const struct ctf_doc *doc, size_t first,
			  struct ctf_steps *steps)
{
	struct ctf_steps *outer = flatten->steps;
	size_t numbers = flatten->number_count;
	int err;

	flatten->steps = steps;
	flatten->options++;
	err = variant->optional ? flatten_optional(flatten, variant, member, doc) :
				  flatten_member(flatten, member);
	err = err ?: flatten_end_steps(flatten, member->type);
	flatten->options--;
	flatten->steps = outer;
	if (!err && variant->ref->has_ranges && !variant->optional &&
	    flatten_find_share(flatten, member->name, (size_t)(member - variant->members), first,
			       numbers))
		err = flatten_no_memory(flatten);
	else if (!variant->ref->has_ranges || variant->optional)
		flatten->number_count = numbers;
	return err;
}

static int flatten_options(struct flatten *flatten, const struct ctf_type *type,
			   const struct ctf_doc *doc, struct event_option *options,
			   struct ctf_steps *inner)
{
	size_t numbers = flatten->number_count;
	int err = 0;

	for (size_t i = 0; i < type->member_count && !err; i++) {
		options[i].name = type->members[i].name;
		options[i].first = (uint32_t)flatten->frame.count;
		err = flatten_option(flatten, type, &type->members[i], doc, numbers, &inner[i]);
		options[i].end = (uint32_t)flatten->frame.count;
	}
	flatten_find_settle(flatten, numbers, type->member_count);
	return err;
}

static int add_variant(struct flatten *flatten, const struct ctf_type *type,
		       const struct ctf_doc *doc)
{
	struct arena *arena = &flatten->trace->arena;
	struct ctf_steps *inner = arena_alloc(arena, (type->member_count ?: 1) * sizeof(*inner));
	struct event_option *options =
		arena_alloc(arena, (type->member_count ?: 1) * sizeof(*options));
	const size_t at = flatten->frame.variant_count;
	struct ctf_choice *choices;
	struct flatten_value tag;
	struct ctf_step *step;
	size_t choice_count;
	int err = type->ref ? flatten_find(flatten, type, &tag) : -ENOENT;

	if (err)
		return fail_reference(flatten, type, err);
	err = reference_choices(arena, type, tag.type, &choices, &choice_count);
	if (err == -E2BIG)
		return flatten_fail(flatten, err, type,
				    "has a tag with too many ranges of values that overlap");
	if (err || !inner || !options)
		return flatten_no_memory(flatten);
	step = flatten_add_step(flatten, CTF_STEP_CHOICE, 1);
	if (!step)
		return flatten_no_memory(flatten);
	step->from = tag.slot;
	step->is_signed = tag.type->is_signed;
	step->optional = type->optional;
	step->choices = choices;
	step->choice_count = choice_count;
	step->inner = inner;
	err = flatten_add_variant(flatten, type, &tag.place, step, options);
	err = err ?: flatten_options(flatten, type, doc, options, inner);
	flatten->frame.variants[at].end = (uint32_t)flatten->frame.count;
	return err;
}

static int flatten_type(struct flatten *flatten, const struct ctf_type *type,
			const struct ctf_doc *doc)
{
	switch (type->kind) {
	case CTF_FLOAT:
		return flatten_add_bits(flatten, type, 1, FIELD_FLOAT, doc);
	case CTF_STRING:
		return flatten_add_string(flatten, type, doc);
	case CTF_STRUCT:
		return flatten_struct(flatten, type);
	case CTF_ARRAY:
		return add_array(flatten, type, doc);
	case CTF_SEQUENCE:
		return add_sequence(flatten, type, doc);
	case CTF_VARIANT:
		return add_variant(flatten, type, doc);
	default:
		return flatten_add_number(flatten, type, doc);
	}
}

static bool has_references(const struct ctf_type *type)
{
	return type && type->refers;
}

void flatten_init(struct flatten *flatten, struct ctf_trace_class *trace,
		  const struct ctf_stream_class *stream, const struct ctf_event_decl *decl,
		  struct ctf_steps *steps, struct diag *diag)
{
	memset(flatten, 0, sizeof(*flatten));
	flatten->trace = trace;
	flatten->stream = stream;
	flatten->decl = decl;
	flatten->diag = diag;
	flatten->steps = steps;
	flatten->refers = has_references(decl->fields) || has_references(decl->context) ||
			  has_references(stream->event_context) ||
			  has_references(stream->packet_context);
	flatten->fixed = true;
	flatten->lead = flatten->align = 1;
	flatten->slot_next = CTF_SLOTS_MAX;
}

static void begin_scope(struct flatten *flatten, const char *scope, const struct ctf_type *type)
{
	flatten->path_len = (size_t)snprintf(flatten->path, sizeof(flatten->path), "%s.", scope);
	flatten->scope_len = flatten->name_at = flatten->path_len;
	begin_struct(flatten, type);
}

int flatten_scope(struct flatten *flatten, const char *scope, const struct ctf_type *type)
{
	int err;

	if (!type)
		return 0;
	begin_scope(flatten, scope, type);
	err = flatten_struct(flatten, type);
	return err ?: flatten_end_steps(flatten, type);
}

/* The task belongs to every event, so "tid" is not a field as well. */
static int flatten_task(struct flatten *flatten, const struct ctf_member *member)
{
	flatten->tid = member->type;
	flatten->tid_slot = flatten->slot_next++;
	flatten->at_tid = true;
	flatten->task_is_no_field = !strcmp(member->name, "tid");
	return flatten->task_is_no_field ? flatten_add_task(flatten, member->type) :
					   flatten_member(flatten, member);
}

int flatten_context(struct flatten *flatten, const char *scope, const struct ctf_type *type)
{
	const struct ctf_type *payload = flatten->decl->fields;
	int err = 0;

	if (!type)
		return 0;
	begin_scope(flatten, scope, type);
	for (size_t i = 0; i < type->member_count && !err; i++) {
		const struct ctf_member *member = &type->members[i];

		flatten->renamed = payload && ctf_type_member(payload, member->name,
							      strlen(member->name)) >= 0;
		if (member->role == CTF_ROLE_TID && ctf_type_is_number(member->type) &&
		    !flatten->tid)
			err = flatten_task(flatten, member);
		else
			err = flatten_member(flatten, member);
	}
	flatten->renamed = false;
	return err ?: flatten_end_steps(flatten, type);
}

static bool is_of_payload(const struct flatten *flatten, const struct ctf_member *member)
{
	const struct ctf_type *payload = flatten->decl->fields;

	return payload && ctf_type_member(payload, member->name, strlen(member->name)) >= 0;
}

int flatten_packet(struct flatten *flatten, const struct ctf_type *type, struct ctf_steps *steps)
{
	static const struct ctf_doc hidden = {.hidden = true};
	struct ctf_steps *outer = flatten->steps;
	int err = 0;

	flatten->steps = steps;
	flatten->fixed = false;
	begin_scope(flatten, "stream.packet.context", type);
	for (size_t i = 0; i < type->member_count && !err; i++) {
		const struct ctf_member *member = &type->members[i];
		const struct ctf_member unseen = {
			.name = member->name, .type = member->type, .doc = hidden};
		bool is_head = ctf_role_is_of_packet(member->role) &&
			       ctf_type_is_number(member->type);

		flatten->renamed = is_of_payload(flatten, member);
		err = flatten_member(flatten, is_head ? &unseen : member);
	}
	flatten->renamed = false;
	err = err ?: flatten_end_steps(flatten, type);
	flatten->steps = outer;
	return err;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ^ hash >> 15;
}

/* Whether @name is that of one of the fields in @index; else it is now, of the field at @field. */
static bool is_taken(const struct field *fields, uint16_t *index, size_t room, const char *name,
		     size_t field)
{
	size_t at = hash_of(name) & (room - 1);

	for (; index[at]; at = (at + 1) & (room - 1))
		if (!strcmp(fields[index[at] - 1].name, name))
			return true;
	index[at] = (uint16_t)(field + 1);
	return false;
}

/*
 * Two members may have one name, and contexts the same one: the second is NAME_2, so that tables and
 * expressions can tell them apart.
 */
static int part_names(struct flatten *flatten)
{
	static const char format[] = "%.*s_%u";
	struct field *fields = flatten->frame.fields;
	uint16_t index[4 * CTF_FIELDS_MAX];
	size_t room = 16;

	while (room < 2 * flatten->frame.count)
		room *= 2;
	memset(index, 0, room * sizeof(*index));
	for (size_t i = 0; i < flatten->frame.count && flatten->frame.count > 1; i++) {
		const char *name = fields[i].name;
		char text[CTF_NAME_MAX_BYTES + 32];

		for (unsigned int nth = 2; is_taken(fields, index, room, name, i); nth++) {
			(void)snprintf(text, sizeof(text), format, (int)CTF_NAME_MAX_BYTES,
				       fields[i].name, nth);
			name = text;
		}
		if (name != text)
			continue;
		fields[i].name = arena_text(&flatten->trace->arena, text, strlen(text));
		if (!fields[i].name)
			return flatten_no_memory(flatten);
	}
	return 0;
}

static void fit_frame(struct arena *arena, struct flatten_frame *frame)
{
	void *fields = frame->fields, *variants = frame->variants;

	arena_fit(arena, &fields, frame->count, sizeof(*frame->fields));
	arena_fit(arena, &variants, frame->variant_count, sizeof(*frame->variants));
	frame->fields = fields;
	frame->variants = variants;
}

int flatten_finish(struct flatten *flatten, struct event_class *class)
{
	struct flatten_frame *frame = &flatten->frame;
	size_t count = frame->count + frame->counts;
	uint32_t *offsets = arena_alloc(&flatten->trace->arena, (count + 1) * sizeof(*offsets));

	if (!offsets)
		return flatten_no_memory(flatten);
	if (part_names(flatten))
		return -ENOMEM;
	fit_frame(&flatten->trace->arena, frame);
	for (size_t i = 0; i < frame->count; i++) {
		struct field *field = &frame->fields[i];

		offsets[i] = field->offset_bits;
		if (field->count_at)
			field->count_at += (uint32_t)frame->count;
	}
	class->name = class->name ?: "";
	class->optional = frame->optional;
	class->fields = frame->fields;
	class->field_count = frame->count;
	class->variants = frame->variants;
	class->variant_count = frame->variant_count;
	class->offsets = offsets;
	class->offset_count = count;
	return 0;
}
