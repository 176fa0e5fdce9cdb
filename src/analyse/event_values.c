// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/event_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/select.h"
#include "analyse/task_names.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/glob.h"
#include "schema/event.h"
#include "schema/expr_parse.h"
#include "schema/trace_info.h"

#define NAMES_SHOWN 320u /* bytes of names in a message */

void event_values_fini(struct event_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		expr_free(values->names[i]);
	free(values->places);
	where_fini(&values->where);
	*values = (struct event_values){0};
}

static const struct expr_node *node_of(const struct expr *expr)
{
	return &expr->nodes[expr->root];
}

/* -EINVAL: it is anything else than one name. */
static int parse_name(const char *option, const char *name, struct expr **ret, struct diag *diag)
{
	struct expr *expr = NULL;
	int err = expr_parse(name, &expr, NULL);

	if (err == -ENOMEM)
		return diag_set(diag, err, "no memory");
	if (err || node_of(expr)->kind != EXPR_TRUTH || node_of(expr)->left.kind != EXPR_NAME) {
		expr_free(expr);
		return diag_set(diag, -EINVAL, "%s: '%s' is not the name of a field", option, name);
	}
	*ret = expr;
	return 0;
}

int event_values_check(const char *option, const char *name, struct diag *diag)
{
	struct expr *expr = NULL;
	int err = parse_name(option, name, &expr, diag);

	expr_free(expr);
	return err;
}

int event_values_add(struct event_values *values, const char *option, const char *name,
		     bool optional, struct diag *diag)
{
	int err;

	if (values->count == EVENT_VALUES_MAX)
		return diag_set(diag, -E2BIG, "%s: more than %u fields", option, EVENT_VALUES_MAX);
	err = parse_name(option, name, &values->names[values->count], diag);
	if (err)
		return err;
	values->options[values->count] = option;
	values->optional[values->count++] = optional;
	return 0;
}

static const struct field *field_of(const struct expr_side *side)
{
	switch (side->source) {
	case EXPR_FROM_FIELD:
	case EXPR_FROM_CALL:
		return &side->class->fields[side->field];
	case EXPR_FROM_DERIVED:
		return derived_described((enum derived)side->field);
	default:
		return NULL;
	}
}

static void find_place(struct event_value_place *place, const struct event_class *class,
		       const struct expr_value *name, bool pids)
{
	if (class->role == EVENT_ROLE_LOST ||
	    expr_side_find(class, name, pids, &place->side, &place->kind, NULL))
		return;
	place->known = true;
	place->field = field_of(&place->side);
}

static bool is_counted(const struct event_values *values, const struct event_class *class)
{
	return !values->counted || pattern_matches(values->counted, class->name);
}

/* @select: of the events that are chosen and counted; NULL: of all. */
static bool any_has(const struct event_values *values, size_t i, const struct trace_info *info,
		    const struct select *select)
{
	for (size_t c = 0; c < values->class_count; c++) {
		if (values->places[c * values->count + i].known &&
		    (!select || (select_shows(select, info->classes[c]) &&
				 is_counted(values, info->classes[c]))))
			return true;
	}
	return false;
}

/* The recorder's own, and losses: they tell users nothing. */
static bool is_of_recorder(const struct event_class *class)
{
	return class->role == EVENT_ROLE_LOST || class->quiet || event_class_is_note(class) ||
	       !strncmp(class->name, "sonde.", 6);
}

/* The names that the chosen events have, and then those of any event, without a second name for the same. */
static void list_names(const struct event_values *values, const struct trace_info *info,
		       const struct select *select, struct buffer *out)
{
	const uint32_t known = derived_known(info);
	const char *name;

	for (size_t c = 0; c < info->class_count; c++) {
		const struct event_class *class = info->classes[c];
		const uint32_t derived = derived_of(class, known);

		if (!select_shows(select, class) || is_of_recorder(class) ||
		    !is_counted(values, class))
			continue;
		for (size_t f = 0; f < class->field_count && out->len <= NAMES_SHOWN; f++) {
			if (!field_is_many(&class->fields[f]))
				buffer_list(out, 0, class->fields[f].name);
		}
		for (int d = 0; d < DERIVED_COUNT && out->len <= NAMES_SHOWN; d++) {
			if (derived >> d & 1)
				buffer_list(out, 0, derived_fields[d].name);
		}
	}
	if (out->len > NAMES_SHOWN) {
		for (out->len = NAMES_SHOWN; out->len && out->data[out->len - 1] != ','; out->len--)
			;
		buffer_string(out, " ...");
	}
	for (size_t i = 0; (name = expr_side_builtin(i, task_names_tell_pids(info))); i++) {
		if (!strchr(name, '.') && strcmp(name, "name") != 0)
			buffer_list(out, 0, name);
	}
}

static int fail_unknown(const struct event_values *values, size_t i, const struct trace_info *info,
			const struct select *select, struct diag *diag)
{
	struct buffer names;

	buffer_init(&names);
	list_names(values, info, select, &names);
	buffer_char(&names, 0);
	if (!buffer_error(&names))
		escape_blank(names.data);
	if (!buffer_error(&names))
		(void)diag_set(diag, -ENOENT, "%s: no chosen event has a field '%s'; there are %s",
			       values->options[i], values->names[i]->text, names.data);
	buffer_fini(&names);
	return -ENOENT;
}

