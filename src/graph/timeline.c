// SPDX-License-Identifier: BSD-2-Clause
#include "graph/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/cpu_set.h"
#include "analyse/switch_sides.h"
#include "output/perfetto_class.h"
#include "schema/lost.h"

#define EPOCH 1u /* of all that is kept: a loss ends it all */
#define FIRST_ROOM 64u
#define FIRST_SHIFT 10u /* about a microsecond: nothing that shows is shorter */

int timeline_init(struct timeline *timeline, const struct analysis *analysis,
		  const struct cpu_set *chosen)
{
	const struct trace_info *info = analysis->info;
	bool has_waking = false;

	*timeline = (struct timeline){.analysis = analysis, .chosen = chosen, .shift = FIRST_SHIFT};
	timeline->filtered = switch_sides_unknown(info);
	map_init(&timeline->task_index, sizeof(int32_t), sizeof(uint32_t), TIMELINE_TASKS);
	map_init(&timeline->cpu_index, sizeof(int32_t), sizeof(uint32_t), TIMELINE_CPUS);
	timeline->classes = calloc(info->class_count ?: 1, sizeof(*timeline->classes));
	if (!timeline->classes)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		has_waking |= !strcmp(info->classes[i]->name, "sched.waking");
	for (size_t i = 0; i < info->class_count; i++)
		perfetto_class_find(&timeline->classes[i], info->classes[i], has_waking);
	return 0;
}

static void fini_task(struct timeline_task *task)
{
	lane_fini(&task->lane);
	lane_fini(&task->calls);
}

void timeline_fini(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->task_count; i++)
		fini_task(&timeline->tasks[i]);
	for (size_t i = 0; i < timeline->cpu_count; i++)
		lane_fini(&timeline->cpus[i].lane);
	free(timeline->tasks);
	free(timeline->cpus);
	free(timeline->classes);
	map_fini(&timeline->task_index);
	map_fini(&timeline->cpu_index);
}

/* NULL: no memory, or too many of them. Borrowed until the next call. */
static struct timeline_task *task_at(struct timeline *timeline, int32_t tid)
{
	uint32_t *index = map_get(&timeline->task_index, &tid);
	size_t room = timeline->task_room ? 2 * timeline->task_room : FIRST_ROOM;

	if (index)
		return &timeline->tasks[*index];
	if (timeline->task_count == TIMELINE_TASKS) {
		timeline->full = true;
		return NULL;
	}
	if (timeline->task_count == timeline->task_room) {
		struct timeline_task *tasks = reallocarray(timeline->tasks, room, sizeof(*tasks));

		if (!tasks)
			return NULL;
		timeline->tasks = tasks;
		timeline->task_room = room;
	}
	index = map_at(&timeline->task_index, &tid);
	if (!index)
		return NULL;
	*index = (uint32_t)timeline->task_count++;
	timeline->tasks[*index] = (struct timeline_task){
		.tid = tid, .lane.state = LANE_UNKNOWN, .calls.state = LANE_UNKNOWN};
	return &timeline->tasks[*index];
}

static struct timeline_cpu *cpu_at(struct timeline *timeline, int32_t number)
{
	uint32_t *index = map_get(&timeline->cpu_index, &number);
	size_t room = timeline->cpu_room ? 2 * timeline->cpu_room : FIRST_ROOM;

	if (index)
		return &timeline->cpus[*index];
	if (timeline->cpu_count == TIMELINE_CPUS)
		return NULL;
	if (timeline->cpu_count == timeline->cpu_room) {
		struct timeline_cpu *cpus = reallocarray(timeline->cpus, room, sizeof(*cpus));

		if (!cpus)
			return NULL;
		timeline->cpus = cpus;
		timeline->cpu_room = room;
	}
	index = map_at(&timeline->cpu_index, &number);
	if (!index)
		return NULL;
	*index = (uint32_t)timeline->cpu_count++;
	timeline->cpus[*index] =
		(struct timeline_cpu){.number = number, .lane.state = LANE_UNKNOWN};
	return &timeline->cpus[*index];
}

static void double_up(struct timeline *timeline)
{
	timeline->entries = 0;
	for (size_t i = 0; i < timeline->task_count; i++) {
		struct timeline_task *task = &timeline->tasks[i];

		lane_double(&task->lane, timeline->shift);
		lane_double(&task->calls, timeline->shift);
		timeline->entries += task->lane.count + task->calls.count;
	}
	for (size_t i = 0; i < timeline->cpu_count; i++) {
		lane_double(&timeline->cpus[i].lane, timeline->shift);
		timeline->entries += timeline->cpus[i].lane.count;
	}
	timeline->shift++;
}

/* No lane gets more entries than there are columns. */
static void make_room(struct timeline *timeline)
{
	while ((uint64_t)(timeline->last_ns >> timeline->shift) -
			       (uint64_t)(timeline->first_ns >> timeline->shift) >=
		       TIMELINE_COLUMNS ||
	       timeline->entries >= TIMELINE_ENTRIES)
		double_up(timeline);
}

