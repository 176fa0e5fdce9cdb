// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_side.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/nearest.h"
#include "schema/origin.h"
#include "schema/stack.h"

static const struct {
	const char *name;
	enum expr_source source;
} builtins[] = {
	{"pid", EXPR_FROM_PID},
	{"owner.pid", EXPR_FROM_PID},
	{"task.pid", EXPR_FROM_TASK_PID},
	{"time", EXPR_FROM_TIME},
	{"cpu", EXPR_FROM_CPU},
	{"tid", EXPR_FROM_TID},
	{"comm", EXPR_FROM_COMM},
	{"owner.tid", EXPR_FROM_TID},
	{"owner.comm", EXPR_FROM_COMM},
	{"task.tid", EXPR_FROM_TASK},
	{"task.comm", EXPR_FROM_TASK_COMM},
	{"cgroup", EXPR_FROM_CGROUP},
	{"container", EXPR_FROM_CONTAINER},
	{"event", EXPR_FROM_NAME},
	{"name", EXPR_FROM_NAME},
};
#define BUILTINS_PID 3 /* the first ones: only where the source knows processes */
#define BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

const char *expr_side_builtin(size_t i, bool pids)
{
	i += pids ? 0 : BUILTINS_PID;
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

/* @items: NULL = these elements are numbers. */
static int fail_parts(struct diag *diag, const struct expr_value *value,
		      const struct event_class *items, const char *part)
{
	const char *name = value->text;
	struct nearest near;

	nearest_init(&near, part);
	for (size_t i = 0; items && i < items->field_count; i++)
		nearest_offer(&near, items->fields[i].name);
	if (!items || !items->field_count)
		(void)diag_set(diag, -EINVAL, "elements of '%s' have no parts", name);
	else if (!*part)
		(void)diag_set(diag, -EINVAL, "elements of '%s' have parts: name one, as %s[%d].%s",
			       name, name, (int)value->element, items->fields[0].name);
	else if (near.name && *near.name)
		(void)diag_set(diag, -EINVAL, "no element of '%s' has '%s': did you mean '%s'?",
			       name, part, near.name);
	else
		(void)diag_set(diag, -EINVAL, "no element of '%s' has '%s'", name, part);
	if (diag)
		diag->offset = value->at;
	return -EINVAL;
}

/* The field at @i of side->class, which is not a list. */
static int find_field(const struct expr_value *value, int32_t element, uint32_t i,
		      struct expr_side *side, enum expr_side_kind *kind, struct diag *diag)
{
	const struct field *field = &side->class->fields[i];
	bool numbers = field->kind == FIELD_INT || field->kind == FIELD_FLOAT;

	side->is_signed = field->is_signed;
	side->field = i;
	side->element = element > 0 ? (uint32_t)element : 0;
	side->bits = field->kind == FIELD_INT && !field->big_endian ? field->bits : 0;
	side->counted = field->length || field->count_at;
	side->optional = field->optional;
	side->unit_ns = expr_unit_ns(field->unit);
	if (field->show == FIELD_SHOW_ADDRESS && field->count == 16 && field->bits == 8) {
		*kind = SIDE_ADDRESS;
		return element < 0 ? 0 : fail(diag, value->at, value->text, 1);
	}
	if (field->kind == FIELD_TEXT || field->kind == FIELD_STRING) {
		*kind = SIDE_TEXT;
		return element < 0 ? 0 : fail(diag, value->at, value->text, 1);
	}
	if (!numbers ||
	    (element < 0 ? field_is_many(field) : !side->counted && side->element >= field->count))
		return fail(diag, value->at, value->text,
			    side->counted || (field->is_array && field->count) ? 2 : field->count);
	*kind = field->kind == FIELD_FLOAT ? SIDE_FLOAT : SIDE_NUMBER;
	if (field->show == FIELD_SHOW_SYSCALL && field->kind == FIELD_INT) {
		side->source = EXPR_FROM_CALL;
		side->is_signed = false;
		side->compat = event_class_find_number(side->class, "compat");
	}
	return 0;
}

/*
 * Goes into the list at *@i of side->class: *@i becomes the field of its items that @step names, and
 * *@element what is meant of that. Items that are one value have no name: nothing, or an element alone.
 */
static int enter_list(const struct expr_value *value, size_t *step, int32_t *element, int *i,
		      struct expr_side *side, struct diag *diag)
{
	const struct field *field = &side->class->fields[*i];
	bool fixed = !field->length && !field->count_at;
	const char *part = "";

	if (*element < 0 || (fixed && (uint32_t)*element >= field->count) ||
	    side->depth == EXPR_MAX_STEPS)
		return fail(diag, value->at, value->text, 2);
	side->lists[side->depth++] = (struct expr_item){(uint32_t)*i, (uint32_t)*element};
	side->class = field->items;
	*element = -1;
	if (*step < value->step_count) {
		part = value->steps[*step].name;
		*element = value->steps[(*step)++].element;
	}
	*i = event_class_find_any(side->class, part);
	return *i < 0 ? fail_parts(diag, value, side->class, part) : 0;
}

static int find_place(const struct event_class *class, int i, const struct expr_value *value,
		      struct expr_side *side, enum expr_side_kind *kind, struct diag *diag)
{
	int32_t element = value->element;
	size_t step = 0;
	int err = 0;

	*side = (struct expr_side){.source = EXPR_FROM_FIELD, .compat = -1, .class = class};
	while (!err && side->class->fields[i].kind == FIELD_LIST)
		err = enter_list(value, &step, &element, &i, side, diag);
	if (!err && step < value->step_count)
		err = fail_parts(diag, value, NULL, "");
	return err ?: find_field(value, element, (uint32_t)i, side, kind, diag);
}

static int find_builtin(const struct event_class *class, enum expr_source source,
			struct expr_side *side, enum expr_side_kind *kind)
{
	*side = (struct expr_side){
		.source = source,
		.is_signed = true,
		.unit_ns = source == EXPR_FROM_TIME,
		.name = class->name,
		.class = class,
	};
	*kind = source == EXPR_FROM_COMM || source == EXPR_FROM_TASK_COMM ||
				source == EXPR_FROM_CGROUP || source == EXPR_FROM_CONTAINER ||
				source == EXPR_FROM_NAME || source == EXPR_FROM_STACK ||
				source == EXPR_FROM_PATH ?
			SIDE_TEXT :
			SIDE_NUMBER;
	return 0;
}

/* A value from the environment of the class's trace. */
static int find_origin(const struct event_class *class, const struct expr_value *value,
		       struct expr_side *side, enum expr_side_kind *kind, struct diag *diag)
{
	const struct origin *origin = class->origin;
	int part = 0;

	while (part < ORIGIN_PART_COUNT && strcmp(origin_names[part], value->text) != 0)
		part++;
	if (part == ORIGIN_PART_COUNT || !origin_has(origin, (enum origin_part)part))
		return -ENOENT;
	if (value->element >= 0)
		return fail(diag, value->at, value->text, 1);
	*side = (struct expr_side){
		.source = part == ORIGIN_VPID ? EXPR_FROM_NUMBER : EXPR_FROM_TEXT,
		.is_signed = true,
		.number = origin->vpid,
		.name = part == ORIGIN_HOSTNAME ? origin->hostname : origin->procname,
		.class = class,
	};
	*kind = part == ORIGIN_VPID ? SIDE_NUMBER : SIDE_TEXT;
	return 0;
}

/* Of classes whose events have stacks. */
static bool is_stack(const struct event_class *class, const char *name)
{
	return !strcmp(name, STACK_NAME) && (event_class_find_any(class, STACK_KERNEL_STACK) >= 0 ||
					     event_class_find_any(class, STACK_USER_STACK) >= 0);
}

/* Of classes that have an inode and its device. */
static bool is_path(const struct event_class *class, const char *name)
{
	return !strcmp(name, derived_fields[DERIVED_FILE].name) &&
	       event_class_find_inode(class) >= 0;
}

int expr_side_find(const struct event_class *class, const struct expr_value *value, bool pids,
		   struct expr_side *ret, enum expr_side_kind *kind, struct diag *diag)
{
	int i = event_class_find_any(class, value->text);

	if (i >= 0)
		return find_place(class, i, value, ret, kind, diag);
	i = derived_find(class->name, value->text);
	if (i >= 0) {
		*ret = (struct expr_side){.source = EXPR_FROM_DERIVED,
					  .class = class,
					  .field = (uint32_t)i,
					  .unit_ns = i != DERIVED_OWNER};
		*kind = derived_is_text((enum derived)i) ? SIDE_TEXT : SIDE_NUMBER;
		return value->element < 0 ? 0 : fail(diag, value->at, value->text, 1);
	}
	if (is_stack(class, value->text))
		return value->element < 0 ? find_builtin(class, EXPR_FROM_STACK, ret, kind) :
					    fail(diag, value->at, value->text, 1);
	if (is_path(class, value->text))
		return value->element < 0 ? find_builtin(class, EXPR_FROM_PATH, ret, kind) :
					    fail(diag, value->at, value->text, 1);
	for (size_t b = 0; b < BUILTINS; b++) {
		if (strcmp(builtins[b].name, value->text) != 0)
			continue;
		if (b < BUILTINS_PID && !pids)
			continue;
		if (value->element >= 0)
			return fail(diag, value->at, value->text, 1);
		return find_builtin(class, builtins[b].source, ret, kind);
	}
	return find_origin(class, value, ret, kind, diag);
}