/* An expression that needs what all of the names need: where_follow then has their facts. */
static int follow_all(struct event_values *values, const struct trace_info *info, struct diag *diag)
{
	const char *before = "";
	struct buffer text;
	int err;

	buffer_init(&text);
	for (size_t i = 0; i < values->count; i++) {
		const char *name = values->names[i]->text;

		if (values->optional[i] && !any_has(values, i, info, NULL))
			continue;
		buffer_format(&text, "%s%s == %s", before, name, name);
		before = " || ";
	}
	buffer_char(&text, 0);
	err = buffer_error(&text);
	if (!err && text.len > 1)
		err = where_parse(&values->where, text.data, diag) ?:
			      where_bind(&values->where, info, diag);
	else if (err)
		err = diag_set(diag, err, "no memory");
	values->where.stack_room = values->stack_room;
	buffer_fini(&text);
	return err;
}

/* Where there are none of those that would count, no name is missing. */
static bool any_counted(const struct event_values *values, const struct trace_info *info,
			const struct select *select)
{
	for (size_t c = 0; c < info->class_count; c++) {
		if (select_shows(select, info->classes[c]) && is_counted(values, info->classes[c]))
			return true;
	}
	return false;
}

int event_values_bind(struct event_values *values, const struct trace_info *info,
		      const struct select *select, struct diag *diag)
{
	const bool pids = task_names_tell_pids(info);

	values->class_count = info->class_count;
	if (!any_counted(values, info, select))
		values->counted = NULL;
	values->places = calloc(info->class_count * values->count + 1, sizeof(*values->places));
	if (!values->places)
		return diag_set(diag, -ENOMEM, "no memory");
	for (size_t c = 0; c < info->class_count; c++) {
		for (size_t i = 0; i < values->count; i++)
			find_place(&values->places[c * values->count + i], info->classes[c],
				   &node_of(values->names[i])->left, pids);
	}
	for (size_t i = 0; i < values->count; i++) {
		if (!values->optional[i] && !any_has(values, i, info, select))
			return fail_unknown(values, i, info, select, diag);
	}
	return follow_all(values, info, diag);
}

bool event_values_takes(const struct event_values *values, const struct event_class *class)
{
	return values->where.code && where_takes(&values->where, class);
}

void event_values_follow(struct event_values *values, const struct event *event,
			 const struct task_names *names)
{
	if (values->where.code)
		(void)where_follow(&values->where, event, names);
}

const struct event_value_place *event_values_place(const struct event_values *values, size_t i,
						   const struct event_class *class)
{
	static const struct event_value_place none;

	return class->index < values->class_count ?
		       &values->places[class->index * values->count + i] :
		       &none;
}

static enum event_value_kind number_kind(const struct expr_side *side)
{
	if (side->source == EXPR_FROM_CALL)
		return EVENT_VALUE_CALL;
	return side->is_signed ? EVENT_VALUE_SIGNED : EVENT_VALUE_UNSIGNED;
}

void event_values_get(const struct event_values *values, size_t i, const struct event *event,
		      struct event_value *ret)
{
	const struct event_value_place *place = event_values_place(values, i, event->class);
	const struct event_facts *facts = &values->where.facts;
	struct event owned = *event;
	bool there = false;

	*ret = (struct event_value){.kind = EVENT_VALUE_NONE};
	if (!place->known)
		return;
	if (values->where.derive)
		owned.tid = owner_of_event(facts, event->tid);
	switch (place->kind) {
	case SIDE_NUMBER:
		if (expr_load_number(&place->side, &owned, facts, &ret->number))
			ret->kind = number_kind(&place->side);
		return;
	case SIDE_FLOAT:
		ret->real = expr_load_float(&place->side, &owned, facts, &there);
		if (there)
			ret->kind = EVENT_VALUE_FLOAT;
		return;
	case SIDE_TEXT:
		ret->text = expr_load_text(&place->side, &owned, facts, &ret->len);
		if (ret->text)
			ret->kind = EVENT_VALUE_TEXT;
		return;
	case SIDE_ADDRESS:
		ret->text = (const char *)expr_load_address(&place->side, &owned);
		ret->len = 16;
		if (ret->text)
			ret->kind = EVENT_VALUE_ADDRESS;
		return;
	}
}

static bool has_bytes(enum event_value_kind kind)
{
	return kind == EVENT_VALUE_TEXT || kind == EVENT_VALUE_ADDRESS;
}

/* The kind, and 8 bytes of number, or length and bytes. */
size_t event_value_pack(uint8_t *key, size_t at, size_t room, const struct event_value *value)
{
	const uint64_t len = value->len < room - 9 ? value->len : room - 9;

	key[at++] = (uint8_t)value->kind;
	if (value->kind == EVENT_VALUE_NONE)
		return at;
	if (!has_bytes(value->kind)) {
		memcpy(key + at,
		       value->kind == EVENT_VALUE_FLOAT ? (const void *)&value->real :
							  (const void *)&value->number,
		       8);
		return at + 8;
	}
	memcpy(key + at, &len, 8);
	memcpy(key + at + 8, value->text, len);
	return at + 8 + len;
}

void event_value_unpack(const uint8_t *key, size_t i, struct event_value *ret)
{
	for (size_t k = 0; k <= i; k++) {
		*ret = (struct event_value){.kind = (enum event_value_kind) * key++};
		if (ret->kind == EVENT_VALUE_NONE)
			continue;
		if (has_bytes(ret->kind)) {
			memcpy(&ret->len, key, 8);
			ret->text = (const char *)key + 8;
			key += ret->len;
		} else if (ret->kind == EVENT_VALUE_FLOAT) {
			memcpy(&ret->real, key, 8);
		} else {
			memcpy(&ret->number, key, 8);
		}
		key += 8;
	}
}
