// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/flatten.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/flatten_find.h"
#include "ctf/reference.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "schema/event.h"

static int no_memory(struct flatten *flatten)
{
	return diag_set(flatten->diag, -ENOMEM, "out of memory");
}

static int fail(struct flatten *flatten, int err, const struct ctf_type *type, const char *what)
{
	(void)diag_set(flatten->diag, err, "%s %u: event '%s': field '%s' %s",
		       flatten->trace->place, type->line, flatten->decl->name,
		       flatten->path + flatten->scope_len, what);
	if (flatten->diag)
		flatten->diag->line = type->line;
	return err;
}

static enum field_show show_of(const struct ctf_type *number)
{
	switch (number->base) {
	case 2:
		return FIELD_SHOW_BINARY;
	case 8:
		return FIELD_SHOW_OCTAL;
	case 16:
		return FIELD_SHOW_HEX;
	default:
		return FIELD_SHOW_DECIMAL;
	}
}

/* What the comment says, but never an address where there are not sixteen whole bytes. */
static void set_doc(struct field *field, const struct ctf_doc *doc)
{
	field->text = doc->text;
	field->unit = doc->unit;
	field->scope = doc->scope;
	if (!doc->has_show)
		return;
	if (doc->show == FIELD_SHOW_ADDRESS && !(field->kind == FIELD_INT && field->count == 16 &&
						 field->bits == 8 && field->align_bits % 8 == 0))
		return;
	field->show = doc->show;
}

static enum field_kind kind_of(const struct ctf_type *type)
{
	return type->kind == CTF_FLOAT	? FIELD_FLOAT :
	       type->kind == CTF_STRING ? FIELD_STRING :
					  FIELD_INT;
}

/* Of an array: bytes with an encoding are text. */
static enum field_kind kind_of_elements(const struct ctf_type *element)
{
	if (element->kind == CTF_INTEGER && element->is_text && element->size == 8 &&
	    element->align >= 8)
		return FIELD_TEXT;
	return kind_of(element);
}

/* A step of its own for what stands here, behind the structures that begin here too. */
static struct ctf_step *push_step(struct flatten *flatten, enum ctf_step_kind kind, uint32_t align)
{
	void *steps = flatten->steps->steps;
	struct ctf_step *step =
		arena_push(&flatten->trace->arena, &steps, &flatten->steps->count, sizeof(*step));

	if (!step)
		return NULL;
	flatten->steps->steps = steps;
	step->kind = kind;
	step->align = align > flatten->lead ? align : flatten->lead;
	step->field = CTF_NO_FIELD;
	flatten->lead = 1;
	if (step->align > flatten->align)
		flatten->align = step->align;
	if (kind != CTF_STEP_BITS)
		flatten->fixed = false;
	return step;
}

/* Within structures used over and over, names may be much more than the metadata that makes them. */
static bool is_too_long(struct flatten *flatten)
{
	flatten->trace->name_bytes += flatten->path_len;
	return flatten->trace->name_bytes > CTF_NAMES_TOTAL_MAX_BYTES;
}

static const char *make_name(struct flatten *flatten)
{
	char name[sizeof("context.") + CTF_NAME_MAX_BYTES];
	int len = snprintf(name, sizeof(name), "%s%s", flatten->renamed ? "context." : "",
			   flatten->path + flatten->name_at);

	return arena_text(&flatten->trace->arena, name, (size_t)len);
}

static uint16_t bits_of(const struct ctf_type *type, enum field_kind kind)
{
	if (kind == FIELD_STRING || kind == FIELD_LIST)
		return 8;
	return type->leb128 ? 0 : (uint16_t)type->size;
}

/* A field of this frame, made of @type, which is what its elements are. */
static int push_field(struct flatten *flatten, const struct ctf_type *type, enum field_kind kind,
		      uint32_t count, const struct ctf_doc *doc, struct field **ret)
{
	struct arena *arena = &flatten->trace->arena;
	void *fields = flatten->frame.fields;
	struct field *field;

	if (flatten->field_count >= CTF_FIELDS_MAX)
		return fail(flatten, -E2BIG, type, "is one too many");
	if (is_too_long(flatten))
		return fail(flatten, -E2BIG, type,
			    "makes the names of fields too long, all together");
	field = arena_push(arena, &fields, &flatten->frame.count, sizeof(*field));
	if (!field)
		return no_memory(flatten);
	flatten->frame.fields = fields;
	flatten->field_count++;
	*field = (struct field){
		.name = make_name(flatten),
		.kind = kind,
		.show = show_of(type),
		.is_signed = type->is_signed,
		.big_endian = type->big_endian,
		.optional = flatten->options > 0,
		.bits = bits_of(type, kind),
		.align_bits = (uint16_t)type->align,
		.count = count,
		.labels = type->labels,
		.label_count = type->label_count,
	};
	flatten->frame.optional |= field->optional;
	set_doc(field, doc);
	*ret = field;
	return field->name ? 0 : no_memory(flatten);
}

