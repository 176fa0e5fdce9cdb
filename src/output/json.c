// SPDX-License-Identifier: BSD-2-Clause
#include "output/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/code_names.h"
#include "analyse/origin_label.h"
#include "base/emit.h"
#include "output/call_arg.h"
#include "output/json_field.h"
#include "output/plan.h"
#include "output/view.h"
#include "schema/call_meaning.h"
#include "schema/origin.h"
#include "schema/trace_info.h"

#define HEAD_BYTES 256u /* time, cpu, tid, comm with every byte escaped */
#define OWNER_BYTES (TASK_NAME_BYTES * ESCAPE_FACTOR + 64u)
#define CGROUP_BYTES (2 * (NAME_TEXT_MAX * ESCAPE_FACTOR + 20u)) /* and of its container */
#define TAIL_BYTES 64u

struct json_class {
	char *head; /* ,"vpid":42,"event":"sys.enter","fields":{ padded for emit_short */
	size_t head_len;
};

struct json {
	struct event_sink sink;
	const struct view *view;
	struct plan *plans;
	struct json_class *classes;
	size_t class_count;
	struct names *names;
	struct origin_parts parts; /* that events tell of their origin */
};

/* One name, or, for a stack, one for each element, null without a name. */
static char *write_code_names(char *p, const struct json *json, const struct plan *plan,
			      const struct plan_field *pf, const struct event *event)
{
	uint32_t i, count = event_count(event, pf->index);
	bool many = pf->form == PLAN_ARRAY;

	if (many)
		p = emit_char(p, '[');
	for (i = 0; i < count; i++) {
		char *name, *end;

		if (i)
			p = emit_char(p, ',');
		name = emit_char(p, '"');
		end = code_name_write(name, &json->view->analysis, event, pf->index, plan->pid, i,
				      escape_json);
		p = end > name ? emit_char(end, '"') : emit_bytes(p, "null", 4);
	}
	return many ? emit_char(p, ']') : p;
}

/* Whether any element has a name. */
static bool has_code_name(const struct json *json, const struct plan *plan,
			  const struct plan_field *pf, const struct event *event)
{
	uint32_t i, count = event_count(event, pf->index);
	struct symbol_place place;

	for (i = 0; i < count; i++)
		if (code_name_find(&json->view->analysis, event, pf->index, plan->pid, i, &place))
			return true;
	return false;
}

static bool has_element_label(const struct plan_field *pf, const struct event *event);

/* Whether anything in @item has a label. */
static bool has_item_label(const struct plan *items, const struct event *item)
{
	for (size_t i = 0; i < items->count; i++)
		if (has_element_label(&items->fields[i], item))
			return true;
	return false;
}

/* Whether the number has a label, or one of an array or in the items of a list. */
static bool has_element_label(const struct plan_field *pf, const struct event *event)
{
	uint32_t count;

	if (!event_has(event, pf->index) || (!pf->labels.count && pf->form != PLAN_LIST))
		return false;
	if (pf->form == PLAN_LABELS)
		return plan_label(pf, event, 0);
	count = event_count(event, pf->index);
	for (uint32_t i = 0; i < count; i++) {
		struct event item;

		if (pf->form != PLAN_LIST) {
			if (plan_label(pf, event, i))
				return true;
			continue;
		}
		item = event_item(event, pf->index, i);
		if (has_item_label(pf->items, &item))
			return true;
	}
	return false;
}

static char *write_label(char *p, const struct name *name)
{
	if (!name)
		return emit_bytes(p, "null", 4);
	p = emit_char(p, '"');
	p = emit_short(p, name->text, name->len);
	return emit_char(p, '"');
}

static char *write_element_labels(char *p, const struct plan_field *pf, const struct event *event);

/* {"a":"label"}, or for items without fields the label alone; null without one. */
static char *write_item_labels(char *p, const struct plan *items, const struct event *item)
{
	bool first = true;

	if (!has_item_label(items, item))
		return emit_bytes(p, "null", 4);
	if (items->bare)
		return write_element_labels(p, &items->fields[0], item);
	p = emit_char(p, '{');
	for (size_t i = 0; i < items->count; i++) {
		if (!has_element_label(&items->fields[i], item))
			continue;
		p = json_field_key(p, &items->fields[i], first);
		p = write_element_labels(p, &items->fields[i], item);
		first = false;
	}
	return emit_char(p, '}');
}

