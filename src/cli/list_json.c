// SPDX-License-Identifier: BSD-2-Clause
#include "cli/list_json.h"

#include "base/json_writer.h"
#include "cli/list_item.h"
#include "cli/running.h"
#include "probe/catalogue.h"
#include "record/control_client.h"
#include "schema/derived.h"
#include "schema/event.h"

static void put_hooks(const struct measurement *m, struct json_writer *json)
{
	json_writer_array(json, "hooks");
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		json_writer_object(json, NULL);
		json_writer_string(json, "hook", hook->section);
		json_writer_int(json, "part", hook->part);
		json_writer_bool(json, "usable", hook->usable);
		json_writer_string(json, "reason", hook->usable ? NULL : hook->reason);
		json_writer_string(json, "misses", hook->misses);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_fields(const struct measurement *m, struct json_writer *json)
{
	json_writer_array(json, "fields");
	for (size_t i = 0; i < m->class.field_count; i++) {
		const struct field *field = &m->class.fields[i];
		char type[LIST_TYPE_BYTES];

		list_type(&m->class, field, type, sizeof(type));
		json_writer_object(json, NULL);
		json_writer_string(json, "name", field->name);
		json_writer_string(json, "type", type);
		json_writer_string(json, "unit", field->unit);
		json_writer_string(json, "scope", field_scope_name(field->scope));
		json_writer_string(json, "detail", list_is_detail(m, i) ? "full" : "brief");
		json_writer_string(json, "text", field->text);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_derived(const struct measurement *m, struct json_writer *json)
{
	json_writer_array(json, "derived");
	for (int d = 0; d < DERIVED_COUNT; d++) {
		const struct field *field = derived_described((enum derived)d);
		const char *source;

		if (!derived_has((enum derived)d, m->name) ||
		    event_class_find_any(&m->class, field->name) >= 0)
			continue;
		json_writer_object(json, NULL);
		json_writer_string(json, "name", field->name);
		json_writer_string(json, "type", derived_is_text((enum derived)d) ? "text" : "u64");
		json_writer_string(json, "unit", field->unit);
		json_writer_array(json, "needs");
		for (size_t i = 0; (source = derived_source((enum derived)d, m->name, i)); i++)
			json_writer_string(json, NULL, source);
		json_writer_end(json);
		json_writer_string(json, "text", derived_fields[d].text);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_recorders(const struct measurement *m, const struct running *running,
			  struct json_writer *json)
{
	const struct recorder *r;

	json_writer_array(json, "recorders");
	for (size_t n = 0; (r = running_recorder(running, m->name, n)); n++) {
		json_writer_object(json, NULL);
		json_writer_string(json, "name", r->name);
		json_writer_int(json, "pid", r->pid);
		json_writer_end(json);
	}
	json_writer_end(json);
}

void list_json_item(const struct measurement *m, const struct running *running, struct buffer *out)
{
	const bool usable = measurement_usable(m);
	struct json_writer writer, *json = &writer;

	json_writer_init(json, out);
	json_writer_object(json, NULL);
	json_writer_string(json, "name", m->name);
	json_writer_string(json, "group", m->group);
	json_writer_string(json, "state", list_state(m, running));
	put_recorders(m, running, json);
	json_writer_string(json, "hook", usable ? list_hook(m) : NULL);
	json_writer_string(json, "reason", usable ? NULL : measurement_reason(m));
	if (list_is_tracepoint(m)) /* another one in each trace */
		json_writer_null(json, "location");
	else
		json_writer_uint(json, "location", m->class.id);
	if (m->cost_ns)
		json_writer_int(json, "cost_ns", m->cost_ns);
	else
		json_writer_null(json, "cost_ns");
	json_writer_string(json, "text", m->text);
	json_writer_string(json, "context", m->context);
	json_writer_string(json, "filter_misses", m->misses);
	put_hooks(m, json);
	put_fields(m, json);
	put_derived(m, json);
	json_writer_end(json);
}
