// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_class.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record_format/meas/meas_record.h"
#include "schema/calls.h"
#include "schema/class_table.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

/* Whether @class has what the kind needs. */
static bool find_fields(struct meas_kind_class *found, const struct meas_kind *kind,
			const struct event_class *class)
{
	for (size_t i = 0; i < MEAS_KIND_FIELDS; i++)
		found->fields[i] = -1;
	for (size_t i = 0; kind->fields[i]; i++) {
		const char *name = kind->fields[i];
		bool optional = *name == '?';

		found->fields[i] = event_class_find(class, name + optional);
		if (found->fields[i] < 0 && !optional)
			return false;
	}
	return true;
}

struct meas_kind_class *meas_kinds_find(const struct trace_info *info,
					const struct meas_kind *kinds, size_t count)
{
	struct meas_kind_class *found = calloc(info->class_count ?: 1, sizeof(*found));

	for (size_t i = 0; found && i < info->class_count; i++) {
		found[i].kind = MEAS_KIND_NONE;
		for (size_t k = 0; k < count; k++) {
			if (calls_pattern_matches(kinds[k].name, info->classes[i]->name) &&
			    find_fields(&found[i], &kinds[k], info->classes[i]))
				found[i].kind = (int)k;
		}
	}
	return found;
}

#define UNKNOWN_NAME "meas.unknown"
#define FIELD(n, says) .name = n, .text = says, .scope = FIELD_SCOPE_OBJECT

static const struct record_field queue_fields[] = {
	{FIELD("shown", "how many of them are listed")},
	{FIELD("queue", "their cylinders in order, negative = real-time"), .kind = RECORD_INT},
};

static const struct record_field unknown_fields[] = {
	[MEAS_UNKNOWN_ID] = {FIELD("id", "number of the measurement")},
	[MEAS_UNKNOWN_PART] = {FIELD("part", "which of its records")},
	[MEAS_UNKNOWN_NARROW] = {FIELD("narrow",
				       "how many of the words are in none of the wide part")},
	[MEAS_UNKNOWN_COUNT] = {FIELD("count", "how many words there are")},
	[MEAS_UNKNOWN_FIRST] = {FIELD("words", "of the record and of its wide part")},
};

/* The last of @fields has as many elements as the one before it counts. */
static void make_list(struct field *fields, size_t count)
{
	fields[count - 1].count = 0;
	fields[count - 1].is_array = true;
	fields[count - 1].length = (uint32_t)count - 1;
}

static struct field name_field(void)
{
	return (struct field){
		.name = "name",
		.text = "of the program",
		.kind = FIELD_TEXT,
		.scope = FIELD_SCOPE_OBJECT,
		.bits = 8,
		.align_bits = 8,
		.is_array = true,
		.count = MEAS_NAME_BYTES,
	};
}

static const struct event_class *add_form(struct class_table *table, const struct meas_form *form)
{
	struct field fields[MEAS_FIELDS_MAX + 2];
	struct class_plan plan = {.name = form->name, .text = form->text, .fields = fields};
	uint32_t count = 0;
	size_t slot = 0;

	for (const struct record_field *field = form->fields; field->name; field++) {
		record_describe_slot(field, slot, &fields[count++]);
		slot += meas_field_count(field);
	}
	if (form->shape == MEAS_SHAPE_QUEUE) {
		record_describe_slot(&queue_fields[0], slot++, &fields[count++]);
		record_describe_slot(&queue_fields[1], slot, &fields[count++]);
		make_list(fields, count);
	}
	if (form->shape == MEAS_SHAPE_NAME)
		fields[count++] = name_field();
	plan.field_count = count;
	plan.payload_bytes = form->shape == MEAS_SHAPE_NAME ? MEAS_NAME_BYTES :
							      (uint32_t)(8 * slot);
	return class_table_add(table, &plan);
}

static const struct event_class *add_unknown(struct class_table *table)
{
	struct field fields[MEAS_UNKNOWN_FIRST + 1];
	const struct class_plan plan = {
		.name = UNKNOWN_NAME,
		.text = "a record of a measurement that this version does not know",
		.fields = fields,
		.field_count = MEAS_UNKNOWN_FIRST + 1,
		.payload_bytes = MEAS_UNKNOWN_FIRST * 8,
	};

	for (size_t i = 0; i <= MEAS_UNKNOWN_FIRST; i++)
		record_describe_slot(&unknown_fields[i], i, &fields[i]);
	make_list(fields, plan.field_count);
	return class_table_add(table, &plan);
}

int meas_classes_init(struct meas_classes *classes)
{
	const struct meas_form *form;

	*classes = (struct meas_classes){.table = class_table_new()};
	if (!classes->table)
		return -ENOMEM;
	for (size_t i = 0; (form = meas_form_get(i)); i++) {
		const struct event_class *class =
			form->id == MEAS_LOST ? &lost_class : add_form(classes->table, form);

		if (!class)
			return -ENOMEM;
		classes->classes[i] = class;
		classes->forms[class->index] = form;
	}
	classes->unknown = add_unknown(classes->table);
	return classes->unknown ? 0 : -ENOMEM;
}

