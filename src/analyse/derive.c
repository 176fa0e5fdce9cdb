// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/derive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/call_stats.h"
#include "analyse/descriptors.h"
#include "analyse/disk_pair.h"
#include "analyse/gap.h"
#include "analyse/owner.h"
#include "analyse/switch_sides.h"
#include "analyse/wait_pair.h"
#include "base/map.h"
#include "schema/calls.h"
#include "schema/event.h"
#include "schema/trace_info.h"

#define UNDER_WAY_MAX (1u << 18) /* tasks in a call, or waiting for a CPU */
#define EPOCH 1u /* of all that is kept: a loss empties the tables */

enum class_kind {
	CLASS_OTHER,
	CLASS_LOST,
	CLASS_CALL,
	CLASS_DISK,
	CLASS_WAKE,
	CLASS_SWITCH,
	CLASS_SOCKET,
	CLASS_STATE,
	CLASS_OPEN,
	CLASS_IRQ,
};

struct class_entry {
	enum class_kind kind;
	uint32_t trace; /* that it is of: tasks and disks of others are others */
	struct call_fields call;
	struct descriptor_fields descriptors; /* CLASS_CALL */
	struct disk_fields disk;
	struct owner_fields owner; /* CLASS_SOCKET */
	struct gap_fields gap; /* CLASS_STATE */
	struct descriptor_note note; /* CLASS_OPEN */
	struct owner_irq irq; /* CLASS_IRQ */
	size_t tid; /* CLASS_WAKE, CLASS_SWITCH: index of the field with the task */
	size_t state; /* CLASS_SWITCH: 0 = could have run on */
	int sides; /* CLASS_SWITCH (analyse/switch_sides) */
	bool second; /* CLASS_WAKE: sched.wakeup, where there is sched.waking */
};

/* Of one trace. */
struct under_way {
	struct map calls; /* struct call_begun by tid: the tasks that are in a call */
	struct map waits; /* struct task_where by tid: those that run or wait to run */
	struct disk_pairs disks;
	struct owners owners;
	struct descriptors descriptors;
};

struct derive {
	struct class_entry *classes; /* by event_class.index */
	size_t class_count;
	bool filtered; /* switch_sides_unknown */
	bool owners; /* the owner of each event is asked for */
	bool durations; /* of calls */
	bool files; /* of descriptors */
	struct under_way *traces; /* by number (trace_info_trace) */
	size_t trace_count;
};

static void init_tables(struct under_way *under_way, const struct trace_info *info, uint32_t trace,
			bool files)
{
	map_init(&under_way->calls, sizeof(int32_t), sizeof(struct call_begun), UNDER_WAY_MAX);
	map_init(&under_way->waits, sizeof(int32_t), sizeof(struct task_where), UNDER_WAY_MAX);
	disk_pairs_init(&under_way->disks);
	owners_init(&under_way->owners);
	descriptors_init(&under_way->descriptors, info, trace, files);
}

static void fini_tables(struct under_way *under_way)
{
	map_fini(&under_way->calls);
	map_fini(&under_way->waits);
	disk_pairs_fini(&under_way->disks);
	owners_fini(&under_way->owners);
	descriptors_fini(&under_way->descriptors);
}

static void forget_tables(struct under_way *under_way)
{
	map_fini(&under_way->calls);
	map_fini(&under_way->waits);
	map_init(&under_way->calls, sizeof(int32_t), sizeof(struct call_begun), UNDER_WAY_MAX);
	map_init(&under_way->waits, sizeof(int32_t), sizeof(struct task_where), UNDER_WAY_MAX);
	disk_pairs_fini(&under_way->disks);
	disk_pairs_init(&under_way->disks);
	owners_fini(&under_way->owners);
	owners_init(&under_way->owners);
	descriptors_forget(&under_way->descriptors);
}

static void forget(struct derive *derive)
{
	for (size_t i = 0; i < derive->trace_count; i++)
		forget_tables(&derive->traces[i]);
}

