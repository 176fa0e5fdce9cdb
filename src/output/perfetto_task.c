// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto_task.h"

#include <stdio.h>
#include <string.h>

#include "analyse/call_stats.h"
#include "output/names.h"
#include "output/view.h"
#include "schema/event.h"

#define TASKS_MAX (1u << 18) /* that are alive; a machine has not nearly as many */
#define EPOCH 1u /* of all that is kept: a loss ends it all */

static const char not_seen[] = "not seen";
static const struct task_name nameless = {.text = "-", .len = 1};

void perfetto_tasks_init(struct perfetto_tasks *tasks, struct perfetto_out *po)
{
	*tasks = (struct perfetto_tasks){.po = po};
	map_init(&tasks->tasks, sizeof(int32_t), sizeof(struct perfetto_task), TASKS_MAX);
	map_init(&tasks->processes, sizeof(uint32_t), sizeof(struct task_name), TASKS_MAX);
}

void perfetto_tasks_fini(struct perfetto_tasks *tasks)
{
	map_fini(&tasks->tasks);
	map_fini(&tasks->processes);
}

/* Tasks whose end was not recorded fill the table in the end: then it is emptied. */
struct perfetto_task *perfetto_task_at(struct perfetto_tasks *tasks, int32_t tid, int64_t time_ns)
{
	struct perfetto_task *task = map_at(&tasks->tasks, &tid);

	if (task)
		return task;
	perfetto_tasks_end_calls(tasks, time_ns, not_seen);
	perfetto_tasks_end_states(tasks, time_ns, not_seen);
	map_fini(&tasks->tasks);
	return map_at(&tasks->tasks, &tid);
}

static bool same_name(const struct task_name *a, const struct task_name *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, TASK_NAME_LEN(a));
}

/* A process is called like its first thread, or, where that is not known, like any. */
static void name_process(struct perfetto_tasks *tasks, uint32_t pid, const struct task_name *other)
{
	const struct task_name *name =
		task_names_get(tasks->po->view->analysis.names, NULL, (int32_t)pid);
	struct task_name *now = map_at(&tasks->processes, &pid);

	if (!now) {
		map_fini(&tasks->processes);
		now = map_at(&tasks->processes, &pid);
	}
	if (!name->len)
		name = now && now->len ? now : other;
	if (!now || same_name(name, now))
		return;
	*now = *name;
	perfetto_name_process(tasks->po, pid, now->text, TASK_NAME_LEN(now));
}

static void name_thread(struct perfetto_tasks *tasks, struct perfetto_place at,
			const struct task_name *name, const char *behind, int64_t sort)
{
	char text[TASK_NAME_BYTES + 32];
	int len = snprintf(text, sizeof(text), "%.*s%s", (int)TASK_NAME_LEN(name), name->text,
			   behind);

	perfetto_name_thread(tasks->po, at, text, (size_t)len);
	perfetto_sort(tasks->po, "thread", at, sort);
}

static void end_work(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
		     int64_t time_ns, const char *why)
{
	struct perfetto_place at = {task->pid, (uint32_t)tid};

	if (task->works)
		perfetto_slice_end(tasks->po, time_ns, at, why);
	task->works = false;
}

static void end_call(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
		     int64_t time_ns, const char *why)
{
	struct perfetto_place at = {task->pid, (uint32_t)tid};

	end_work(tasks, task, tid, time_ns, why);
	if (task->calls)
		perfetto_slice_end(tasks->po, time_ns, at, why);
	task->calls = false;
}

static void end_state(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
		      int64_t time_ns, const char *why)
{
	struct perfetto_place at = {task->pid, PERFETTO_STATES + (uint32_t)tid};

	if (task->state != PERFETTO_TASK_UNKNOWN)
		perfetto_slice_end(tasks->po, time_ns, at, why);
	task->state = PERFETTO_TASK_UNKNOWN;
}

struct perfetto_place perfetto_task_place(struct perfetto_tasks *tasks, struct perfetto_task *task,
					  int32_t tid, int64_t time_ns)
{
	const struct task_name *known = task_names_get(tasks->po->view->analysis.names, NULL, tid);
	const struct task_name *name = known->len ? known : &nameless;
	/* Whose process was not known at first stays one of its own: readers know threads by their
	 * numbers alone, and would have it twice. */
	bool alone = task->pid == (uint32_t)tid;
	uint32_t process = alone ? 0 : task_names_pid(tasks->po->view->analysis.names, NULL, tid);
	uint32_t pid = process ?: (uint32_t)tid;
	struct perfetto_place at = {pid, (uint32_t)tid};
	bool moved = task->pid != pid;

	/* A number that was used again. */
	if (task->pid && moved) {
		end_call(tasks, task, tid, time_ns, not_seen);
		end_state(tasks, task, tid, time_ns, not_seen);
	}
	task->pid = pid;
	name_process(tasks, pid, name);
	if (!moved && same_name(&task->name, name))
		return at;
	task->name = *name;
	task->state_named = false;
	name_thread(tasks, at, name, "", 2 * (int64_t)tid + 1);
	return at;
}