void meas_classes_fini(struct meas_classes *classes)
{
	class_table_free(classes->table);
	*classes = (struct meas_classes){0};
}

const struct event_class *meas_classes_get(const struct meas_classes *classes,
					   const struct meas_form *form)
{
	return form ? classes->classes[form - meas_form_get(0)] : classes->unknown;
}

/* Every class of Sonde's has these fields, and no other class has this name. */
static bool bind_unknown(struct meas_bind *bind, const struct event_class *class)
{
	for (size_t i = 0; i < MEAS_UNKNOWN_FIRST; i++) {
		bind->fields[i] = event_class_find_number(class, unknown_fields[i].name);
		if (bind->fields[i] < 0)
			return false;
	}
	bind->list = event_class_find(class, "words");
	return bind->list >= 0 && class->fields[bind->list].kind == FIELD_INT;
}

static bool bind_list(struct meas_bind *bind, const struct event_class *class)
{
	if (bind->form->shape == MEAS_SHAPE_FIELDS)
		return true;
	bind->list =
		event_class_find(class, bind->form->shape == MEAS_SHAPE_QUEUE ? "queue" : "name");
	if (bind->list < 0)
		return false;
	if (bind->form->shape == MEAS_SHAPE_QUEUE)
		return class->fields[bind->list].kind == FIELD_INT;
	return class->fields[bind->list].kind == FIELD_TEXT ||
	       class->fields[bind->list].kind == FIELD_STRING;
}

bool meas_bind_init(struct meas_bind *bind, const struct event_class *class)
{
	int *field = bind->fields;

	*bind = (struct meas_bind){.list = -1};
	if (!strcmp(class->name, UNKNOWN_NAME)) {
		bind->is = bind_unknown(bind, class);
		return bind->is;
	}
	bind->form = class->role == EVENT_ROLE_LOST ? meas_form_find(MEAS_LOST, 0) :
						      meas_form_named(class->name);
	if (!bind->form)
		return false;
	for (const struct record_field *mf = bind->form->fields; mf->name; mf++, field++) {
		*field = event_class_find(class, mf->name);
		if (*field >= 0 && class->fields[*field].kind != FIELD_INT)
			*field = -1;
	}
	bind->is = bind_list(bind, class);
	return bind->is;
}

static bool take_unknown(const struct meas_bind *bind, const struct event *event, uint64_t *slots)
{
	uint64_t count = event_count(event, (size_t)bind->list), narrow;

	for (size_t i = 0; i < MEAS_UNKNOWN_FIRST; i++)
		slots[i] = event_uint(event, (size_t)bind->fields[i]);
	narrow = slots[MEAS_UNKNOWN_NARROW];
	if (slots[MEAS_UNKNOWN_COUNT] != count || narrow > MEAS_WORDS_MAX || narrow > count ||
	    count - narrow > MEAS_WORDS_MAX - MEAS_WIDE_COMMON_WORDS)
		return false;
	for (uint32_t i = 0; i < count; i++)
		slots[MEAS_UNKNOWN_FIRST + i] = event_element(event, (size_t)bind->list, i);
	return true;
}

static void take_name(const struct meas_bind *bind, const struct event *event, char *to)
{
	size_t len;
	const char *text = event_text(event, (size_t)bind->list, &len);

	memset(to, 0, MEAS_NAME_BYTES);
	memcpy(to, text, len < MEAS_NAME_BYTES ? len : MEAS_NAME_BYTES);
}

static bool take_queue(const struct meas_bind *bind, const struct event *event, uint64_t *to)
{
	uint32_t count = event_count(event, (size_t)bind->list);

	if (count > MEAS_QUEUE_MAX)
		return false;
	*to++ = count;
	for (uint32_t i = 0; i < count; i++)
		to[i] = event_element(event, (size_t)bind->list, i);
	return true;
}

bool meas_bind_take(const struct meas_bind *bind, const struct event *event,
		    struct meas_record *record)
{
	const int *field = bind->fields;
	uint64_t *slot = record->slots;

	record->form = bind->form;
	record->time_ns = event->time_ns;
	record->cpu = event->cpu;
	record->tid = event->tid;
	if (!bind->form)
		return take_unknown(bind, event, slot);
	if (bind->form->shape == MEAS_SHAPE_NAME) {
		take_name(bind, event, (char *)slot);
		return true;
	}
	for (const struct record_field *mf = bind->form->fields; mf->name; mf++, field++) {
		uint32_t there = *field < 0 ? 0 : event_count(event, (size_t)*field);

		for (uint32_t i = 0; i < meas_field_count(mf); i++)
			*slot++ = i < there ? event_element_fast(event, (size_t)*field, i) : 0;
	}
	return bind->form->shape != MEAS_SHAPE_QUEUE || take_queue(bind, event, slot);
}