static int change(struct timeline *timeline, struct lane *lane, int64_t time_ns,
		  enum lane_state state)
{
	size_t before = lane->count;
	int err = lane_change(lane, timeline->shift, time_ns, state);

	timeline->entries += lane->count - before;
	return err;
}

/* A task that a filter excluded has only switches, and only those that make room for included
 * tasks: its state in between is unknown. */
static enum lane_state state_away(const struct timeline *timeline, const struct timeline_task *task,
				  bool preempted)
{
	if (task->exits && !preempted)
		return LANE_UNKNOWN;
	if (timeline->filtered && !task->where.was_woken)
		return LANE_UNKNOWN;
	return preempted ? LANE_RUNNABLE : LANE_BLOCKED;
}

static bool is_wanted(const struct timeline *timeline, int32_t cpu)
{
	return !timeline->chosen || (cpu >= 0 && cpu_set_has(timeline->chosen, (uint32_t)cpu));
}

static int take_leaver(struct timeline *timeline, const struct perfetto_class *class,
		       const struct event *event)
{
	struct timeline_task *task = event->tid > 0 ? task_at(timeline, event->tid) : NULL;
	bool preempted = class->state >= 0 && !event_uint(event, (size_t) class->state);
	enum lane_state state;
	int err = 0;

	if (!task)
		return 0;
	task->wanted |= is_wanted(timeline, event->cpu);
	state = class->state < 0 ? LANE_UNKNOWN : state_away(timeline, task, preempted);
	task_leaves(&task->where, EPOCH, event->time_ns, preempted);
	if (task->exits && !preempted) /* that call does not return */
		err = change(timeline, &task->calls, event->time_ns, LANE_UNKNOWN);
	task->exits = task->exits && preempted;
	return err ?: change(timeline, &task->lane, event->time_ns, state);
}

static int take_comer(struct timeline *timeline, int32_t tid, const struct event *event)
{
	struct timeline_task *task = tid > 0 ? task_at(timeline, tid) : NULL;
	uint64_t ns;

	if (!task)
		return 0;
	task->wanted |= is_wanted(timeline, event->cpu);
	(void)task_comes(&task->where, EPOCH, event->time_ns, timeline->filtered, &ns);
	return change(timeline, &task->lane, event->time_ns, LANE_RUNNING);
}

/* What the CPU was thought to be at, when it leaves for something else unseen. */
static int drop_unseen(struct timeline *timeline, const struct timeline_cpu *cpu,
		       const struct event *event, bool leaves)
{
	struct timeline_task *task;

	if (cpu->tid <= 0 || (leaves && cpu->tid == event->tid))
		return 0;
	task = task_at(timeline, cpu->tid);
	if (!task || task->lane.state != LANE_RUNNING)
		return 0;
	return change(timeline, &task->lane, event->time_ns, LANE_UNKNOWN);
}

static int take_switch(struct timeline *timeline, const struct perfetto_class *class,
		       const struct event *event)
{
	const unsigned int sides = switch_sides(class->sides, event);
	int32_t next = switch_next(sides, (int32_t)event_uint(event, class->tid));
	struct timeline_cpu *cpu = event->cpu >= 0 ? cpu_at(timeline, event->cpu) : NULL;
	int err = cpu ? drop_unseen(timeline, cpu, event, sides & SWITCH_PREV) : 0;

	timeline->switches++;
	if (!err && sides & SWITCH_PREV)
		err = take_leaver(timeline, class, event);
	if (!err)
		err = take_comer(timeline, next, event);
	if (err || !cpu)
		return err;
	cpu->tid = next;
	err = change(timeline, &cpu->lane, event->time_ns, next > 0 ? LANE_RUNNING : LANE_UNKNOWN);
	cpu->lane.who = next > 0 ? (uint32_t)next : 0;
	return err;
}

static int take_wake(struct timeline *timeline, const struct perfetto_class *class,
		     const struct event *event)
{
	int32_t tid = (int32_t)event_uint(event, class->tid);
	struct timeline_task *task = tid > 0 ? task_at(timeline, tid) : NULL;
	enum task_place before;

	if (!task)
		return 0;
	before = task->where.place;
	task_wakes(&task->where, EPOCH, event->time_ns, class->second);
	if (task->where.place != TASK_PLACE_WOKEN || before == TASK_PLACE_WOKEN)
		return 0;
	return change(timeline, &task->lane, event->time_ns, LANE_RUNNABLE);
}

/* An end whose beginning was not seen says nothing. */
static int take_call(struct timeline *timeline, const struct call_fields *call,
		     const struct event *event)
{
	struct timeline_task *task = event->tid > 0 ? task_at(timeline, event->tid) : NULL;

	if (!task)
		return 0;
	timeline->calls += !call->ends;
	return change(timeline, &task->calls, event->time_ns,
		      call->ends ? LANE_UNKNOWN : LANE_RUNNING);
}

