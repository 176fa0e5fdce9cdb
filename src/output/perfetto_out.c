// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyse/code_names.h"
#include "base/emit.h"
#include "output/json_field.h"
#include "output/plan.h"
#include "output/view.h"

#define FIELD_NAME_BYTES 256u
#define TERMINAL_FACTOR 4u /* \xNN: what escape_terminal makes of a byte at most */

int perfetto_out_init(struct perfetto_out *po, const struct view *view)
{
	*po = (struct perfetto_out){.view = view};
	po->plans = plans_new(view->analysis.info->classes, view->analysis.info->class_count, NULL,
			      &json_field_style);
	po->shown = plans_new(view->analysis.info->classes, view->analysis.info->class_count,
			      &(struct plan_choice){.fields = &view->fields}, &json_field_style);
	po->names = names_new(view->analysis.info, escape_json);
	return po->plans && po->shown && po->names ? 0 : -ENOMEM;
}

void perfetto_out_fini(struct perfetto_out *po)
{
	plans_free(po->plans, po->view->analysis.info->class_count);
	plans_free(po->shown, po->view->analysis.info->class_count);
	names_free(po->names);
}

static struct buffer *buffer_of(const struct perfetto_out *po)
{
	return &po->view->out->buf;
}

void perfetto_begin(struct perfetto_out *po, int64_t origin_ns)
{
	const struct trace_env *host = trace_info_env(po->view->analysis.info, "hostname");
	struct buffer *buf = buffer_of(po);

	po->begun = true;
	po->origin_ns = po->last_ns = origin_ns;
	/* The unit is for showing; times are microseconds whatever it says. */
	buffer_string(buf, "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"writer\":\"sonde\"");
	if (host && host->text) {
		buffer_string(buf, ",\"hostname\":\"");
		buffer_json_text(buf, host->text, strlen(host->text));
		buffer_char(buf, '"');
	}
	/* As text: not every reader has integers of 64 bits. */
	buffer_string(buf, ",\"time 0, in ns since 1970\":\"");
	buffer_int(buf, origin_ns);
	buffer_string(buf, "\"},\"traceEvents\":[");
}

void perfetto_end(struct perfetto_out *po)
{
	buffer_string(buffer_of(po), "\n]}\n");
}

static void put_time(struct perfetto_out *po, int64_t time_ns)
{
	uint64_t distance = (uint64_t)time_ns - (uint64_t)po->origin_ns;
	struct buffer *buf = buffer_of(po);

	if ((int64_t)distance < 0) {
		buffer_char(buf, '-');
		distance = -distance;
	}
	buffer_uint(buf, distance / 1000);
	buffer_char(buf, '.');
	buffer_digits(buf, distance % 1000, 3);
}