/* One for each element. */
static char *write_element_labels(char *p, const struct plan_field *pf, const struct event *event)
{
	uint32_t count;

	if (pf->form == PLAN_LABELS)
		return write_label(p, plan_label(pf, event, 0));
	count = event_count(event, pf->index);
	p = emit_char(p, '[');
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			p = emit_char(p, ',');
		if (pf->form == PLAN_LIST) {
			struct event item = event_item(event, pf->index, i);

			p = write_item_labels(p, pf->items, &item);
		} else {
			p = write_label(p, plan_label(pf, event, i));
		}
	}
	return emit_char(p, ']');
}

/* ,"labels":{"field":["a","b"]}: of values that have several. */
static char *write_labels(char *p, const struct plan *plan, const struct event *event)
{
	bool first = true;

	for (size_t i = 0; i < plan->named_count; i++) {
		const struct plan_field *pf = &plan->fields[plan->named[i]];
		const struct name *name;
		size_t at = 0, count = 0;

		if (!event_has(event, pf->index) || !plan_has_labels(pf, event))
			continue;
		if (first)
			p = emit_bytes(p, ",\"labels\":{", 11);
		p = json_field_key(p, pf, first);
		first = false;
		p = emit_char(p, '[');
		while ((name = label_names_next(&pf->labels, pf->field,
						(int64_t)event_uint(event, pf->index), &at))) {
			if (count++)
				p = emit_char(p, ',');
			p = write_label(p, name);
		}
		p = emit_char(p, ']');
	}
	return first ? p : emit_char(p, '}');
}

/* Of an argument as text has it: perhaps with a comment behind a space. */
static bool is_number(const char *text, const char *end)
{
	if (text == end || (*text != '-' && !(*text >= '0' && *text <= '9')))
		return false;
	while (++text < end && *text != ' ')
		if (!strchr("x0123456789abcdef|", *text))
			return false;
	return true;
}

/* "F_GETFL": @form as text has it; @p if that is but a number, which `fields` has. */
static char *write_meaning(char *p, const struct plan_field *pf, const struct call_case *form,
			   const struct event *event, bool first)
{
	char *start = p, *text;

	if (form->form <= CALL_FORM_POINTER)
		return p;
	if (first)
		p = emit_bytes(p, ",\"names\":{", 10);
	p = json_field_key(p, pf, first);
	text = emit_char(p, '"');
	p = call_arg_write(text, form, event_uint(event, pf->index));
	if (p == text || is_number(text, p))
		return start;
	return emit_char(p, '"');
}

static char *write_names(char *p, const struct json *json, const struct plan *plan,
			 const struct event *event)
{
	bool first = true;
	size_t i;

	for (i = 0; i < plan->named_count; i++) {
		const struct plan_field *pf = &plan->fields[plan->named[i]];
		bool code = pf->number == PLAN_SYMBOL;
		bool many = pf->form == PLAN_ARRAY || pf->form == PLAN_LIST;
		const struct call_case *form;
		const struct name *name;
		const char *known;

		if (!event_has(event, pf->index))
			continue;
		form = plan_case(pf, event);
		if (form && form->form != CALL_FORM_PLAIN) {
			char *end = write_meaning(p, pf, form, event, first);

			first &= end == p;
			p = end;
			continue;
		}
		many &= !code;
		name = plan_name(plan, pf, json->names, event);
		known = pf->form == PLAN_KNOWN ?
				plan_known(plan, pf, json->view->analysis.known, event) :
				NULL;
		if (code		   ? !has_code_name(json, plan, pf, event) :
		    many		   ? !has_element_label(pf, event) :
		    pf->form == PLAN_FLAGS ? !plan_has_flags(pf, event) :
					     !name && !known)
			continue;
		if (first)
			p = emit_bytes(p, ",\"names\":{", 10);
		p = json_field_key(p, pf, first);
		first = false;
		if (code) {
			p = write_code_names(p, json, plan, pf, event);
			continue;
		}
		if (many) {
			p = write_element_labels(p, pf, event);
			continue;
		}
		p = emit_char(p, '"');
		p = pf->form == PLAN_FLAGS ? plan_emit_flags(p, pf, event) :
		    name		   ? emit_short(p, name->text, name->len) :
					     escape_json(p, known, strlen(known));
		p = emit_char(p, '"');
	}
	return first ? p : emit_char(p, '}');
}

static char *write_member(char *p, const char *key, const char *text)
{
	p = emit_bytes(p, key, strlen(key));
	p = escape_json(p, text, strlen(text));
	return emit_char(p, '"');
}