static struct perfetto_place state_place(struct perfetto_tasks *tasks, struct perfetto_task *task,
					 int32_t tid, int64_t time_ns)
{
	struct perfetto_place at = perfetto_task_place(tasks, task, tid, time_ns);

	at.tid += PERFETTO_STATES;
	if (!task->state_named)
		name_thread(tasks, at, &task->name, " state", 2 * (int64_t)tid);
	task->state_named = true;
	return at;
}

static bool call_compat(const struct call_fields *fields, const struct event *event)
{
	return fields->compat >= 0 && event_uint(event, (size_t)fields->compat);
}

static void begin_call(struct perfetto_tasks *tasks, struct perfetto_task *task,
		       const struct call_fields *fields, const struct event *event,
		       struct perfetto_place at)
{
	struct perfetto_out *po = tasks->po;
	int64_t nr = (int64_t)event_uint(event, (size_t)fields->nr);
	const struct name *name = names_call(po->names, call_compat(fields, event), nr);

	end_call(tasks, task, event->tid, event->time_ns, not_seen);
	task->calls = true;
	task->nr = (int32_t)nr;
	task->compat = call_compat(fields, event);
	perfetto_open(po, 'B', event->time_ns, at);
	perfetto_category(po, event);
	if (name)
		perfetto_text(po, "name", name->text, name->len);
	else
		perfetto_field_name(po, "name", "call ", event, (size_t)fields->nr);
	perfetto_args(po);
	perfetto_fields(po, event, 0);
	perfetto_close(po);
}

/* The result becomes an argument of the slice; fields of the beginning are not repeated. */
static void finish_call(struct perfetto_tasks *tasks, struct perfetto_task *task,
			const struct call_fields *fields, const struct event *event,
			struct perfetto_place at)
{
	uint64_t told = 1ull << fields->nr;

	if (fields->compat >= 0)
		told |= 1ull << fields->compat;
	end_work(tasks, task, event->tid, event->time_ns, not_seen);
	task->calls = false;
	perfetto_open(tasks->po, 'E', event->time_ns, at);
	perfetto_args(tasks->po);
	perfetto_fields(tasks->po, event, told);
	perfetto_close(tasks->po);
}

void perfetto_task_call(struct perfetto_tasks *tasks, const struct call_fields *fields,
			const struct event *event)
{
	struct perfetto_task *task = perfetto_task_at(tasks, event->tid, event->time_ns);
	struct perfetto_place at;
	bool known;

	if (!task)
		return;
	task->wanted = true;
	at = perfetto_task_place(tasks, task, event->tid, event->time_ns);
	if (!fields->ends) {
		begin_call(tasks, task, fields, event, at);
		return;
	}
	known = task->calls && task->compat == call_compat(fields, event) &&
		task->nr == (int32_t)event_uint(event, (size_t)fields->nr);
	if (known) {
		finish_call(tasks, task, fields, event, at);
		return;
	}
	end_call(tasks, task, event->tid, event->time_ns, not_seen);
	perfetto_instant(tasks->po, event, at);
}

void perfetto_task_work(struct perfetto_tasks *tasks, const struct event *event, bool ends,
			size_t function)
{
	struct perfetto_task *task = perfetto_task_at(tasks, event->tid, event->time_ns);
	struct perfetto_place at;

	if (!task)
		return;
	task->wanted = true;
	at = perfetto_task_place(tasks, task, event->tid, event->time_ns);
	if (ends && !task->works) {
		perfetto_instant(tasks->po, event, at);
		return;
	}
	end_work(tasks, task, event->tid, event->time_ns, ends ? NULL : not_seen);
	if (ends)
		return;
	task->works = true;
	perfetto_open(tasks->po, 'B', event->time_ns, at);
	perfetto_category(tasks->po, event);
	perfetto_field_name(tasks->po, "name", "work ", event, function);
	perfetto_args(tasks->po);
	perfetto_fields(tasks->po, event, 0);
	perfetto_close(tasks->po);
}

/* Opens the slice of a state, up to its arguments; @why: of the end of the one before. */
static void begin_state(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
			int64_t time_ns, enum perfetto_task_state state, const char *why)
{
	static const char *const names[] = {
		[PERFETTO_TASK_RUNNING] = "running",
		[PERFETTO_TASK_RUNNABLE] = "runnable",
		[PERFETTO_TASK_BLOCKED] = "blocked",
	};
	struct perfetto_place at = state_place(tasks, task, tid, time_ns);

	end_state(tasks, task, tid, time_ns, why);
	task->state = state;
	perfetto_open(tasks->po, 'B', time_ns, at);
	perfetto_plain(tasks->po, "cat", "state");
	perfetto_plain(tasks->po, "name", names[state]);
	perfetto_args(tasks->po);
}

