// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_class.h"

#include <string.h>

#include "schema/event.h"

static bool find_number(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

/* Its other fields were shown when it came; "nr" and "wchan" are the place where it sleeps. */
static uint64_t leaver_fields(const struct event_class *class)
{
	uint64_t fields = 0;

	for (size_t i = 0; i < class->field_count && i < 64; i++) {
		const char *name = class->fields[i].name;

		if (!strncmp(name, "prev_", 5) || !strcmp(name, "nr") || !strcmp(name, "wchan") ||
		    !strcmp(name, "next_tid"))
			fields |= 1ull << i;
	}
	return fields;
}

static void find_sched(struct perfetto_class *entry, const struct event_class *class,
		       bool has_waking)
{
	const char *name = class->name;

	if (!strcmp(name, "sched.switch") && find_number(class, "next_tid", &entry->tid)) {
		entry->kind = PERFETTO_CLASS_SWITCH;
		entry->state = event_class_find_number(class, "prev_state");
		entry->leaver = leaver_fields(class);
	}
	if (!strcmp(name, "sched.exit"))
		entry->kind = PERFETTO_CLASS_EXIT;
	if (strcmp(name, "sched.waking") && strcmp(name, "sched.wakeup") &&
	    strcmp(name, "sched.wakeup_new"))
		return;
	entry->second = !strcmp(name, "sched.wakeup") && has_waking;
	if (find_number(class, "wake_tid", &entry->tid))
		entry->kind = PERFETTO_CLASS_WAKE;
}

static void find_disk(struct perfetto_class *entry, const struct event_class *class)
{
	size_t i;

	disk_fields_find(&entry->disk, class);
	if (entry->disk.stage != DISK_NONE && find_number(class, "op", &i) &&
	    find_number(class, "request", &i))
		entry->kind = PERFETTO_CLASS_DISK;
}

static bool is_note(const struct event_class *class)
{
	return !strncmp(class->name, "sonde.", 6);
}

static bool is_name(const struct event_class *class)
{
	return class->role != EVENT_ROLE_PLAIN || !strcmp(class->name, "sonde.name");
}

void perfetto_class_find(struct perfetto_class *entry, const struct event_class *class,
			 bool has_waking)
{
	*entry = (struct perfetto_class){0};
	gap_fields_find(&entry->gap, class);
	perfetto_cpu_fields_find(&entry->interrupt, class);
	perfetto_conn_fields_find(&entry->conn, class);
	net_fields_find(&entry->net, class);
	find_sched(entry, class, has_waking);
	find_disk(entry, class);
	if (class->role == EVENT_ROLE_LOST)
		entry->kind = PERFETTO_CLASS_LOST;
	else if (is_note(class))
		entry->kind = is_name(class) ? PERFETTO_CLASS_NAMES : PERFETTO_CLASS_NOTE;
	else if (call_fields_find(&entry->call, class) && entry->call.nr < 64)
		entry->kind = PERFETTO_CLASS_CALL;
	else if (entry->interrupt.kind == PERFETTO_CPU_WORK)
		entry->kind = PERFETTO_CLASS_WORK;
	else if (entry->interrupt.kind != PERFETTO_CPU_NONE)
		entry->kind = PERFETTO_CLASS_INTERRUPT;
	else if (entry->conn.found)
		entry->kind = PERFETTO_CLASS_CONN;
	else if (!strcmp(class->name, "cpu.sample"))
		entry->kind = PERFETTO_CLASS_SAMPLE;
	else if (entry->net.crossing != NET_NONE)
		entry->kind = PERFETTO_CLASS_PACKET;
}