void perfetto_open(struct perfetto_out *po, char phase, int64_t time_ns, struct perfetto_place at)
{
	struct buffer *buf = buffer_of(po);

	buffer_string(buf, po->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	buffer_char(buf, phase);
	buffer_char(buf, '"');
	/* What only names a track holds for all time. */
	if (phase != 'M') {
		buffer_string(buf, ",\"ts\":");
		put_time(po, time_ns);
	}
	buffer_string(buf, ",\"pid\":");
	buffer_uint(buf, at.pid);
	buffer_string(buf, ",\"tid\":");
	buffer_uint(buf, at.tid);
	po->any = true;
	po->in_args = false;
	po->comma = true;
}

void perfetto_close(struct perfetto_out *po)
{
	buffer_string(buffer_of(po), po->in_args ? "}}" : "}");
}

static void put_key(struct perfetto_out *po, const char *key)
{
	struct buffer *buf = buffer_of(po);

	if (po->comma)
		buffer_char(buf, ',');
	po->comma = true;
	buffer_char(buf, '"');
	buffer_string(buf, key);
	buffer_string(buf, "\":");
}

void perfetto_plain(struct perfetto_out *po, const char *key, const char *value)
{
	struct buffer *buf = buffer_of(po);

	put_key(po, key);
	buffer_char(buf, '"');
	buffer_string(buf, value);
	buffer_char(buf, '"');
}

/* Made safe for a terminal first: that leaves nothing for which JSON needs a \u. */
static void put_text(struct perfetto_out *po, const char *text, size_t len)
{
	struct buffer *buf = buffer_of(po);
	char *p = buffer_reserve(buf, len * (ESCAPE_FACTOR + TERMINAL_FACTOR));
	char *safe = p + len * ESCAPE_FACTOR;

	if (!p)
		return;
	safe = escape_terminal(safe, text, len);
	p = escape_json(p, p + len * ESCAPE_FACTOR, (size_t)(safe - p) - len * ESCAPE_FACTOR);
	buffer_advance(buf, (size_t)(p - (buf->data + buf->len)));
}

void perfetto_text(struct perfetto_out *po, const char *key, const char *text, size_t len)
{
	struct buffer *buf = buffer_of(po);

	put_key(po, key);
	buffer_char(buf, '"');
	put_text(po, text, len);
	buffer_char(buf, '"');
}

void perfetto_number(struct perfetto_out *po, const char *key, int64_t value)
{
	put_key(po, key);
	buffer_int(buffer_of(po), value);
}

void perfetto_list(struct perfetto_out *po, const char *key)
{
	put_key(po, key);
	buffer_char(buffer_of(po), '[');
	po->comma = false;
}

void perfetto_list_add(struct perfetto_out *po, const char *text)
{
	struct buffer *buf = buffer_of(po);

	buffer_string(buf, po->comma ? ",\"" : "\"");
	buffer_string(buf, text);
	buffer_char(buf, '"');
	po->comma = true;
}

void perfetto_list_end(struct perfetto_out *po)
{
	buffer_char(buffer_of(po), ']');
	po->comma = true;
}

void perfetto_category(struct perfetto_out *po, const struct event *event)
{
	const char *name = event->class->name;

	perfetto_text(po, "cat", name, strcspn(name, ".:"));
}

void perfetto_args(struct perfetto_out *po)
{
	put_key(po, "args");
	buffer_char(buffer_of(po), '{');
	po->in_args = true;
	po->comma = false;
}

/* What is not decimal is text. */
static char *write_number(char *p, enum plan_form form, uint64_t value)
{
	bool text = form == PLAN_HEX || form == PLAN_SYMBOL || form == PLAN_OCTAL ||
		    form == PLAN_BINARY;

	if (!text)
		return plan_emit_number(p, form, value);
	p = emit_char(p, '"');
	p = plan_emit_number(p, form, value);
	return emit_char(p, '"');
}

static char *write_code(char *p, const struct perfetto_out *po, const struct plan *plan,
			const struct plan_field *pf, const struct event *event, uint32_t i)
{
	char *name = emit_char(p, '"');
	char *end = code_name_write(name, &po->view->analysis, event, pf->index, plan->pid, i,
				    escape_json);

	if (end > name)
		return emit_char(end, '"');
	return write_number(p, PLAN_HEX, event_element_fast(event, pf->index, i));
}

static char *write_array(char *p, const struct perfetto_out *po, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	uint32_t i, count = event_count(event, pf->index);

	if (pf->number == PLAN_FLOAT)
		return json_field_value(p, event, pf);
	p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		if (i)
			p = emit_char(p, ',');
		if (pf->number == PLAN_SYMBOL)
			p = write_code(p, po, plan, pf, event, i);
		else
			p = write_number(p, pf->number, event_element_fast(event, pf->index, i));
	}
	return emit_char(p, ']');
}

/* "ESTABLISHED", "openat"; of an error the number, too, as of what the trace names. */
static char *write_named(char *p, const struct perfetto_out *po, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	const struct name *name = plan_name(plan, pf, po->names, event);
	const char *known = pf->form == PLAN_KNOWN ?
				    plan_known(plan, pf, po->view->analysis.known, event) :
				    NULL;

	if (!name && !known)
		return plan_emit_number(p, pf->number, event_uint(event, pf->index));
	p = emit_char(p, '"');
	if (pf->form == PLAN_RESULT || known) {
		p = plan_emit_number(p, pf->number, event_uint(event, pf->index));
		p = emit_bytes(p, " (", 2);
	}
	p = name ? emit_short(p, name->text, name->len) : escape_json(p, known, strlen(known));
	if (pf->form == PLAN_RESULT || known)
		p = emit_char(p, ')');
	return emit_char(p, '"');
}