/* The entry of @tid; a table full of tasks that never came back is emptied. NULL: no memory. */
static void *entry_at(struct map *map, int32_t tid)
{
	void *entry = map_at(map, &tid);

	if (!entry) {
		size_t value_bytes = map->value_bytes;

		map_fini(map);
		map_init(map, sizeof(tid), value_bytes, UNDER_WAY_MAX);
		entry = map_at(map, &tid);
	}
	return entry;
}

static void know(struct event_facts *facts, enum derived what, uint64_t ns, int32_t owner)
{
	facts->has |= 1u << what;
	facts->derived[what] = ns;
	if (owner != OWNER_UNKNOWN) {
		facts->has |= FACTS_OWNER;
		facts->owner = owner;
	}
}

static void know_owner(struct event_facts *facts, const struct event *event, int32_t owner)
{
	facts->has |= FACTS_OWNER;
	facts->owner = owner;
	/* One that is no task has no tid. */
	if (owner < 0 || owner == event->tid)
		return;
	facts->has |= 1u << DERIVED_OWNER;
	facts->derived[DERIVED_OWNER] = (uint32_t)owner;
}

static void take_call(struct under_way *under_way, const struct call_fields *fields,
		      const struct event *event, struct event_facts *facts)
{
	int64_t nr = (int64_t)event_uint(event, (size_t)fields->nr), ns;
	bool compat = fields->compat >= 0 && event_uint(event, (size_t)fields->compat);
	struct call_begun *begun;

	if (event->tid < 0)
		return;
	if (!fields->ends) {
		begun = entry_at(&under_way->calls, event->tid);
		if (begun)
			call_begin(begun, EPOCH, event->time_ns, nr, compat);
		return;
	}
	begun = map_get(&under_way->calls, &event->tid);
	if (!begun)
		return;
	ns = call_finish(begun, EPOCH, event->time_ns, nr, compat);
	map_remove(&under_way->calls, &event->tid);
	if (ns >= 0)
		know(facts, DERIVED_DUR, (uint64_t)ns, event->tid);
}

static void take_disk(struct under_way *under_way, const struct disk_fields *fields, bool owners,
		      const struct event *event, struct event_facts *facts)
{
	char name[DISK_NAME_BYTES];
	struct disk_step step;

	if (fields->stage == DISK_NONE) { /* no request yet */
		know_owner(facts, event, disk_fields_owner(fields, event));
		return;
	}
	disk_fields_name(fields, event, name);
	step = disk_pairs_step(&under_way->disks, fields, name, event);
	if (step.has_queue)
		know(facts, DERIVED_QUEUE, step.queue_ns, step.owner);
	if (step.has_service)
		know(facts, DERIVED_SERVICE, step.service_ns, step.owner);
	if (step.has_total)
		know(facts, DERIVED_TOTAL, step.total_ns, step.owner);
	if (owners)
		know_owner(facts, event, step.owner);
}

static void take_wake(struct under_way *under_way, const struct class_entry *entry,
		      const struct event *event)
{
	int32_t tid = (int32_t)event_uint(event, entry->tid);
	struct task_where *where = tid ? entry_at(&under_way->waits, tid) : NULL;

	if (where)
		task_wakes(where, EPOCH, event->time_ns, entry->second);
}

/* A task that goes to sleep is forgotten: its next event is a wakeup. */
static void take_switch(struct under_way *under_way, const struct class_entry *entry, bool filtered,
			const struct event *event, struct event_facts *facts)
{
	int32_t next = (int32_t)event_uint(event, entry->tid);
	const unsigned int sides = switch_sides(entry->sides, event);
	bool preempted = !event_uint(event, entry->state);
	struct task_where *where;
	uint64_t ns;

	if (event->tid && (!preempted || !(sides & SWITCH_PREV))) {
		map_remove(&under_way->waits, &event->tid);
	} else if (event->tid) {
		where = entry_at(&under_way->waits, event->tid);
		if (where)
			task_leaves(where, EPOCH, event->time_ns, true);
	}
	if (!(sides & SWITCH_NEXT)) {
		map_remove(&under_way->waits, &next);
		return;
	}
	where = next ? entry_at(&under_way->waits, next) : NULL;
	if (where && task_comes(where, EPOCH, event->time_ns, filtered, &ns) != TASK_PLACE_UNKNOWN)
		know(facts, DERIVED_WAIT, ns, next);
}

