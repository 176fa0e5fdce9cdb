// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_side.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"

static const struct {
	const char *name;
	enum expr_source source;
} builtins[] = {
	{"time", EXPR_FROM_TIME}, {"cpu", EXPR_FROM_CPU},    {"tid", EXPR_FROM_TID},
	{"comm", EXPR_FROM_COMM}, {"event", EXPR_FROM_NAME}, {"name", EXPR_FROM_NAME},
};
#define BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

const char *expr_side_builtin(size_t i)
{
	return i < BUILTINS ? builtins[i].name : NULL;
}

static int fail(struct diag *diag, size_t at, const char *name, uint32_t count)
{
	if (count > 1)
		(void)diag_set(diag, -EINVAL, "'%s' has elements: name one that is there, as %s[0]",
			       name, name);
	else
		(void)diag_set(diag, -EINVAL, "'%s' has no elements", name);
	if (diag)
		diag->offset = at;
	return -EINVAL;
}

static int fail_list(struct diag *diag, size_t at, const char *name)
{
	(void)diag_set(diag, -EINVAL,
		       "'%s' is a list of values that have parts: no expression "
		       "looks into it",
		       name);
	if (diag)
		diag->offset = at;
	return -EINVAL;
}

static int find_field(const struct event_class *class, uint32_t i, const struct expr_value *value,
		      struct expr_side *side, enum expr_side_kind *kind, struct diag *diag)
{
	const struct field *field = &class->fields[i];
	bool numbers = field->kind == FIELD_INT || field->kind == FIELD_FLOAT;

	*side = (struct expr_side){
		.source = EXPR_FROM_FIELD,
		.is_signed = field->is_signed,
		.field = i,
		.element = value->element > 0 ? (uint32_t)value->element : 0,
		.compat = -1,
		.bits = field->kind == FIELD_INT && !field->big_endian ? field->bits : 0,
		.counted = field->length || field->count_at,
		.optional = field->optional,
		.unit_ns = expr_unit_ns(field->unit),
	};
	if (field->kind == FIELD_LIST)
		return fail_list(diag, value->at, value->text);
	if (field->show == FIELD_SHOW_ADDRESS && field->count == 16 && field->bits == 8) {
		*kind = SIDE_ADDRESS;
		return value->element < 0 ? 0 : fail(diag, value->at, value->text, 1);
	}
	if (field->kind == FIELD_TEXT || field->kind == FIELD_STRING) {
		*kind = SIDE_TEXT;
		return value->element < 0 ? 0 : fail(diag, value->at, value->text, 1);
	}
	if (!numbers || (value->element < 0 ? field_is_many(field) :
					      !side->counted && side->element >= field->count))
		return fail(diag, value->at, value->text,
			    side->counted || (field->is_array && field->count) ? 2 : field->count);
	*kind = field->kind == FIELD_FLOAT ? SIDE_FLOAT : SIDE_NUMBER;
	if (field->show == FIELD_SHOW_SYSCALL && field->kind == FIELD_INT) {
		side->source = EXPR_FROM_CALL;
		side->is_signed = false;
		side->compat = event_class_find_number(class, "compat");
	}
	return 0;
}

static int find_builtin(const struct event_class *class, enum expr_source source,
			struct expr_side *side, enum expr_side_kind *kind)
{
	*side = (struct expr_side){
		.source = source,
		.is_signed = true,
		.unit_ns = source == EXPR_FROM_TIME,
		.name = class->name,
	};
	*kind = source == EXPR_FROM_COMM || source == EXPR_FROM_NAME ? SIDE_TEXT : SIDE_NUMBER;
	return 0;
}

int expr_side_find(const struct event_class *class, const struct expr_value *value,
		   struct expr_side *ret, enum expr_side_kind *kind, struct diag *diag)
{
	int i = event_class_find_any(class, value->text);

	if (i >= 0)
		return find_field(class, (uint32_t)i, value, ret, kind, diag);
	i = derived_find(class->name, value->text);
	if (i >= 0) {
		*ret = (struct expr_side){
			.source = EXPR_FROM_DERIVED, .field = (uint32_t)i, .unit_ns = 1};
		*kind = SIDE_NUMBER;
		return value->element < 0 ? 0 : fail(diag, value->at, value->text, 1);
	}
	for (size_t b = 0; b < BUILTINS; b++) {
		if (strcmp(builtins[b].name, value->text) != 0)
			continue;
		if (value->element >= 0)
			return fail(diag, value->at, value->text, 1);
		return find_builtin(class, builtins[b].source, ret, kind);
	}
	return -ENOENT;
}
