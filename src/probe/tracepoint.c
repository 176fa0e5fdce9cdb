// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "probe/tracepoint_field.h"

#define CUT_NAME "cut_bytes"

/* A tracepoint while its record is laid out. */
struct layout {
	struct tracepoint *tp;
	uint32_t at; /* of the record: where the last field ends */
	struct diag *diag;
};

static struct field *add_field(struct layout *l, const struct field *field)
{
	struct field *added = &l->tp->fields[l->tp->class.field_count++];

	*added = *field;
	return added;
}

/* Aligned as usual, which is also as in C but for 64 bits. */
static void place_field(struct layout *l, struct field *field)
{
	field->align_bits = field->bits < 32 ? field->bits : 32;
	l->at += -l->at & (field->align_bits / 8 - 1u);
	field->offset_bits = (l->at - RECORD_HEAD_BYTES) * 8;
	l->at += field->bits / 8u * field->count;
}

/* Adds a copy from the place in the tracepoint to the place of @field. */
static int add_run(struct layout *l, const struct format_field *from, const struct field *field)
{
	uint32_t to = field->offset_bits / 8 + RECORD_HEAD_BYTES;
	struct tracepoint_plan *plan = &l->tp->plan;
	struct tracepoint_run *run = plan->runs + plan->run_count - 1;

	if (plan->run_count && run->from + run->bytes == from->offset &&
	    run->to + run->bytes == (int)to) {
		run->bytes = (uint16_t)(run->bytes + from->size);
		return 0;
	}
	if (plan->run_count == TRACEPOINT_RUN_MAX)
		return diag_set(l->diag, -E2BIG, "its layout has more than %u holes",
				TRACEPOINT_RUN_MAX);
	plan->runs[plan->run_count++] = (struct tracepoint_run){
		.from = from->offset,
		.to = (uint16_t)to,
		.bytes = from->size,
	};
	return 0;
}

static int add_fixed(struct layout *l, const struct format_field *from)
{
	const struct field made = tracepoint_field_make(from, l->tp->format.print);
	struct field *field;

	if (from->size > TRACEPOINT_FIXED_MAX / 2 || l->at + from->size > TRACEPOINT_FIXED_MAX / 2)
		return diag_set(l->diag, -E2BIG, "its fixed part has more than %u bytes",
				TRACEPOINT_FIXED_MAX / 2);
	field = add_field(l, &made);
	place_field(l, field);
	return add_run(l, from, field);
}

/* One that is ours, not the kernel's. */
static const struct field *add_number(struct layout *l, uint16_t bits, const char *name,
				      const char *text, const char *unit)
{
	const struct field made = {
		.name = name,
		.text = text,
		.unit = unit,
		.scope = FIELD_SCOPE_OBJECT,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.bits = bits,
		.count = 1,
	};
	struct field *field = add_field(l, &made);

	place_field(l, field);
	return field;
}

/* Plans the word with the place of the data; and, for an array, a field for its length. */
static int plan_dynamic(struct layout *l, const struct format_field *from)
{
	struct tracepoint_plan *plan = &l->tp->plan;
	char *length = l->tp->lengths[plan->dynamic_count];
	struct tracepoint_dynamic *dynamic;
	const struct field *field;

	if (plan->dynamic_count == TRACEPOINT_DYNAMIC_MAX)
		return diag_set(l->diag, -E2BIG, "more than %u texts and arrays vary",
				TRACEPOINT_DYNAMIC_MAX);
	dynamic = &plan->dynamic[plan->dynamic_count++];
	*dynamic = (struct tracepoint_dynamic){
		.from = from->offset,
		.is_text = tracepoint_field_is_text(from),
		.is_relative = from->place == FORMAT_REL_LOC,
		.element_shift = (uint8_t)__builtin_ctz(tracepoint_field_bytes(from)),
	};
	if (dynamic->is_text)
		return 0;
	if (snprintf(length, sizeof(l->tp->lengths[0]), "%s_length", from->name) >=
	    (int)sizeof(l->tp->lengths[0]))
		return diag_set(l->diag, -E2BIG, "the name of a field is too long");
	field = add_number(l, 16, length, "elements of the array", NULL);
	dynamic->to = (uint16_t)(field->offset_bits / 8 + RECORD_HEAD_BYTES);
	return 0;
}

/* The field whose name is @name as its number and one more, as sequences want it. */
static uint32_t length_field(const struct tracepoint *tp, const char *name)
{
	return (uint32_t)event_class_find(&tp->class, name) + 1;
}

/* Their offsets are exact only for the first one: each event's differ. */
static void add_dynamic(struct layout *l, const struct format_field *from, const char *length)
{
	struct field made = tracepoint_field_make(from, l->tp->format.print);

	made.align_bits = 8;
	made.offset_bits = (l->at - RECORD_HEAD_BYTES) * 8;
	if (made.kind != FIELD_STRING)
		made.length = length_field(l->tp, length);
	add_field(l, &made);
}

/* All that are fixed, @late last; NULL: as the kernel has them. */
static int add_all_fixed(struct layout *l, const struct format_field *late)
{
	const struct tracepoint_format *format = &l->tp->format;
	int err = 0;

	for (size_t i = 0; !err && i < format->field_count; i++) {
		const struct format_field *from = &format->fields[i];

		if (from->place == FORMAT_INSIDE && from != late)
			err = add_fixed(l, from);
	}
	return !err && late ? add_fixed(l, late) : err;
}