/* A value as an argument: numbers as numbers, named values by their names, addresses and flags as text. */
static char *write_value(char *p, const struct perfetto_out *po, const struct plan *plan,
			 const struct plan_field *pf, const struct event *event)
{
	switch (pf->form) {
	case PLAN_SYSCALL:
	case PLAN_RESULT:
	case PLAN_LABELS:
	case PLAN_KNOWN:
		return write_named(p, po, plan, pf, event);
	case PLAN_FLAGS:
		return emit_char(plan_emit_flags(emit_char(p, '"'), pf, event), '"');
	case PLAN_SYMBOL:
		return write_code(p, po, plan, pf, event, 0);
	case PLAN_ARRAY:
		return write_array(p, po, plan, pf, event);
	case PLAN_HEX:
	case PLAN_OCTAL:
	case PLAN_BINARY:
		return write_number(p, pf->form, event_uint(event, pf->index));
	default:
		return json_field_value(p, event, pf);
	}
}

void perfetto_fields(struct perfetto_out *po, const struct event *event, uint64_t skip)
{
	const struct plan *plan = &po->shown[event->class->index];
	struct buffer *buf = buffer_of(po);
	char *start = buffer_reserve(buf, plan_room(plan, event) + EMIT_SLACK_BYTES), *p = start;

	for (size_t i = 0; start && i < plan->count; i++) {
		const struct plan_field *pf = &plan->fields[i];

		if (!event_has(event, pf->index) || (pf->index < 64 && skip >> pf->index & 1))
			continue;
		p = json_field_key(p, pf, !po->comma);
		p = write_value(p, po, plan, pf, event);
		po->comma = true;
	}
	if (start)
		buffer_advance(buf, (size_t)(p - start));
}

void perfetto_field_name(struct perfetto_out *po, const char *key, const char *before,
			 const struct event *event, size_t field)
{
	const struct plan *plan = &po->plans[event->class->index];
	const struct plan_field *pf = &plan->fields[field];
	uint64_t value = event_uint(event, field);
	const char *name = field_label(pf->field, (int64_t)value);
	char text[FIELD_NAME_BYTES + EMIT_BINARY_BYTES + EMIT_SLACK_BYTES], number[128];
	struct symbol_place place;

	if (pf->form == PLAN_SYMBOL &&
	    code_name_find(&po->view->analysis, event, pf->index, plan->pid, 0, &place))
		name = place.function ?: place.module;
	*plan_emit_number(number, pf->number, value) = '\0';
	(void)snprintf(text, sizeof(text), "%s%.200s", before, name ?: number);
	perfetto_text(po, key, text, strlen(text));
}

void perfetto_name_process(struct perfetto_out *po, uint32_t pid, const char *name, size_t len)
{
	perfetto_open(po, 'M', 0, (struct perfetto_place){pid, pid});
	perfetto_plain(po, "name", "process_name");
	perfetto_args(po);
	perfetto_text(po, "name", name, len);
	perfetto_close(po);
}

void perfetto_name_thread(struct perfetto_out *po, struct perfetto_place at, const char *name,
			  size_t len)
{
	perfetto_open(po, 'M', 0, at);
	perfetto_plain(po, "name", "thread_name");
	perfetto_args(po);
	perfetto_text(po, "name", name, len);
	perfetto_close(po);
}

void perfetto_sort(struct perfetto_out *po, const char *kind, struct perfetto_place at,
		   int64_t index)
{
	perfetto_open(po, 'M', 0, at);
	perfetto_plain(po, "name", *kind == 'p' ? "process_sort_index" : "thread_sort_index");
	perfetto_args(po);
	perfetto_number(po, "sort_index", index);
	perfetto_close(po);
}

void perfetto_instant(struct perfetto_out *po, const struct event *event, struct perfetto_place at)
{
	perfetto_open(po, 'i', event->time_ns, at);
	perfetto_plain(po, "s", "t");
	perfetto_category(po, event);
	perfetto_text(po, "name", event->class->name, strlen(event->class->name));
	perfetto_args(po);
	perfetto_fields(po, event, 0);
	perfetto_close(po);
}

void perfetto_slice_end(struct perfetto_out *po, int64_t time_ns, struct perfetto_place at,
			const char *why)
{
	perfetto_open(po, 'E', time_ns, at);
	if (why) {
		perfetto_args(po);
		perfetto_plain(po, "end", why);
	}
	perfetto_close(po);
}