/* ,"cgroup":"/docker/1a2b...","container":"web" */
static char *write_cgroup(char *p, const struct json *json, const struct event *event)
{
	const struct analysis *analysis = &json->view->analysis;
	const char *path = analysis_cgroup(analysis, event->class, event->tid), *container;

	if (!path)
		return p;
	p = write_member(p, ",\"cgroup\":\"", path);
	container = analysis_container(analysis, event->class, event->tid);
	return container ? write_member(p, ",\"container\":\"", container) : p;
}

/* ,"comm":"dd" where it is known. */
static char *write_comm(char *p, const struct task_name *name)
{
	if (!name->len)
		return p;
	p = emit_bytes(p, ",\"comm\":\"", 9);
	if (__builtin_expect(name->len & TASK_NAME_ODD, 0)) {
		p = escape_json(p, name->text, TASK_NAME_LEN(name));
	} else {
		memcpy(p, name->text, sizeof(name->text));
		p += name->len;
	}
	return emit_char(p, '"');
}

static char *write_task(char *p, const struct json *json, const struct event *event)
{
	int32_t tid = event->tid;
	const struct task_name *name =
		task_names_get(json->view->analysis.names, event->class, tid);

	if (tid < 0)
		return p;
	p = emit_bytes(p, ",\"tid\":", 7);
	p = emit_uint(p, (uint32_t)tid);
	p = write_comm(p, name);
	return name->len ? write_cgroup(p, json, event) : p;
}

/* The end of {"comm":"virtio0-input.0"}: what is no task has no tid. */
static char *write_owner_name(char *p, const struct json *json, const struct event *event,
			      int32_t owner)
{
	const struct task_name *name =
		task_names_get(json->view->analysis.names, event->class, owner);

	p = escape_json(p, name->text, TASK_NAME_LEN(name));
	return emit_bytes(p, "\"}", 2);
}

/* ,"owner":{"tid":7,"comm":"dd"} where it differs from the task; null where it is unknown. */
static char *write_owner(char *p, const struct json *json, const struct event *event,
			 const struct event_facts *facts)
{
	if (facts->owner == OWNER_UNKNOWN)
		return emit_bytes(p, ",\"owner\":null", 13);
	if (facts->owner < 0) {
		p = emit_bytes(p, ",\"owner\":{\"comm\":\"", 18);
		return write_owner_name(p, json, event, facts->owner);
	}
	if (!(facts->has & 1u << DERIVED_OWNER))
		return p;
	p = emit_bytes(p, ",\"owner\":{\"tid\":", 16);
	p = emit_uint(p, (uint32_t)facts->owner);
	p = write_comm(p, task_names_get(json->view->analysis.names, event->class, facts->owner));
	return emit_char(p, '}');
}

/* ,"waiting":{"count":3,"sectors":[2048,-4096,8]} */
static char *write_waiting(char *p, const struct disk_waiting *waiting)
{
	p = emit_bytes(p, ",\"waiting\":{\"count\":", 20);
	p = emit_uint(p, waiting->count);
	p = emit_bytes(p, ",\"sectors\":[", 12);
	for (size_t i = 0; i < waiting->shown; i++) {
		if (i)
			p = emit_char(p, ',');
		p = emit_int(p, waiting->sectors[i]);
	}
	return emit_bytes(p, "]}", 2);
}

/* ,"hostname":"web1","procname":"nginx","vpid":42 as far as known: for each loss, so not by json_writer. */
static char *write_origin(char *p, const struct origin *origin, struct origin_parts parts)
{
	if (parts.hosts && origin_has(origin, ORIGIN_HOSTNAME))
		p = write_member(p, ",\"hostname\":\"", origin->hostname);
	if (parts.processes && origin_has(origin, ORIGIN_PROCNAME))
		p = write_member(p, ",\"procname\":\"", origin->procname);
	if (parts.processes && origin_has(origin, ORIGIN_VPID)) {
		p = emit_bytes(p, ",\"vpid\":", 8);
		p = emit_int(p, origin->vpid);
	}
	return p;
}

static char *write_event(char *p, const struct json *json, const struct event *event)
{
	const struct plan *plan = &json->plans[event->class->index];
	const struct json_class *class = &json->classes[event->class->index];
	const struct event_facts *facts = analysis_facts(&json->view->analysis);
	struct disk_waiting waiting;

	p = emit_bytes(p, "{\"time\":", 8);
	p = emit_int(p, event->time_ns);
	if (event->cpu >= 0) {
		p = emit_bytes(p, ",\"cpu\":", 7);
		p = emit_uint(p, (uint32_t)event->cpu);
	}
	p = write_task(p, json, event);
	if (facts && facts->has & FACTS_OWNER)
		p = write_owner(p, json, event, facts);
	if (__builtin_expect(event->class->role == EVENT_ROLE_LOST, 0))
		p = write_origin(p, origin_of_loss(json->view->analysis.info, event), json->parts);
	p = emit_short(p, class->head, class->head_len);
	p = json_field_write(p, plan, event, facts, plan->context_count, plan->count);
	p = emit_char(p, '}');
	if (plan->context_count) {
		p = emit_bytes(p, ",\"context\":{", 12);
		p = json_field_write(p, plan, event, facts, 0, plan->context_count);
		p = emit_char(p, '}');
	}
	if (plan->named_count)
		p = write_labels(write_names(p, json, plan, event), plan, event);
	if (json->view->analysis.queues &&
	    disk_queues_inserted(json->view->analysis.queues, event, &waiting))
		p = write_waiting(p, &waiting);
	return emit_bytes(p, "}\n", 2);
}