/* Where the bits of @step lie, as long as this is the same for all events. */
static int place(struct flatten *flatten, const struct ctf_type *type, const struct ctf_step *step,
		 struct field *field)
{
	if (!flatten->fixed)
		return 0;
	flatten->offset = (flatten->offset + step->align - 1) & ~((uint64_t)step->align - 1);
	if (field)
		field->offset_bits = (uint32_t)flatten->offset;
	if (step->slot && step->slot == flatten->tid_slot)
		flatten->tid_offset = flatten->offset;
	flatten->offset += step->bits;
	if (flatten->offset > CTF_EVENT_MAX_BYTES * 8ull)
		return fail(flatten, -E2BIG, type, "makes the event too large");
	return 0;
}

/* What is known of the one number that a step takes. */
static void set_number(struct flatten *flatten, struct ctf_step *step, const struct ctf_type *type)
{
	step->size = (uint8_t)type->size;
	step->is_signed = type->is_signed;
	step->big_endian = type->big_endian;
	if (flatten->at_tid)
		step->slot = flatten->tid_slot;
	flatten->at_tid = false;
}

/* A length that the event tells beside its fields. */
static void add_count(struct flatten *flatten, struct field *field)
{
	field->count_at = ++flatten->frame.counts; /* flatten_finish moves it behind the fields */
}

/* The step for @field, which is the last one. */
static struct ctf_step *push_field_step(struct flatten *flatten, enum ctf_step_kind kind,
					const struct ctf_type *type)
{
	struct ctf_step *step = push_step(flatten, kind, type->align);

	if (step)
		step->field = (uint32_t)(flatten->frame.count - 1);
	return step;
}

static int add_bits(struct flatten *flatten, const struct ctf_type *type, uint32_t count,
		    enum field_kind kind, const struct ctf_doc *doc)
{
	struct field *field = NULL;
	struct ctf_step *step;
	int err = push_field(flatten, type, kind, count, doc, &field);

	if (err)
		return err;
	step = push_field_step(flatten, CTF_STEP_BITS, type);
	if (!step)
		return no_memory(flatten);
	step->bits = count * type->size;
	if (ctf_type_is_number(type) && count == 1)
		set_number(flatten, step, type);
	return place(flatten, type, step, field);
}

/* An integer of variable length (CTF 2). */
static int add_leb128(struct flatten *flatten, const struct ctf_type *type,
		      const struct ctf_doc *doc)
{
	struct field *field;
	struct ctf_step *step;
	int err = push_field(flatten, type, FIELD_INT, 1, doc, &field);

	if (err)
		return err;
	step = push_field_step(flatten, CTF_STEP_LEB128, type);
	if (!step)
		return no_memory(flatten);
	set_number(flatten, step, type);
	return 0;
}

static int add_number(struct flatten *flatten, const struct ctf_type *type,
		      const struct ctf_doc *doc)
{
	int err = type->leb128 ? add_leb128(flatten, type, doc) :
				 add_bits(flatten, type, 1, FIELD_INT, doc);

	if (err)
		return err;
	return flatten_find_offer(flatten, type) ? no_memory(flatten) : 0;
}

static int add_string(struct flatten *flatten, const struct ctf_type *type,
		      const struct ctf_doc *doc)
{
	struct field *field;
	int err = push_field(flatten, type, FIELD_STRING, 1, doc, &field);

	if (err)
		return err;
	return push_field_step(flatten, CTF_STEP_STRING, type) ? 0 : no_memory(flatten);
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
		return fail(flatten, -E2BIG, type, "has too long a name");
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

/* The task is told of every event, so it need not be a field as well. */
static int add_tid(struct flatten *flatten, const struct ctf_type *type)
{
	enum ctf_step_kind kind = type->leb128 ? CTF_STEP_LEB128 : CTF_STEP_BITS;
	struct ctf_step *step = push_step(flatten, kind, type->align);

	if (!step)
		return no_memory(flatten);
	step->bits = type->size;
	set_number(flatten, step, type);
	return place(flatten, type, step, NULL);
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

/* Alignment behind which nothing comes is alignment all the same. */
static int end_steps(struct flatten *flatten, const struct ctf_type *type)
{
	struct ctf_step *step;

	if (flatten->lead == 1)
		return 0;
	step = push_step(flatten, CTF_STEP_BITS, 1);
	return step ? place(flatten, type, step, NULL) : no_memory(flatten);
}

/* Elements that lie side by side and can be told apart by their number alone. */
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
	err = err ?: end_steps(flatten, element);
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
		return no_memory(flatten);
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

		err = add_bits(flatten, type->element, type->count, kind_of_elements(type->element),
			       doc);
		if (!err)
			flatten->frame.fields[at].is_array = true;
		return err;
	}
	err = push_field(flatten, type->element, FIELD_LIST, type->count, doc, &field);
	if (err)
		return err;
	step = push_field_step(flatten, CTF_STEP_LIST, type);
	if (!step)
		return no_memory(flatten);
	step->count = type->count;
	return add_list(flatten, type, step, flatten->frame.count - 1);
}