static int plan_all_dynamic(struct layout *l)
{
	const struct tracepoint_format *format = &l->tp->format;
	int err = 0;

	for (size_t i = 0; !err && i < format->field_count; i++) {
		if (format->fields[i].place != FORMAT_INSIDE)
			err = plan_dynamic(l, &format->fields[i]);
	}
	return err;
}

static void add_all_dynamic(struct layout *l)
{
	const struct tracepoint_format *format = &l->tp->format;
	size_t number = 0;

	for (size_t i = 0; i < format->field_count; i++) {
		if (format->fields[i].place != FORMAT_INSIDE)
			add_dynamic(l, &format->fields[i], l->tp->lengths[number++]);
	}
}

/* Names that sonde adds must not be the kernel's already. */
static int check_names(const struct layout *l)
{
	const struct event_class *class = &l->tp->class;

	for (size_t i = 0; i < class->field_count; i++) {
		if (event_class_find(class, class->fields[i].name) != (int)i)
			return diag_set(l->diag, -EBADMSG,
					"a field is called '%s', as one of sonde's",
					class->fields[i].name);
	}
	return 0;
}

/* Aligns the end of what varies. */
static void add_cut(struct layout *l)
{
	add_number(l, 32, CUT_NAME, "of texts and arrays that did not fit into the record",
		   "bytes");
}

static void start(struct layout *l)
{
	l->at = RECORD_HEAD_BYTES;
	l->tp->plan.run_count = 0;
	l->tp->class.field_count = 0;
}

/* The last field that ends at a multiple of RECORD_ALIGN wherever it is, or NULL. */
static const struct format_field *last_aligned(const struct tracepoint *tp)
{
	for (size_t i = tp->format.field_count; i-- > 0;) {
		const struct format_field *from = &tp->format.fields[i];

		if (tp->fields[i].bits >= RECORD_ALIGN * 8)
			return from;
	}
	return NULL;
}

/* Readers look for the next record where this one ends, so the end has to be aligned: by a field
 * that is, put last. */
static int lay_out_fixed(struct layout *l)
{
	int err = add_all_fixed(l, NULL);
	const struct format_field *late;

	if (err || !(l->at % RECORD_ALIGN))
		return err;
	late = last_aligned(l->tp);
	start(l);
	err = add_all_fixed(l, late);
	if (!err && !late)
		add_cut(l);
	return err;
}

static int lay_out_varying(struct layout *l)
{
	int err = add_all_fixed(l, NULL) ?: plan_all_dynamic(l);

	if (err)
		return err;
	l->tp->plan.fixed_bytes = (uint16_t)l->at;
	add_all_dynamic(l);
	add_cut(l);
	return 0;
}

static int name_values(struct tracepoint *tp)
{
	int err = 0;

	for (size_t i = 0; !err && i < tp->class.field_count; i++)
		err = tracepoint_field_name_values(&tp->fields[i], tp->format.print);
	return err;
}

static bool is_fixed(const struct tracepoint_format *format)
{
	for (size_t i = 0; i < format->field_count; i++) {
		if (format->fields[i].place != FORMAT_INSIDE)
			return false;
	}
	return true;
}

static int lay_out(struct tracepoint *tp, struct diag *diag)
{
	struct layout l = {.tp = tp, .diag = diag};
	int err;

	start(&l);
	tp->class.fixed = is_fixed(&tp->format);
	err = tp->class.fixed ? lay_out_fixed(&l) : lay_out_varying(&l);
	if (err)
		return err;
	if (tp->class.fixed) {
		tp->plan.fixed_bytes = (uint16_t)l.at;
		tp->class.payload_bytes = l.at - RECORD_HEAD_BYTES;
	}
	for (size_t i = 0; i < tp->class.field_count; i++)
		tp->offsets[i] = tp->fields[i].offset_bits;
	return check_names(&l) ?: name_values(tp);
}

/* For users that look for a tracepoint by its fields. */
static void name_fields(struct tracepoint *tp)
{
	const struct tracepoint_format *format = &tp->format;
	size_t at = 0;

	for (size_t i = 0; i < format->field_count && at < sizeof(tp->what); i++)
		at += (size_t)snprintf(tp->what + at, sizeof(tp->what) - at, "%s%s", i ? ", " : "",
				       format->fields[i].name);
	if (!at)
		snprintf(tp->what, sizeof(tp->what), "no fields: that it happens");
}

int tracepoint_new(const char *group, const char *event, char *text, struct tracepoint **ret,
		   struct diag *diag)
{
	struct tracepoint *tp = calloc(1, sizeof(*tp));
	int err;

	if (!tp) {
		free(text);
		return -ENOMEM;
	}
	tp->text = text;
	snprintf(tp->name, sizeof(tp->name), TRACEPOINT_PREFIX "%s:%s", group, event);
	tp->event = tp->name + strlen(TRACEPOINT_PREFIX) + strlen(group) + 1;
	snprintf(tp->section, sizeof(tp->section), "tp/%s/%s", group, event);
	tp->class = (struct event_class){
		.name = tp->name,
		.text = tp->what,
		.fields = tp->fields,
		.offsets = tp->offsets,
	};
	err = tracepoint_format_parse(text, &tp->format, diag) ?: lay_out(tp, diag);
	if (err)
		tp->class.field_count = 0;
	if (err == -ENOMEM) {
		tracepoint_free(tp);
		return err;
	}
	name_fields(tp);
	*ret = tp;
	return err;
}

void tracepoint_free(struct tracepoint *tp)
{
	if (!tp)
		return;
	for (size_t i = 0; i < TRACEPOINT_FIELD_MAX; i++)
		free((void *)tp->fields[i].labels);
	free(tp->text);
	free(tp);
}