/* What any of them did since is not known. */
static int take_loss(struct timeline *timeline, const struct event *event)
{
	int err = 0;

	timeline->lost += event_uint(event, LOST_COUNT);
	for (size_t i = 0; i < timeline->task_count && !err; i++) {
		timeline->tasks[i].where.place = TASK_PLACE_UNKNOWN;
		err = change(timeline, &timeline->tasks[i].lane, event->time_ns, LANE_UNKNOWN);
		err = err   ?:
			      change(timeline, &timeline->tasks[i].calls, event->time_ns,
				     LANE_UNKNOWN);
	}
	for (size_t i = 0; i < timeline->cpu_count && !err; i++) {
		timeline->cpus[i].tid = 0;
		err = change(timeline, &timeline->cpus[i].lane, event->time_ns, LANE_UNKNOWN);
	}
	return err;
}

static void note_time(struct timeline *timeline, int64_t time_ns)
{
	if (!timeline->first_ns && !timeline->last_ns)
		timeline->first_ns = timeline->last_ns = time_ns;
	if (time_ns < timeline->first_ns)
		timeline->first_ns = time_ns;
	if (time_ns > timeline->last_ns)
		timeline->last_ns = time_ns;
	make_room(timeline);
}

int timeline_take(struct timeline *timeline, const struct event *event, bool shown)
{
	const struct perfetto_class *class = &timeline->classes[event->class->index];
	struct timeline_task *task;

	switch (class->kind) {
	case PERFETTO_CLASS_SWITCH:
		note_time(timeline, event->time_ns);
		return take_switch(timeline, class, event);
	case PERFETTO_CLASS_WAKE:
		note_time(timeline, event->time_ns);
		return take_wake(timeline, class, event);
	case PERFETTO_CLASS_CALL:
		if (!shown)
			return 0;
		note_time(timeline, event->time_ns);
		return take_call(timeline, &class->call, event);
	case PERFETTO_CLASS_EXIT:
		task = event->tid > 0 ? task_at(timeline, event->tid) : NULL;
		if (task)
			task->exits = true;
		return 0;
	case PERFETTO_CLASS_LOST:
		return take_loss(timeline, event);
	default:
		return 0;
	}
}

static int compare_tasks(const void *a, const void *b)
{
	const struct timeline_task *x = a, *y = b;
	uint64_t one = x->lane.total_ns[LANE_RUNNING], other = y->lane.total_ns[LANE_RUNNING];

	if (one != other)
		return one < other ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int compare_cpus(const void *a, const void *b)
{
	const struct timeline_cpu *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Drops tasks of which only calls are known: they have no place. */
static void drop_callers(struct timeline *timeline)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->task_count; i++) {
		struct timeline_task *task = &timeline->tasks[i];

		if (task->lane.started || task->exits)
			timeline->tasks[kept++] = *task;
		else
			fini_task(task);
	}
	timeline->task_count = kept;
}

/* What was followed because the rest follows from it. */
static void drop_unwanted(struct timeline *timeline)
{
	size_t tasks = 0, cpus = 0;

	for (size_t i = 0; i < timeline->task_count; i++) {
		struct timeline_task *task = &timeline->tasks[i];

		if (task->wanted)
			timeline->tasks[tasks++] = *task;
		else
			fini_task(task);
	}
	for (size_t i = 0; i < timeline->cpu_count; i++) {
		struct timeline_cpu *cpu = &timeline->cpus[i];

		if (is_wanted(timeline, cpu->number))
			timeline->cpus[cpus++] = *cpu;
		else
			lane_fini(&cpu->lane);
	}
	timeline->task_count = tasks;
	timeline->cpu_count = cpus;
}

int timeline_end(struct timeline *timeline)
{
	int64_t last = timeline->last_ns;
	int err = 0;

	drop_callers(timeline); /* the indexes are not valid from here on */
	for (size_t i = 0; i < timeline->task_count && !err; i++) {
		err = change(timeline, &timeline->tasks[i].lane, last, LANE_UNKNOWN);
		err = err ?: change(timeline, &timeline->tasks[i].calls, last, LANE_UNKNOWN);
	}
	for (size_t i = 0; i < timeline->cpu_count && !err; i++)
		err = change(timeline, &timeline->cpus[i].lane, last, LANE_UNKNOWN);
	if (timeline->chosen)
		drop_unwanted(timeline);
	if (timeline->task_count)
		qsort(timeline->tasks, timeline->task_count, sizeof(*timeline->tasks),
		      compare_tasks);
	if (timeline->cpu_count)
		qsort(timeline->cpus, timeline->cpu_count, sizeof(*timeline->cpus), compare_cpus);
	return err;
}