void derive_event(struct derive *derive, const struct event *event, struct event_facts *facts)
{
	const struct class_entry *entry = &derive->classes[event->class->index];
	struct under_way *under_way = &derive->traces[entry->trace];

	facts->has = 0;
	switch (entry->kind) {
	case CLASS_CALL:
		if (derive->durations)
			take_call(under_way, &entry->call, event, facts);
		if (derive->files)
			descriptors_take(&under_way->descriptors, &entry->descriptors, event,
					 facts);
		break;
	case CLASS_DISK:
		take_disk(under_way, &entry->disk, derive->owners, event, facts);
		break;
	case CLASS_WAKE:
		take_wake(under_way, entry, event);
		break;
	case CLASS_SWITCH:
		take_switch(under_way, entry, derive->filtered, event, facts);
		break;
	case CLASS_SOCKET:
		know_owner(facts, event, owners_take(&under_way->owners, &entry->owner, event));
		break;
	case CLASS_STATE:
		if (gap_is_here(&entry->gap, event, CALLS_PREFIX))
			descriptors_forget(&under_way->descriptors);
		break;
	case CLASS_OPEN:
		descriptors_note(&under_way->descriptors, &entry->note, event);
		break;
	case CLASS_IRQ:
		know_owner(facts, event, owner_irq_take(&entry->irq, event));
		break;
	case CLASS_LOST:
		forget(derive);
		break;
	case CLASS_OTHER:
		break;
	}
}

bool derive_takes(const struct derive *derive, const struct event_class *class)
{
	return class->index < derive->class_count &&
	       derive->classes[class->index].kind != CLASS_OTHER;
}

static bool find_number(const struct event_class *class, const char *name, size_t *ret)
{
	int i = event_class_find_number(class, name);

	*ret = i < 0 ? 0 : (size_t)i;
	return i >= 0;
}

static void find_sched(struct class_entry *entry, const struct event_class *class, bool has_waking)
{
	if (!strcmp(class->name, "sched.switch") && find_number(class, "next_tid", &entry->tid) &&
	    find_number(class, "prev_state", &entry->state))
		entry->kind = CLASS_SWITCH;
	entry->sides = switch_sides_find(class);
	if (strcmp(class->name, "sched.waking") && strcmp(class->name, "sched.wakeup") &&
	    strcmp(class->name, "sched.wakeup_new"))
		return;
	entry->second = !strcmp(class->name, "sched.wakeup") && has_waking;
	if (find_number(class, "wake_tid", &entry->tid))
		entry->kind = CLASS_WAKE;
}

static void entry_init(struct class_entry *entry, const struct event_class *class, uint32_t needs,
		       bool has_waking)
{
	const uint32_t disk = 1u << DERIVED_QUEUE | 1u << DERIVED_SERVICE | 1u << DERIVED_TOTAL |
			      1u << DERIVED_OWNER;

	if (class->role == EVENT_ROLE_LOST)
		entry->kind = CLASS_LOST;
	if (needs & 1u << DERIVED_DUR && call_fields_find(&entry->call, class))
		entry->kind = CLASS_CALL;
	if (needs & 1u << DERIVED_FILE && descriptor_fields_find(&entry->descriptors, class))
		entry->kind = CLASS_CALL;
	if (needs & 1u << DERIVED_FILE && entry->kind == CLASS_OTHER) {
		gap_fields_find(&entry->gap, class);
		descriptor_note_find(&entry->note, class);
		entry->kind = entry->gap.state ? CLASS_STATE :
			      entry->note.any  ? CLASS_OPEN :
						 CLASS_OTHER;
	}
	if (needs & disk)
		disk_fields_find(&entry->disk, class);
	if (entry->disk.stage != DISK_NONE ||
	    (needs & 1u << DERIVED_OWNER && entry->disk.has_owner))
		entry->kind = CLASS_DISK;
	if (needs & 1u << DERIVED_WAIT)
		find_sched(entry, class, has_waking);
	if (needs & 1u << DERIVED_OWNER && owner_fields_find(&entry->owner, class))
		entry->kind = CLASS_SOCKET;
	if (needs & 1u << DERIVED_OWNER && owner_irq_find(&entry->irq, class))
		entry->kind = CLASS_IRQ;
}

