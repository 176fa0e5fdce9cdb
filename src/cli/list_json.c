// SPDX-License-Identifier: BSD-2-Clause
#include "cli/list_json.h"

#include <string.h>

#include "base/buffer.h"
#include "cli/list_item.h"
#include "cli/running.h"
#include "probe/catalogue.h"
#include "record/control_client.h"

static void json_text(struct buffer *out, const char *name, const char *text)
{
	buffer_format(out, "\"%s\":", name);
	if (!text) {
		buffer_string(out, "null");
		return;
	}
	buffer_char(out, '"');
	buffer_json_text(out, text, strlen(text));
	buffer_char(out, '"');
}

static void json_hooks(struct buffer *out, const struct measurement *m)
{
	buffer_string(out, ",\"hooks\":[");
	for (size_t i = 0; i < m->hook_count; i++) {
		const struct hook *hook = &m->hooks[i];

		buffer_string(out, i ? ",{" : "{");
		json_text(out, "hook", hook->section);
		buffer_format(out, ",\"part\":%d,\"usable\":%s,", hook->part,
			      hook->usable ? "true" : "false");
		json_text(out, "reason", hook->usable ? NULL : hook->reason);
		buffer_char(out, ',');
		json_text(out, "misses", hook->misses);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

static void json_fields(struct buffer *out, const struct measurement *m)
{
	buffer_string(out, ",\"fields\":[");
	for (size_t i = 0; i < m->class.field_count; i++) {
		const struct field *field = &m->class.fields[i];
		char type[LIST_TYPE_BYTES];

		list_type(&m->class, field, type, sizeof(type));
		buffer_string(out, i ? ",{" : "{");
		json_text(out, "name", field->name);
		buffer_char(out, ',');
		json_text(out, "type", type);
		buffer_char(out, ',');
		json_text(out, "unit", field->unit);
		buffer_char(out, ',');
		json_text(out, "scope", field_scope_name(field->scope));
		buffer_char(out, ',');
		json_text(out, "detail", list_is_detail(m, i) ? "full" : "brief");
		buffer_char(out, ',');
		json_text(out, "text", field->text);
		buffer_char(out, '}');
	}
	buffer_char(out, ']');
}

static void json_recorders(struct buffer *out, const struct measurement *m,
			   const struct running *running)
{
	const struct recorder *r;

	buffer_string(out, ",\"recorders\":[");
	for (size_t n = 0; (r = running_recorder(running, m->name, n)); n++) {
		buffer_string(out, n ? ",{" : "{");
		json_text(out, "name", r->name);
		buffer_format(out, ",\"pid\":%d}", (int)r->pid);
	}
	buffer_char(out, ']');
}

void list_json_item(const struct measurement *m, const struct running *running, struct buffer *out)
{
	bool usable = measurement_usable(m);

	buffer_char(out, '{');
	json_text(out, "name", m->name);
	buffer_char(out, ',');
	json_text(out, "group", m->group);
	buffer_char(out, ',');
	json_text(out, "state", list_state(m, running));
	json_recorders(out, m, running);
	buffer_char(out, ',');
	json_text(out, "hook", usable ? list_hook(m) : NULL);
	buffer_char(out, ',');
	json_text(out, "reason", usable ? NULL : measurement_reason(m));
	buffer_string(out, ",\"location\":");
	if (list_is_tracepoint(m)) /* another one in each trace */
		buffer_string(out, "null");
	else
		buffer_uint(out, m->class.id);
	buffer_string(out, ",\"cost_ns\":");
	if (m->cost_ns)
		buffer_int(out, m->cost_ns);
	else
		buffer_string(out, "null");
	buffer_char(out, ',');
	json_text(out, "text", m->text);
	buffer_char(out, ',');
	json_text(out, "context", m->context);
	buffer_char(out, ',');
	json_text(out, "filter_misses", m->misses);
	json_hooks(out, m);
	json_fields(out, m);
	buffer_char(out, '}');
}
