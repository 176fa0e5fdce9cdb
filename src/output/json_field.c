// SPDX-License-Identifier: BSD-2-Clause
#include "output/json_field.h"

#include <math.h>
#include <stdio.h>

#include "base/emit.h"
#include "base/json_writer.h"
#include "output/names.h"
#include "output/plan.h"
#include "schema/event.h"
#include "schema/sockaddr.h"
#include "schema/trace_info.h"

#define KEY_BYTES 64u

const struct plan_style json_field_style = {",\"", "\":", escape_json, NULL};

/* JSON has no word for what is not a number. */
static char *write_float(char *p, const struct event *event, const struct plan_field *pf,
			 uint32_t i)
{
	double value = event_float(event, pf->index, i);

	if (isnan(value) || isinf(value))
		return emit_bytes(p, "null", 4);
	return emit_float(p, value, pf->field->bits);
}

static char *write_number(char *p, const struct event *event, const struct plan_field *pf,
			  uint32_t i)
{
	uint64_t value = event_element_fast(event, pf->index, i);

	return pf->field->is_signed ? emit_int(p, (int64_t)value) : emit_uint(p, value);
}

static char *write_array(char *p, const struct event *event, const struct plan_field *pf)
{
	uint32_t i, count = event_count(event, pf->index);

	p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		if (i)
			p = emit_char(p, ',');
		if (pf->number == PLAN_FLOAT)
			p = write_float(p, event, pf, i);
		else
			p = write_number(p, event, pf, i);
	}
	return emit_char(p, ']');
}

static char *write_sockaddr(char *p, const struct event *event, const struct plan_field *pf)
{
	char text[SOCKADDR_TEXT_BYTES + EMIT_SLACK_BYTES];
	const char *end = plan_emit_sockaddr(text, pf, event);

	p = emit_char(p, '"');
	p = escape_json(p, text, (size_t)(end - text));
	return emit_char(p, '"');
}

static char *write_list(char *p, const struct event *event, const struct plan_field *pf)
{
	uint32_t i, count = event_count(event, pf->index);
	const struct plan *items = pf->items;

	p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		struct event item = event_item(event, pf->index, i);

		if (i)
			p = emit_char(p, ',');
		if (items->bare) {
			p = json_field_value(p, &item, &items->fields[0]);
			continue;
		}
		p = emit_char(p, '{');
		p = json_field_write(p, items, &item, NULL, 0, items->count);
		p = emit_char(p, '}');
	}
	return emit_char(p, ']');
}

char *json_field_value(char *p, const struct event *event, const struct plan_field *pf)
{
	const char *text;
	uint64_t value;
	size_t len;

	switch (pf->form) {
	case PLAN_ADDRESS:
		p = emit_char(p, '"');
		p = emit_address(p, event_bytes(event, pf->index), 0);
		return emit_char(p, '"');
	case PLAN_SOCKADDR:
		return write_sockaddr(p, event, pf);
	case PLAN_TEXTS:
		p = plan_emit_texts(emit_char(p, '['), pf, event, ",", escape_json);
		return emit_char(p, ']');
	case PLAN_FLOAT:
		return write_float(p, event, pf, 0);
	case PLAN_TEXT:
		text = event_text(event, pf->index, &len);
		p = emit_char(p, '"');
		p = escape_json(p, text, len);
		return emit_char(p, '"');
	case PLAN_ARRAY:
		return write_array(p, event, pf);
	case PLAN_LIST:
		return write_list(p, event, pf);
	default:
		value = event_uint(event, pf->index);
		return pf->field->is_signed ? emit_int(p, (int64_t)value) : emit_uint(p, value);
	}
}

char *json_field_key(char *p, const struct plan_field *pf, bool first)
{
	return emit_short(p, pf->prefix + first, pf->prefix_len - first);
}

static char *write_derived(char *p, const struct event_facts *facts, enum derived what)
{
	if (!derived_is_text(what))
		return emit_uint(p, facts->derived[what]);
	p = emit_char(p, '"');
	p = escape_json(p, facts->files[0].name, facts->files[0].len);
	return emit_char(p, '"');
}

char *json_field_write(char *p, const struct plan *plan, const struct event *event,
		       const struct event_facts *facts, size_t from, size_t to)
{
	bool first = true;
	size_t i;

	for (i = from; i < to; i++) {
		const struct plan_field *pf = &plan->fields[i];

		/* The owner stands beside the task (output/json). */
		if (!plan_has(pf, event, facts) ||
		    (pf->form == PLAN_DERIVED && pf->index == DERIVED_OWNER))
			continue;
		p = json_field_key(p, pf, first);
		p = pf->form == PLAN_DERIVED ? write_derived(p, facts, (enum derived)pf->index) :
					       json_field_value(p, event, pf);
		first = false;
	}
	return p;
}

void json_field_trace_end(struct json_writer *json, const struct trace_info *info)
{
	const char *text;

	if (!info->end || info->end->kind == TRACE_END_UNKNOWN)
		return;
	json_writer_string(json, "end_mark", trace_end_word(info));
	if (!trace_end_missing(info, 0))
		return;
	json_writer_array(json, "missing");
	for (size_t i = 0; (text = trace_end_missing(info, i)); i++)
		json_writer_string(json, NULL, text);
	json_writer_end(json);
}

void json_field_name(struct json_writer *json, const char *key, const struct name *name)
{
	if (name)
		json_writer_quoted(json, key, name->text, name->len);
}

void json_field_label(struct json_writer *json, const char *key, const char *label)
{
	char name[KEY_BYTES];

	(void)snprintf(name, sizeof(name), "%s_name", key);
	if (label)
		json_writer_string(json, name, label);
}
