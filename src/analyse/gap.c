// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/gap.h"

#include <string.h>

#include "schema/event.h"
#include "wire/note.h"

void gap_fields_find(struct gap_fields *fields, const struct event_class *class)
{
	*fields = (struct gap_fields){
		.lost = class->role == EVENT_ROLE_LOST,
		.on = event_class_find_number(class, "on"),
		.reason = event_class_find_number(class, "reason"),
		.measurement = event_class_find(class, "measurement"),
	};
	fields->state = !strcmp(class->name, "sonde.state") && fields->on >= 0 &&
			fields->reason >= 0 && fields->measurement >= 0 &&
			(class->fields[fields->measurement].kind == FIELD_TEXT ||
			 class->fields[fields->measurement].kind == FIELD_STRING);
}

bool gap_is_routine(const struct gap_fields *fields, const struct event *event)
{
	uint64_t reason;

	if (!fields->state)
		return false;
	reason = event_uint(event, (size_t)fields->reason);
	return reason == STATE_START || reason == STATE_STOP;
}

/* At the start and the stop of a recording all go on or off together. */
bool gap_is_here(const struct gap_fields *fields, const struct event *event, const char *group)
{
	const char *name;
	size_t len;

	if (!fields->state)
		return fields->lost;
	if (gap_is_routine(fields, event))
		return false;
	name = event_text(event, (size_t)fields->measurement, &len);
	return len >= strlen(group) && !strncmp(name, group, strlen(group));
}

int gap_all(const struct gap_fields *fields, const struct event *event)
{
	const char *name;
	size_t len;

	if (!fields->state)
		return -1;
	name = event_text(event, (size_t)fields->measurement, &len);
	if (len != strlen(STATE_ALL) || memcmp(name, STATE_ALL, len))
		return -1;
	return event_uint(event, (size_t)fields->on) != 0;
}