static int fail_reference(struct flatten *flatten, const struct ctf_type *type, int err)
{
	char text[CTF_NAME_MAX_BYTES + 64];

	if (err == -ENOMEM)
		return no_memory(flatten);
	if (err == -E2BIG)
		return fail(flatten, err, type, "refers to one field too many");
	if (!type->ref)
		return fail(flatten, -EBADMSG, type, "is a variant without a tag");
	(void)snprintf(text, sizeof(text),
		       "refers to '%.200s', which is no %s that stands before it", type->ref->path,
		       type->kind == CTF_VARIANT ? "enumeration" : "integer");
	return fail(flatten, -EBADMSG, type, text);
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
	err = push_field(flatten, element, plain ? kind_of_elements(element) : FIELD_LIST, 0, doc,
			 &field);
	if (err)
		return err;
	step = push_field_step(flatten, plain ? CTF_STEP_SEQUENCE : CTF_STEP_LIST, type);
	if (!step)
		return no_memory(flatten);
	field->length = length.field;
	if (!length.field)
		add_count(flatten, field);
	step->bits = plain ? element->size : 0;
	step->from = length.slot;
	return plain ? 0 : add_list(flatten, type, step, flatten->frame.count - 1);
}

/* One of those that a variant chooses from; what an optional field may be has the field's name. */
static int flatten_option(struct flatten *flatten, const struct ctf_type *variant,
			  const struct ctf_member *member, const struct ctf_doc *doc, size_t first,
			  struct ctf_steps *steps)
{
	struct ctf_steps *outer = flatten->steps;
	size_t numbers = flatten->number_count;
	int err;

	flatten->steps = steps;
	flatten->options++;
	err = variant->optional ? flatten_type(flatten, member->type, doc) :
				  flatten_member(flatten, member);
	err = err ?: end_steps(flatten, member->type);
	flatten->options--;
	flatten->steps = outer;
	if (!err && variant->ref->has_ranges && !variant->optional &&
	    flatten_find_share(flatten, member->name, (size_t)(member - variant->members), first,
			       numbers))
		err = no_memory(flatten);
	else if (!variant->ref->has_ranges || variant->optional)
		flatten->number_count = numbers;
	return err;
}

static int add_variant(struct flatten *flatten, const struct ctf_type *type,
		       const struct ctf_doc *doc)
{
	struct arena *arena = &flatten->trace->arena;
	struct ctf_steps *inner = arena_alloc(arena, (type->member_count ?: 1) * sizeof(*inner));
	struct ctf_choice *choices;
	struct flatten_value tag;
	struct ctf_step *step;
	size_t choice_count, numbers;
	int err = type->ref ? flatten_find(flatten, type, &tag) : -ENOENT;

	if (err)
		return fail_reference(flatten, type, err);
	if (reference_choices(arena, type, tag.type, &choices, &choice_count) || !inner)
		return no_memory(flatten);
	step = push_step(flatten, CTF_STEP_CHOICE, 1);
	if (!step)
		return no_memory(flatten);
	step->from = tag.slot;
	step->is_signed = tag.type->is_signed;
	step->optional = type->optional;
	step->choices = choices;
	step->choice_count = choice_count;
	step->inner = inner;
	numbers = flatten->number_count;
	for (size_t i = 0; i < type->member_count && !err; i++)
		err = flatten_option(flatten, type, &type->members[i], doc, numbers, &inner[i]);
	flatten_find_settle(flatten, numbers, type->member_count);
	return err;
}

static int flatten_type(struct flatten *flatten, const struct ctf_type *type,
			const struct ctf_doc *doc)
{
	switch (type->kind) {
	case CTF_FLOAT:
		return add_bits(flatten, type, 1, FIELD_FLOAT, doc);
	case CTF_STRING:
		return add_string(flatten, type, doc);
	case CTF_STRUCT:
		return flatten_struct(flatten, type);
	case CTF_ARRAY:
		return add_array(flatten, type, doc);
	case CTF_SEQUENCE:
		return add_sequence(flatten, type, doc);
	case CTF_VARIANT:
		return add_variant(flatten, type, doc);
	default:
		return add_number(flatten, type, doc);
	}
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
	return err ?: end_steps(flatten, type);
}

/* The task is told of every event, so "tid" is no field as well. */
static int flatten_task(struct flatten *flatten, const struct ctf_member *member)
{
	flatten->tid = member->type;
	flatten->tid_slot = flatten->slot_next++;
	flatten->at_tid = true;
	return strcmp(member->name, "tid") ? flatten_member(flatten, member) :
					     add_tid(flatten, member->type);
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
	return err ?: end_steps(flatten, type);
}

int flatten_finish(struct flatten *flatten, struct event_class *class)
{
	const struct flatten_frame *frame = &flatten->frame;
	size_t count = frame->count + frame->counts;
	uint32_t *offsets = arena_alloc(&flatten->trace->arena, (count + 1) * sizeof(*offsets));

	if (!offsets)
		return no_memory(flatten);
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
	class->offsets = offsets;
	class->offset_count = count;
	return 0;
}