static int make_tables(struct derive *derive, const struct trace_info *info)
{
	derive->traces = calloc(trace_info_traces(info), sizeof(*derive->traces));
	if (!derive->traces)
		return -ENOMEM;
	derive->trace_count = trace_info_traces(info);
	for (size_t i = 0; i < derive->trace_count; i++)
		init_tables(&derive->traces[i], info, (uint32_t)i, derive->files);
	return 0;
}

struct derive *derive_new(const struct trace_info *info, uint32_t needs)
{
	struct derive *derive = calloc(1, sizeof(*derive));
	bool has_waking = false;

	if (!derive)
		return NULL;
	derive->filtered = switch_sides_unknown(info);
	derive->owners = needs & 1u << DERIVED_OWNER;
	derive->durations = needs & 1u << DERIVED_DUR;
	derive->files = needs & 1u << DERIVED_FILE;
	derive->class_count = info->class_count;
	derive->classes = calloc(info->class_count ?: 1, sizeof(*derive->classes));
	if (!derive->classes || make_tables(derive, info)) {
		derive_free(derive);
		return NULL;
	}
	for (size_t i = 0; i < info->class_count; i++)
		has_waking |= !strcmp(info->classes[i]->name, "sched.waking");
	for (size_t i = 0; i < info->class_count; i++) {
		entry_init(&derive->classes[i], info->classes[i], needs, has_waking);
		derive->classes[i].trace = trace_info_trace(info, info->classes[i]->stream);
	}
	return derive;
}

struct derive *derive_renew(struct derive *old, const struct trace_info *info, uint32_t needs)
{
	struct derive *derive = derive_new(info, needs);
	size_t shift;

	/* The only trace of a source has number 0, the first of several has 1. */
	shift = derive && old && old->trace_count == 1 && derive->trace_count > 1;
	for (size_t i = 0; derive && old && i < old->trace_count; i++) {
		const struct under_way kept = old->traces[i];

		if (i + shift >= derive->trace_count)
			break;
		old->traces[i] = derive->traces[i + shift];
		derive->traces[i + shift] = kept;
		descriptors_renew(&derive->traces[i + shift].descriptors, info,
				  (uint32_t)(i + shift));
	}
	derive_free(old);
	return derive;
}

bool derive_knows_owners(const struct trace_info *info)
{
	struct owner_fields owner;
	struct disk_fields disk;
	struct owner_irq irq;

	for (size_t i = 0; i < info->class_count; i++) {
		disk_fields_find(&disk, info->classes[i]);
		if (disk.stage != DISK_NONE || disk.has_owner ||
		    owner_fields_find(&owner, info->classes[i]) ||
		    owner_irq_find(&irq, info->classes[i]))
			return true;
	}
	return false;
}

int derive_copy(struct derive *into, const struct derive *from)
{
	for (size_t i = 0; i < into->trace_count && i < from->trace_count; i++) {
		struct under_way *to = &into->traces[i];
		const struct under_way *of = &from->traces[i];

		if (!map_copy(&to->calls, &of->calls) || !map_copy(&to->waits, &of->waits) ||
		    !map_copy(&to->disks.open, &of->disks.open) ||
		    !map_copy(&to->owners.sockets, &of->owners.sockets) ||
		    !descriptors_copy(&to->descriptors, &of->descriptors))
			return -ENOMEM;
	}
	return 0;
}

void derive_free(struct derive *derive)
{
	if (!derive)
		return;
	for (size_t i = 0; i < derive->trace_count; i++)
		fini_tables(&derive->traces[i]);
	free(derive->traces);
	free(derive->classes);
	free(derive);
}
