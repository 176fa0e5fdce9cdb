/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_task: the tracks of tasks: a process with its threads. On a thread's own track lies what it
 * does (system calls, work put off to it, events); on a second one above, where it is: running,
 * runnable, blocked. They are two because a call continues while its task sleeps and runs again.
 *
 * A slice whose beginning was not seen is not shown; one whose end was not seen ends where that
 * becomes known, and says so.
 */
#ifndef SONDE_OUTPUT_PERFETTO_TASK_H
#define SONDE_OUTPUT_PERFETTO_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/task_names.h"
#include "analyse/wait_pair.h"
#include "base/map.h"
#include "output/perfetto_out.h"

struct call_fields;

enum perfetto_task_state {
	PERFETTO_TASK_UNKNOWN, /* no slice */
	PERFETTO_TASK_RUNNING,
	PERFETTO_TASK_RUNNABLE,
	PERFETTO_TASK_BLOCKED,
};

/* Zeros: a task of which nothing has been shown. */
struct perfetto_task {
	struct task_where where;
	struct task_name name; /* that its tracks bear */
	uint64_t flow; /* the arrow from the task that woke it; 0 = none */
	uint32_t pid; /* the process that it is shown in; 0 = none yet */
	int32_t nr; /* of the call that it is in */
	bool compat;
	bool state_named;
	bool wanted; /* the recorder's filter let events of it through */
	bool exits; /* the next time that it leaves of itself is its last */
	bool calls; /* there is the slice of a call */
	bool works; /* and that of work put off, within it if both */
	enum perfetto_task_state state;
};

struct perfetto_tasks {
	struct perfetto_out *po;
	struct map tasks; /* struct perfetto_task by tid */
	struct map processes; /* struct task_name by pid: what each is called */
	bool filtered; /* switch_sides_unknown (analyse/switch_sides) */
};

void perfetto_tasks_init(struct perfetto_tasks *tasks, struct perfetto_out *po);
void perfetto_tasks_fini(struct perfetto_tasks *tasks);

/* Whether @tid has tracks of its own: the idle tasks, of which all are 0, have none. */
static inline bool perfetto_is_task(int32_t tid)
{
	return tid > 0 && (uint32_t)tid < TID_LIMIT;
}

/* The task, where perfetto_is_task; NULL: no memory. Borrowed until the next call. */
struct perfetto_task *perfetto_task_at(struct perfetto_tasks *tasks, int32_t tid, int64_t time_ns);
/* Its own track, named. */
struct perfetto_place perfetto_task_place(struct perfetto_tasks *tasks, struct perfetto_task *task,
					  int32_t tid, int64_t time_ns);

void perfetto_task_call(struct perfetto_tasks *tasks, const struct call_fields *fields,
			const struct event *event);
/* Work put off to this worker begins or ends; @function: the field with the work's function. */
void perfetto_task_work(struct perfetto_tasks *tasks, const struct event *event, bool ends,
			size_t function);

/* Whether it now waits for a CPU, and did not before. */
bool perfetto_task_wakes(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
			 int64_t time_ns, bool second);
/* @state: the field with the reason; -1 = none. @event: the switch. */
void perfetto_task_leaves(struct perfetto_tasks *tasks, const struct event *event, int state);
void perfetto_task_comes(struct perfetto_tasks *tasks, struct perfetto_task *task, int32_t tid,
			 const struct event *event);
/* Another one has left the CPU that it came to. */
void perfetto_task_left_unseen(struct perfetto_tasks *tasks, int32_t tid, int64_t time_ns);

/* Ends everything in progress, as far as is known; @why: "events were lost here". */
void perfetto_tasks_end_calls(struct perfetto_tasks *tasks, int64_t time_ns, const char *why);
void perfetto_tasks_end_work(struct perfetto_tasks *tasks, int64_t time_ns, const char *why);
void perfetto_tasks_end_states(struct perfetto_tasks *tasks, int64_t time_ns, const char *why);

#endif /* SONDE_OUTPUT_PERFETTO_TASK_H */
