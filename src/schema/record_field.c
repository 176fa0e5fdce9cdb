// SPDX-License-Identifier: BSD-2-Clause
#include "schema/record_field.h"

#include <string.h>

#include "schema/event.h"

static bool is_bytes(const struct record_field *field)
{
	return field->kind == RECORD_BYTES || field->kind == RECORD_TEXT;
}

static void describe(const struct record_field *field, struct field *ret)
{
	*ret = (struct field){
		.name = field->name,
		.text = field->text,
		.unit = field->unit,
		.kind = field->kind == RECORD_TEXT ? FIELD_TEXT : FIELD_INT,
		.scope = field->scope,
		.show = field->show,
		.is_signed = field->kind == RECORD_INT,
		.is_array = field->count || is_bytes(field),
		.count = field->count ?: 1,
		.labels = field->labels,
		.label_count = field->label_count,
	};
}

/* Compilers lay bit-fields out in the order of fields: from the first byte on, in either byte order. */
void record_describe(const struct record_field *field, const struct record_layout *layout,
		     size_t offset, struct field *ret)
{
	const struct record_place *place = &field->place[layout->place];

	describe(field, ret);
	ret->big_endian = record_order(field, layout) == BYTE_ORDER_BIG;
	ret->offset_bits = 8 * (uint32_t)(offset + place->at) + place->shift;
	ret->align_bits = place->bits ? 1 : 8;
	ret->bits = (uint16_t)(place->bits ?: 8 * place->bytes);
	if (is_bytes(field)) {
		ret->bits = 8;
		ret->count = place->bytes;
	}
}

void record_describe_slot(const struct record_field *field, size_t slot, struct field *ret)
{
	describe(field, ret);
	ret->big_endian = BYTE_ORDER_HOST == BYTE_ORDER_BIG;
	ret->bits = 64;
	ret->align_bits = 64;
	ret->offset_bits = 64 * (uint32_t)slot;
}

void record_copy(const struct record_field *fields, const struct record_layout *from_layout,
		 const uint8_t *from, size_t len, const struct record_layout *to_layout,
		 uint8_t *to)
{
	for (; fields->name; fields++) {
		const struct record_place *place = &fields->place[from_layout->place];

		if ((size_t)place->at + place->bytes <= len)
			record_store(fields, to_layout, to, record_load(fields, from_layout, from));
	}
}

static bool find(const struct record_field *field, const struct event_class *class,
		 const char *name, uint32_t *ret)
{
	int i = is_bytes(field) ? event_class_find(class, name) :
				  event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (uint32_t)i;
	return i >= 0;
}

/* What a record counts in fractions ("us/8"), fields count in whole units. */
static uint8_t fraction_of(const struct record_field *field, const struct field *from)
{
	const char *whole;
	unsigned int bits = field_unit_fraction(field->unit, &whole);

	return (uint8_t)(bits && from->unit && !strcmp(from->unit, whole) ? bits : 0);
}

static bool find_by(struct record_source *ret, const struct record_field *field,
		    const struct event_class *class, const struct record_from *from)
{
	*ret = (struct record_source){.rule = from->rule};
	if (from->rule == RECORD_RULE_NONE || !find(field, class, from->a, &ret->a) ||
	    (from->b && !find(field, class, from->b, &ret->b))) {
		ret->rule = RECORD_RULE_NONE;
		return false;
	}
	ret->fraction = from->fraction ?: fraction_of(field, &class->fields[ret->a]);
	return true;
}

bool record_find(struct record_source *ret, const struct record_field *field,
		 const struct event_class *class)
{
	return find_by(ret, field, class, &field->from);
}

bool record_find_same(struct record_source *ret, const struct record_field *field,
		      const struct event_class *class)
{
	return find_by(ret, field, class,
		       &(struct record_from){.rule = RECORD_RULE_COPY, .a = field->name});
}

uint64_t record_value(const struct record_source *source, const struct event *event)
{
	uint64_t a;

	if (source->rule == RECORD_RULE_NONE)
		return 0;
	a = event_uint(event, source->a);
	switch (source->rule) {
	case RECORD_RULE_PRODUCT:
		return a * event_uint(event, source->b);
	case RECORD_RULE_DISTANCE:
		return (uint32_t)a - (uint32_t)event_uint(event, source->b);
	default:
		return a << source->fraction;
	}
}
