// SPDX-License-Identifier: BSD-2-Clause
#include "cli/list_item.h"

#include <stdio.h>

#include "cli/running.h"
#include "probe/catalogue.h"

void list_type(const struct event_class *class, const struct field *field, char *to, size_t room)
{
	char base[24];

	if (field->kind == FIELD_STRING)
		snprintf(base, sizeof(base), "string");
	else if (field->kind == FIELD_TEXT)
		snprintf(base, sizeof(base), "text");
	else
		snprintf(base, sizeof(base), "%s%c%u", field->label_count ? "enum " : "",
			 field->is_signed ? 's' : 'u', field->bits);
	if (field->length)
		snprintf(to, room, "%s[%.24s]", base, class->fields[field->length - 1].name);
	else if (field->count > 1)
		snprintf(to, room, "%s[%u]", base, field->count);
	else
		snprintf(to, room, "%s", base);
}

bool list_is_tracepoint(const struct measurement *m)
{
	return m->hook_count && m->hooks[0].tracepoint;
}

const char *list_hook(const struct measurement *m)
{
	const struct hook *hook = measurement_hook(m, 0);

	if (!hook && m->hook_count)
		hook = measurement_hook(m, m->hooks[0].part);
	return hook ? hook->section : "-";
}

const char *list_state(const struct measurement *m, const struct running *running)
{
	if (running_recorder(running, m->name, 0))
		return "on";
	if (measurement_usable(m))
		return "off";
	return measurement_forbidden(m) ? "forbidden" : "unavailable";
}

bool list_is_detail(const struct measurement *m, size_t field)
{
	return field >= m->class.field_count - m->class.detail_count;
}
