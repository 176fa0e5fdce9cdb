// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/flatten_field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/arena.h"
#include "ctf/flatten_find.h"
#include "ctf/flatten_state.h"
#include "ctf/trace_class.h"
#include "ctf/type.h"
#include "schema/variant.h"

#define RENAMED "context." /* in front of what is called like a member of the payload */

int flatten_no_memory(struct flatten *flatten)
{
	return diag_set(flatten->diag, -ENOMEM, "out of memory");
}

int flatten_fail(struct flatten *flatten, int err, const struct ctf_type *type, const char *what)
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
	if ((doc->show == FIELD_SHOW_SOCKADDR || doc->show == FIELD_SHOW_TEXTS) &&
	    !(field->kind == FIELD_INT && field->bits == 8 && field->align_bits % 8 == 0))
		return;
	field->show = doc->show;
}

static enum field_kind kind_of(const struct ctf_type *type)
{
	return type->kind == CTF_FLOAT	? FIELD_FLOAT :
	       type->kind == CTF_STRING ? FIELD_STRING :
					  FIELD_INT;
}

enum field_kind flatten_kind_of(const struct ctf_type *element)
{
	if (element->kind == CTF_INTEGER && element->is_text && element->size == 8 &&
	    element->align >= 8)
		return FIELD_TEXT;
	return kind_of(element);
}

struct ctf_step *flatten_add_step(struct flatten *flatten, enum ctf_step_kind kind, uint32_t align)
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
	char name[sizeof(RENAMED) + CTF_NAME_MAX_BYTES];
	int len = snprintf(name, sizeof(name), "%s%s", flatten->renamed ? RENAMED : "",
			   flatten->path + flatten->name_at);

	return arena_text(&flatten->trace->arena, name, (size_t)len);
}

/* Of what make_name makes. */
static uint32_t name_length(const struct flatten *flatten)
{
	return (uint32_t)(flatten->path_len - flatten->name_at +
			  (flatten->renamed ? strlen(RENAMED) : 0));
}

static uint16_t bits_of(const struct ctf_type *type, enum field_kind kind)
{
	if (kind == FIELD_STRING || kind == FIELD_LIST)
		return 8;
	return type->leb128 ? 0 : (uint16_t)type->size;
}

int flatten_add_field(struct flatten *flatten, const struct ctf_type *type, enum field_kind kind,
		      uint32_t count, const struct ctf_doc *doc, struct field **ret)
{
	struct arena *arena = &flatten->trace->arena;
	void *fields = flatten->frame.fields;
	struct field *field;

	if (flatten->field_count >= CTF_FIELDS_MAX)
		return flatten_fail(flatten, -E2BIG, type, "is one too many");
	if (is_too_long(flatten))
		return flatten_fail(flatten, -E2BIG, type,
				    "makes the names of fields too long, all together");
	field = arena_push(arena, &fields, &flatten->frame.count, sizeof(*field));
	if (!field)
		return flatten_no_memory(flatten);
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
	return field->name ? 0 : flatten_no_memory(flatten);
}

/* Whether the number of @step begins in a byte of which another byte order has the first bits. */
static bool changes_order(struct flatten *flatten, const struct ctf_step *step)
{
	const uint64_t at = (flatten->offset + step->align - 1) & ~((uint64_t)step->align - 1);
	const bool changes = step->bits && at & 7 && flatten->any_order &&
			     flatten->big_endian != step->big_endian;

	if (step->bits) {
		flatten->any_order = true;
		flatten->big_endian = step->big_endian;
	}
	return changes;
}

/* Where the bits of @step lie, as long as this is the same for all events. */
static int place(struct flatten *flatten, const struct ctf_type *type, const struct ctf_step *step,
		 struct field *field)
{
	if (!flatten->fixed)
		return 0;
	if (changes_order(flatten, step)) {
		flatten->fixed = false; /* the steps tell, where there is such an event */
		return 0;
	}
	flatten->offset = (flatten->offset + step->align - 1) & ~((uint64_t)step->align - 1);
	if (field)
		field->offset_bits = (uint32_t)flatten->offset;
	if (step->slot && step->slot == flatten->tid_slot)
		flatten->tid_offset = flatten->offset;
	flatten->offset += step->bits;
	if (flatten->offset > CTF_EVENT_MAX_BYTES * 8ull)
		return flatten_fail(flatten, -E2BIG, type, "makes the event too large");
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

void flatten_add_count(struct flatten *flatten, struct field *field, const struct field_ref *of)
{
	field->count_of = *of;
	field->count_at = ++flatten->frame.counts; /* flatten_finish moves it behind the fields */
}

struct ctf_step *flatten_add_field_step(struct flatten *flatten, enum ctf_step_kind kind,
					const struct ctf_type *type)
{
	struct ctf_step *step = flatten_add_step(flatten, kind, type->align);

	if (step)
		step->field = (uint32_t)(flatten->frame.count - 1);
	return step;
}

static int add_gap(struct flatten *flatten, const struct ctf_type *type)
{
	struct ctf_step *step = flatten_add_step(flatten, CTF_STEP_BITS, type->align);

	if (!step)
		return flatten_no_memory(flatten);
	step->bits = type->size;
	return place(flatten, type, step, NULL);
}

/* A number in fractions of @unit: the lowest bits, which lie where the byte order has them, are not
 * the field's (field_cut_fraction). */
static int add_whole(struct flatten *flatten, const struct ctf_type *type, unsigned int cut,
		     const char *unit, const struct ctf_doc *doc)
{
	struct ctf_type number = *type, rest = *type;
	struct ctf_doc said = *doc;
	int err = 0;

	said.unit = unit;
	number.size -= cut;
	rest.size = cut;
	if (type->big_endian)
		rest.align = 1;
	else
		number.align = 1;
	if (!type->big_endian)
		err = add_gap(flatten, &rest);
	err = err ?: flatten_add_bits(flatten, &number, 1, FIELD_INT, &said);
	if (!err && type->big_endian)
		err = add_gap(flatten, &rest);
	return err;
}

int flatten_add_bits(struct flatten *flatten, const struct ctf_type *type, uint32_t count,
		     enum field_kind kind, const struct ctf_doc *doc)
{
	struct field *field = NULL;
	struct ctf_step *step;
	const char *unit = NULL;
	unsigned int cut = field_unit_fraction(doc->unit, &unit);
	int err;

