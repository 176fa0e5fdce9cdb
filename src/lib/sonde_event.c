// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_event: what every event has, and its fields by their names.
 */
#include <string.h>

#include "lib/handles.h"

int64_t sonde_event_time_ns(const struct sonde_event *event)
{
	return event->event->time_ns;
}

int32_t sonde_event_cpu(const struct sonde_event *event)
{
	return event->event->cpu;
}

int32_t sonde_event_tid(const struct sonde_event *event)
{
	return event->event->tid;
}

int32_t sonde_event_owner(const struct sonde_event *event)
{
	const struct event_facts *facts = event->facts;

	if (!facts || !(facts->has & FACTS_OWNER))
		return event->event->tid;
	if (facts->has & 1u << DERIVED_OWNER || facts->owner < 0)
		return facts->owner;
	return event->event->tid; /* the owner is that of a wait, which is a field */
}

const char *sonde_event_comm(const struct sonde_event *event)
{
	struct sonde_source *source = event->source;
	const struct task_name *name;
	size_t len;

	if (event->is_copy || event->event->tid < 0)
		return event->comm;
	name = task_names_get(read_session_analysis(source->session)->names, event->event->class,
			      event->event->tid);
	len = TASK_NAME_LEN(name);
	if (!len)
		return NULL;
	memcpy(source->comm, name->text, len);
	source->comm[len] = 0;
	return source->comm;
}

const char *sonde_event_cgroup(const struct sonde_event *event)
{
	if (event->is_copy || event->event->tid < 0)
		return event->cgroup;
	return analysis_cgroup(read_session_analysis(event->source->session), event->event->class,
			       event->event->tid);
}

const char *sonde_event_container(const struct sonde_event *event)
{
	if (event->is_copy || event->event->tid < 0)
		return event->container;
	return analysis_container(read_session_analysis(event->source->session),
				  event->event->class, event->event->tid);
}

const char *sonde_event_name(const struct sonde_event *event)
{
	return event->event->class->name;
}

const struct sonde_class *sonde_event_class(const struct sonde_event *event)
{
	return event->class;
}

bool sonde_event_is_lost(const struct sonde_event *event)
{
	return event->event->class->role == EVENT_ROLE_LOST;
}

const struct sonde_field *sonde_event_field(const struct sonde_event *event, const char *name)
{
	const struct sonde_field *field = sonde_class_field_find(event->class, name);

	return sonde_value_is_present(event, field) ? field : NULL;
}

uint64_t sonde_event_uint(const struct sonde_event *event, const char *name)
{
	return sonde_value_uint(event, sonde_event_field(event, name));
}

int64_t sonde_event_int(const struct sonde_event *event, const char *name)
{
	return sonde_value_int(event, sonde_event_field(event, name));
}

double sonde_event_double(const struct sonde_event *event, const char *name)
{
	return sonde_value_double(event, sonde_event_field(event, name));
}

const char *sonde_event_text(const struct sonde_event *event, const char *name, size_t *len)
{
	return sonde_value_text(event, sonde_event_field(event, name), len);
}

const char *sonde_event_label(const struct sonde_event *event, const char *name)
{
	return sonde_value_label(event, sonde_event_field(event, name));
}