bool perfetto_task_wakes(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
			 int64_t time_ns, bool second)
{
	enum task_place before = task->where.place;

	task->wanted = true;
	task_wakes(&task->where, EPOCH, time_ns, second);
	if (task->where.place != TASK_PLACE_WOKEN || before == TASK_PLACE_WOKEN)
		return false;
	begin_state(tasks, task, tid, time_ns, PERFETTO_TASK_RUNNABLE, NULL);
	perfetto_close(tasks->po);
	return true;
}

/* What a filter left out is there only where it makes room for what it let through. */
static bool is_followed(const struct perfetto_tasks *tasks, const struct perfetto_task *task)
{
	return !tasks->filtered || task->wanted;
}

/* Whether its place is known after it has left: as for task_comes. */
static bool is_followed_away(const struct perfetto_tasks *tasks, const struct perfetto_task *task)
{
	return !tasks->filtered || task->where.was_woken;
}

void perfetto_task_leaves(struct perfetto_tasks *tasks, const struct event *event, int state)
{
	struct perfetto_task *task = perfetto_task_at(tasks, event->tid, event->time_ns);
	bool preempted = state >= 0 && !event_uint(event, (size_t)state);
	const char *why;

	if (!task)
		return;
	/* It had come unseen where it was not running. */
	why = task->state == PERFETTO_TASK_RUNNING ? NULL : not_seen;
	task_leaves(&task->where, EPOCH, event->time_ns, preempted);
	if (task->exits && !preempted) {
		end_call(tasks, task, event->tid, event->time_ns, "the task ends");
		end_state(tasks, task, event->tid, event->time_ns, why);
		map_remove(&tasks->tasks, &event->tid);
		return;
	}
	if (!is_followed_away(tasks, task) || state < 0) {
		end_state(tasks, task, event->tid, event->time_ns, why);
		return;
	}
	begin_state(tasks, task, event->tid, event->time_ns,
		    preempted ? PERFETTO_TASK_RUNNABLE : PERFETTO_TASK_BLOCKED, why);
	perfetto_field_name(tasks->po, "why", preempted ? "preempted, " : "", event, (size_t)state);
	perfetto_close(tasks->po);
}

void perfetto_task_comes(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
			 const struct event *event)
{
	const char *why = task->state == PERFETTO_TASK_RUNNING ? not_seen : NULL;
	uint64_t ns;

	(void)task_comes(&task->where, EPOCH, event->time_ns, tasks->filtered, &ns);
	if (!is_followed(tasks, task)) {
		end_state(tasks, task, tid, event->time_ns, why);
		return;
	}
	begin_state(tasks, task, tid, event->time_ns, PERFETTO_TASK_RUNNING, why);
	if (event->cpu >= 0)
		perfetto_number(tasks->po, "cpu", event->cpu);
	perfetto_close(tasks->po);
}

void perfetto_task_left_unseen(struct perfetto_tasks *tasks, int32_t tid, int64_t time_ns)
{
	struct perfetto_task *task = map_get(&tasks->tasks, &tid);

	if (task && task->state == PERFETTO_TASK_RUNNING)
		end_state(tasks, task, tid, time_ns, not_seen);
}

/* One of the ends above, of all tasks. */
static void end_all(struct perfetto_tasks *tasks, int64_t time_ns, const char *why,
		    void (*end)(struct perfetto_tasks *, struct perfetto_task *, int32_t, int64_t,
				const char *))
{
	const void *key;
	void *value;

	for (size_t at = 0; map_next(&tasks->tasks, &at, &key, &value);) {
		int32_t tid;

		memcpy(&tid, key, sizeof(tid));
		end(tasks, value, tid, time_ns, why);
	}
}

void perfetto_tasks_end_calls(struct perfetto_tasks *tasks, int64_t time_ns, const char *why)
{
	end_all(tasks, time_ns, why, end_call);
}

void perfetto_tasks_end_work(struct perfetto_tasks *tasks, int64_t time_ns, const char *why)
{
	end_all(tasks, time_ns, why, end_work);
}

static void forget_place(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
			 int64_t time_ns, const char *why)
{
	end_state(tasks, task, tid, time_ns, why);
	task->where = (struct task_where){0};
	task->flow = 0;
}

void perfetto_tasks_end_states(struct perfetto_tasks *tasks, int64_t time_ns, const char *why)
{
	end_all(tasks, time_ns, why, forget_place);
}