static int json_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct json *json = (struct json *)sink;
	struct output *out = json->view->out;
	size_t i, room;
	char *start, *p;

	for (i = 0; i < count; i++) {
		const struct event *event = &events[i];
		size_t index = event->class->index;

		if (!analysis_takes(&json->view->analysis, event))
			continue;
		room = HEAD_BYTES + OWNER_BYTES + CGROUP_BYTES + TAIL_BYTES + EMIT_SLACK_BYTES +
		       (json->view->analysis.queues ? ANALYSIS_WAITING_BYTES : 0) +
		       json->classes[index].head_len + plan_room(&json->plans[index], event);
		if (__builtin_expect(event->class->role == EVENT_ROLE_LOST, 0))
			room += origin_label_room(origin_of_loss(json->view->analysis.info, event));
		start = buffer_reserve(&out->buf, room);
		if (!start)
			return -ENOMEM;
		p = write_event(start, json, event);
		buffer_advance(&out->buf, (size_t)(p - start));
		if (output_end_line(out))
			return out->err;
	}
	return output_end_batch(out);
}

static int json_finish(struct event_sink *sink)
{
	struct json *json = (struct json *)sink;
	struct output *out = json->view->out;
	const char *text;

	/* A program that reads this may not see our stderr. */
	for (size_t i = 0; (text = trace_end_missing(json->view->analysis.info, i)); i++) {
		buffer_string(&out->buf, "{\"event\":\"sonde.incomplete\",\"fields\":{\"text\":\"");
		buffer_json_text(&out->buf, text, strlen(text));
		buffer_string(&out->buf, "\"}}\n");
	}
	return output_flush(out);
}

static void json_free(struct event_sink *sink)
{
	struct json *json = (struct json *)sink;
	size_t i;

	if (!json)
		return;
	plans_free(json->plans, json->class_count);
	for (i = 0; json->classes && i < json->class_count; i++)
		free(json->classes[i].head);
	free(json->classes);
	names_free(json->names);
	free(json);
}

static const struct sink_ops json_ops = {
	.batch = json_batch,
	.finish = json_finish,
	.free = json_free,
};

static int make_head(struct json_class *json_class, const struct event_class *class,
		     struct origin_parts parts)
{
	static const char before[] = ",\"event\":\"", after[] = "\",\"fields\":{";
	size_t len = strlen(class->name);
	char *p;

	json_class->head = calloc(1, origin_label_room(class->origin) + len * ESCAPE_FACTOR +
					     sizeof(before) + sizeof(after) + EMIT_PADDING);
	if (!json_class->head)
		return -ENOMEM;
	p = write_origin(json_class->head, class->origin, parts);
	p = emit_bytes(p, before, strlen(before));
	p = escape_json(p, class->name, len);
	p = emit_bytes(p, after, strlen(after));
	json_class->head_len = (size_t)(p - json_class->head);
	return 0;
}

struct event_sink *json_new(const struct view *view)
{
	struct json *json = calloc(1, sizeof(*json));
	size_t i;

	if (!json)
		return NULL;
	json->sink.ops = &json_ops;
	json->view = view;
	json->class_count = view->analysis.info->class_count;
	json->parts = origin_parts_known(view->analysis.info);
	json->plans = plans_new(view->analysis.info->classes, json->class_count,
				&(struct plan_choice){&view->fields, view->analysis.derived},
				&json_field_style);
	json->names = names_new(view->analysis.info, escape_json);
	json->classes = calloc(json->class_count ?: 1, sizeof(*json->classes));
	if (!json->plans || !json->names || !json->classes)
		goto fail;
	for (i = 0; i < json->class_count; i++)
		if (make_head(&json->classes[i], view->analysis.info->classes[i], json->parts))
			goto fail;
	return &json->sink;

fail:
	json_free(&json->sink);
	return NULL;
}