	if (cut && kind == FIELD_INT && count == 1 && type->size > cut)
		return add_whole(flatten, type, cut, unit, doc);
	err = flatten_add_field(flatten, type, kind, count, doc, &field);
	if (err)
		return err;
	step = flatten_add_field_step(flatten, CTF_STEP_BITS, type);
	if (!step)
		return flatten_no_memory(flatten);
	step->bits = count * type->size;
	step->big_endian = type->big_endian;
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
	int err = flatten_add_field(flatten, type, FIELD_INT, 1, doc, &field);

	if (err)
		return err;
	step = flatten_add_field_step(flatten, CTF_STEP_LEB128, type);
	if (!step)
		return flatten_no_memory(flatten);
	set_number(flatten, step, type);
	return 0;
}

/* A step alone: lengths and tags may name it. */
static int add_hidden(struct flatten *flatten, const struct ctf_type *type)
{
	int err = flatten_add_task(flatten, type);

	if (err)
		return err;
	return flatten_find_offer(flatten, type, false) ? flatten_no_memory(flatten) : 0;
}

int flatten_add_number(struct flatten *flatten, const struct ctf_type *type,
		       const struct ctf_doc *doc)
{
	int err;

	if (doc->hidden)
		return add_hidden(flatten, type);
	err = type->leb128 ? add_leb128(flatten, type, doc) :
			     flatten_add_bits(flatten, type, 1, FIELD_INT, doc);
	if (err)
		return err;
	return flatten_find_offer(flatten, type, true) ? flatten_no_memory(flatten) : 0;
}

static int copy_choices(struct flatten *flatten, const struct ctf_step *step,
			struct event_variant *variant)
{
	struct event_choice *choices =
		arena_alloc(&flatten->trace->arena, (step->choice_count ?: 1) * sizeof(*choices));

	if (!choices)
		return flatten_no_memory(flatten);
	for (size_t i = 0; i < step->choice_count; i++)
		choices[i] = (struct event_choice){step->choices[i].first, step->choices[i].last,
						   (uint32_t)step->choices[i].member};
	variant->choices = choices;
	variant->choice_count = step->choice_count;
	return 0;
}

int flatten_add_variant(struct flatten *flatten, const struct ctf_type *type,
			const struct field_ref *tag, const struct ctf_step *step,
			const struct event_option *options)
{
	void *variants = flatten->frame.variants;
	struct event_variant *variant = arena_push(&flatten->trace->arena, &variants,
						   &flatten->frame.variant_count, sizeof(*variant));

	if (!variant)
		return flatten_no_memory(flatten);
	flatten->frame.variants = variants;
	*variant = (struct event_variant){
		.first = (uint32_t)flatten->frame.count,
		.end = (uint32_t)flatten->frame.count,
		.name_len = name_length(flatten),
		.optional = type->optional,
		.tag = *tag,
		.options = options,
		.option_count = type->member_count,
	};
	return copy_choices(flatten, step, variant);
}

int flatten_add_string(struct flatten *flatten, const struct ctf_type *type,
		       const struct ctf_doc *doc)
{
	struct field *field;
	int err = flatten_add_field(flatten, type, FIELD_STRING, 1, doc, &field);

	if (err)
		return err;
	return flatten_add_field_step(flatten, CTF_STEP_STRING, type) ? 0 :
									flatten_no_memory(flatten);
}

int flatten_add_task(struct flatten *flatten, const struct ctf_type *type)
{
	enum ctf_step_kind kind = type->leb128 ? CTF_STEP_LEB128 : CTF_STEP_BITS;
	struct ctf_step *step = flatten_add_step(flatten, kind, type->align);

	if (!step)
		return flatten_no_memory(flatten);
	step->bits = type->size;
	set_number(flatten, step, type);
	return place(flatten, type, step, NULL);
}

int flatten_end_steps(struct flatten *flatten, const struct ctf_type *type)
{
	struct ctf_step *step;

	if (flatten->lead == 1)
		return 0;
	step = flatten_add_step(flatten, CTF_STEP_BITS, 1);
	return step ? place(flatten, type, step, NULL) : flatten_no_memory(flatten);
}
