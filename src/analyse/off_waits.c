// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/off_waits.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/switch_sides.h"

/* Of prev_state (include/linux/sched.h), as sched.switch has it. */
#define STATE_UNINTERRUPTIBLE 0x2u
#define STATE_STOPPED 0x4u
#define STATE_TRACED 0x8u
#define STATE_DEAD 0x80u
#define STATE_IDLE 0x400u

#define CALL_UNKNOWN (-2)

const char *const off_cause_names[OFF_CAUSE_COUNT] = {
	[OFF_CAUSE_UNKNOWN] = "unknown", [OFF_CAUSE_LOCK] = "lock",
	[OFF_CAUSE_DISK] = "disk",	 [OFF_CAUSE_TIMER] = "timer",
	[OFF_CAUSE_SOCKET] = "socket",	 [OFF_CAUSE_PIPE] = "pipe",
	[OFF_CAUSE_POLL] = "poll",	 [OFF_CAUSE_CHILD] = "child",
	[OFF_CAUSE_SIGNAL] = "signal",	 [OFF_CAUSE_PAGE_FAULT] = "page fault",
	[OFF_CAUSE_STOPPED] = "stopped", [OFF_CAUSE_CALL] = "other call",
	[OFF_CAUSE_KERNEL] = "kernel",	 [OFF_CAUSE_RUN_QUEUE] = "run queue",
};

int off_waits_init(struct off_waits *waits)
{
	*waits = (struct off_waits){.epoch = 1, .file_epoch = 1};
	map_init(&waits->tasks, sizeof(struct off_key), sizeof(struct off_task),
		 OFF_WAITS_TASKS_MAX);
	waits->disk_done = calloc(OFF_WAITS_CPUS_MAX, sizeof(*waits->disk_done));
	return waits->disk_done ? 0 : -ENOMEM;
}

void off_waits_fini(struct off_waits *waits)
{
	map_fini(&waits->tasks);
	free(waits->disk_done);
	*waits = (struct off_waits){0};
}

/* NULL: the idle task, or too many. */
static struct off_task *task_at(struct off_waits *waits, uint32_t trace, int32_t tid)
{
	const struct off_key key = {trace, tid};
	struct off_task *task = tid > 0 ? map_at(&waits->tasks, &key) : NULL;

	if (task && task->place == OFF_GONE) /* the number is another task's by now */
		*task = (struct off_task){0};
	return task;
}

static struct off_task *task_get(const struct off_waits *waits, uint32_t trace, int32_t tid)
{
	const struct off_key key = {trace, tid};

	return tid > 0 ? map_get(&waits->tasks, &key) : NULL;
}

/* Whether it is certain that the task was at its place until now. */
static bool is_certain(const struct off_waits *waits, const struct off_task *task)
{
	return task->first_ns && task->epoch == waits->epoch && task->place != OFF_UNKNOWN;
}

/* Puts the time up to now into the sum of @place; that is OFF_UNKNOWN unless it is certain. */
static void account(const struct off_waits *waits, struct off_task *task, int64_t time_ns,
		    enum off_place place)
{
	const uint64_t ns = task->first_ns && time_ns > task->since_ns ?
				    (uint64_t)(time_ns - task->since_ns) :
				    0;

	if (!task->first_ns) {
		task->first_ns = time_ns;
		task->in_call = CALL_UNKNOWN;
	} else if (!is_certain(waits, task)) {
		task->unknown_ns += ns;
	} else if (place == OFF_ON_CPU) {
		task->cpu_ns += ns;
	} else if (place == OFF_ASLEEP) {
		task->asleep_ns += ns;
	} else if (place == OFF_QUEUED) {
		task->queued_ns += ns;
	} else if (place == OFF_UNKNOWN) {
		task->unknown_ns += ns;
	}
	task->since_ns = time_ns;
	task->epoch = waits->epoch;
}

static void go(struct off_waits *waits, struct off_task *task, int64_t time_ns,
	       enum off_place place)
{
	account(waits, task, time_ns, task->place);
	task->place = place;
}

static enum off_cause listed_cause(const struct off_waits *waits, int64_t nr)
{
	return nr >= 0 && (size_t)nr < waits->cause_count ? waits->causes[nr] : OFF_CAUSE_CALL;
}

/* A read or a write that no disk kept: by what the task was in that woke it. */
static enum off_cause peer_cause(const struct off_waits *waits, const struct off_task *task)
{
	if (!task->woken || task->waker_nr == CALL_UNKNOWN)
		return OFF_CAUSE_CALL;
	if (task->waker_nr < 0) /* an interrupt, or a thread of the kernel */
		return OFF_CAUSE_SOCKET;
	switch (listed_cause(waits, task->waker_nr)) {
	case OFF_CAUSE_SOCKET:
		return OFF_CAUSE_SOCKET;
	case OFF_CAUSE_DISK:
		return OFF_CAUSE_PIPE;
	default:
		return OFF_CAUSE_CALL;
	}
}

/* By the call that the task slept in. Calls on descriptors may be of anything: who woke it decides. */
static enum off_cause call_cause(const struct off_waits *waits, const struct off_task *task)
{
	const enum off_cause cause = listed_cause(waits, task->nr);
	const bool deep = task->state & STATE_UNINTERRUPTIBLE;

	if (task->by_disk && deep)
		return OFF_CAUSE_DISK;
	switch (cause) {
	case OFF_CAUSE_DISK: /* of a file */
		return deep ? OFF_CAUSE_DISK : peer_cause(waits, task);
	case OFF_CAUSE_LOCK:
	case OFF_CAUSE_TIMER:
	case OFF_CAUSE_SOCKET:
	case OFF_CAUSE_PIPE:
	case OFF_CAUSE_POLL:
	case OFF_CAUSE_CHILD:
	case OFF_CAUSE_SIGNAL:
		return deep ? OFF_CAUSE_CALL : cause;
	default:
		return OFF_CAUSE_CALL;
	}
}

static enum off_cause cause_of(const struct off_waits *waits, const struct off_task *task)
{
	if (task->state & (STATE_STOPPED | STATE_TRACED) && !(task->state & STATE_UNINTERRUPTIBLE))
		return OFF_CAUSE_STOPPED;
	if (task->nr >= 0)
		return call_cause(waits, task);
	if (task->faulted && task->state & STATE_UNINTERRUPTIBLE)
		return OFF_CAUSE_PAGE_FAULT;
	return task->by_disk ? OFF_CAUSE_DISK : OFF_CAUSE_KERNEL;
}

/* Where the context of the wakeup is not known, the task that a timer or a disk has interrupted did not wake it. */
static int32_t waker_of(const struct off_task *task, enum off_cause cause)
{
	if (!task->woken)
		return -1;
	if (task->waker < 0)
		return task->waker;
	return cause == OFF_CAUSE_TIMER || task->by_disk ? -1 : task->waker;
}

/* Of the call that the task slept in, as that began. */
static const char *file_of(const struct off_waits *waits, const struct off_task *task)
{
	return task->nr >= 0 && task->nr == task->in_call && task->file_epoch == waits->file_epoch ?
		       task->file :
		       NULL;
}

static void tell(const struct off_waits *waits, const struct off_task *task, int32_t tid,
		 enum off_cause cause, uint64_t ns, int32_t instead)
{
	const bool queued = cause == OFF_CAUSE_RUN_QUEUE;

	waits->ended(waits->ctx, &(struct off_wait){
					 .tid = tid,
					 .cause = cause,
					 .ns = ns,
					 .nr = queued ? -1 : task->nr,
					 .state = queued ? 0 : task->state,
					 .waker = waker_of(task, cause),
					 .instead = instead,
					 .file = queued ? NULL : file_of(waits, task),
					 .stack = task->stack,
					 .waker_stack = task->woken ? task->waker_stack : NULL,
				 });
}

/* The switch in which it left the CPU is not known. */
static void forget_leaving(struct off_task *task)
{
	task->nr = -1;
	task->state = 0;
	task->stack = NULL;
	task->woken = task->by_disk = false;
}

static void leave(struct off_waits *waits, struct off_task *task, const struct off_switch *change)
{
	const bool was_certain = is_certain(waits, task);

	/* A task that leaves a CPU was on one: if that is not known, neither is since when. */
	if (was_certain && task->place != OFF_ON_CPU)
		task->place = OFF_UNKNOWN;
	go(waits, task, change->time_ns, change->state ? OFF_ASLEEP : OFF_QUEUED);
	task->slept_ns = change->time_ns;
	task->state = change->state;
	task->nr = change->nr;
	task->stack = change->stack;
	task->woken = task->by_disk = false;
	if (change->state & STATE_DEAD)
		task->place = OFF_GONE;
}

/* In the run queue from its wakeup on. Without one it was woken before it had left the CPU, or that is not known. */
static void come(struct off_waits *waits, struct off_task *task, int32_t tid, int64_t time_ns,
		 int32_t prev)
{
	const bool certain = is_certain(waits, task);
	const uint64_t ns = (uint64_t)(time_ns - task->since_ns);

	if (certain && task->place == OFF_QUEUED) {
		tell(waits, task, tid, OFF_CAUSE_RUN_QUEUE, ns, prev);
	} else if (certain && task->place == OFF_ASLEEP && task->early_ns) {
		task->place = OFF_QUEUED;
		tell(waits, task, tid, OFF_CAUSE_RUN_QUEUE, ns, prev);
	} else if (certain && task->place == OFF_ASLEEP && !waits->has_waking) {
		tell(waits, task, tid, cause_of(waits, task), ns, -1);
	} else if (task->first_ns && time_ns > task->since_ns) {
		if (!certain || task->place != OFF_ASLEEP)
			forget_leaving(task);
		task->place = OFF_UNKNOWN;
		tell(waits, task, tid, OFF_CAUSE_UNKNOWN, ns, -1);
	}
	go(waits, task, time_ns, OFF_ON_CPU);
	task->early_ns = 0;
	task->woken = false;
}

/* One that is not wanted (any more) has no place unless it had one. */
static struct off_task *side_at(struct off_waits *waits, uint32_t trace, int32_t tid, bool wanted)
{
	struct off_task *task = wanted ? NULL : task_get(waits, trace, tid);

	if (wanted)
		return task_at(waits, trace, tid);
	return task && task->first_ns && task->place != OFF_GONE ? task : NULL;
}

void off_waits_switch(struct off_waits *waits, const struct off_switch *change)
{
	const uint32_t trace = change->trace;
	struct off_task *task;

	task = side_at(waits, trace, change->prev, change->sides & SWITCH_PREV);
	off_waits_other(waits, change->cpu);
	if (task && change->sides & SWITCH_PREV)
		leave(waits, task, change);
	else if (task)
		go(waits, task, change->time_ns, OFF_UNKNOWN);
	task = side_at(waits, trace, change->next, change->sides & SWITCH_NEXT);
	if (task && change->sides & SWITCH_NEXT)
		come(waits, task, change->next, change->time_ns, change->prev);
	else if (task)
		go(waits, task, change->time_ns, OFF_UNKNOWN);
}

static bool is_disk_done(const struct off_waits *waits, int32_t cpu)
{
	return cpu >= 0 && cpu < (int32_t)OFF_WAITS_CPUS_MAX && waits->disk_done[cpu];
}

/* Which task woke it, and in which call. */
static void note_waker(const struct off_waits *waits, struct off_task *task,
		       const struct off_wake *wake)
{
	const struct off_task *by = task_get(waits, wake->trace, wake->waker);
	const bool is_task = wake->waker >= 0;

	task->woken = true;
	task->waker = wake->waker;
	task->waker_nr = !is_task ? -1 : by ? by->in_call : CALL_UNKNOWN;
	task->waker_stack = wake->stack;
	task->by_disk = is_disk_done(waits, wake->cpu);
}

void off_waits_wake(struct off_waits *waits, const struct off_wake *wake)
{
	struct off_task *task = task_at(waits, wake->trace, wake->tid);
	const int64_t time_ns = wake->time_ns;
	bool certain;

	if (!task)
		return;
	if (wake->made) { /* the number may have been another task's */
		*task = (struct off_task){0};
		go(waits, task, time_ns, OFF_QUEUED);
		note_waker(waits, task, wake);
		return;
	}
	certain = is_certain(waits, task);
	if (certain && task->place == OFF_ON_CPU) {
		/* Woken on its way off the CPU; whether it leaves at all is not yet known. */
		task->early_ns = time_ns;
		return;
	}
	if (certain && task->place == OFF_QUEUED)
		return;
	if (!certain || task->place != OFF_ASLEEP)
		forget_leaving(task);
	note_waker(waits, task, wake);
	if (certain && task->place == OFF_ASLEEP)
		tell(waits, task, wake->tid, cause_of(waits, task),
		     (uint64_t)(time_ns - task->since_ns), -1);
	else if (task->first_ns && time_ns > task->since_ns)
		tell(waits, task, wake->tid, OFF_CAUSE_UNKNOWN,
		     (uint64_t)(time_ns - task->since_ns), -1);
	go(waits, task, time_ns, OFF_QUEUED);
	task->early_ns = 0;
}

void off_waits_call(struct off_waits *waits, uint32_t trace, int32_t tid, int64_t nr,
		    const char *file)
{
	struct off_task *task = task_get(waits, trace, tid);

	if (!task)
		return;
	task->in_call = nr;
	task->file = file;
	task->file_epoch = waits->file_epoch;
	task->faulted = false;
}

void off_waits_fault(struct off_waits *waits, uint32_t trace, int32_t tid)
{
	struct off_task *task = task_get(waits, trace, tid);

	if (task)
		task->faulted = true;
}

void off_waits_disk(struct off_waits *waits, int32_t cpu)
{
	if (cpu >= 0 && cpu < (int32_t)OFF_WAITS_CPUS_MAX)
		waits->disk_done[cpu] = true;
}

void off_waits_other(struct off_waits *waits, int32_t cpu)
{
	if (cpu >= 0 && cpu < (int32_t)OFF_WAITS_CPUS_MAX)
		waits->disk_done[cpu] = false;
}

void off_waits_lose(struct off_waits *waits)
{
	waits->epoch++;
	waits->file_epoch++;
}

void off_waits_lose_files(struct off_waits *waits)
{
	waits->file_epoch++;
}

void off_waits_end(struct off_waits *waits, int64_t time_ns)
{
	const void *key;
	void *value;
	size_t at = 0;

	while (map_next(&waits->tasks, &at, &key, &value)) {
		struct off_task *task = value;
		const struct off_key *of = key;

		if (!task->first_ns || task->place == OFF_GONE || time_ns < task->since_ns)
			continue;
		if (!is_certain(waits, task)) {
			forget_leaving(task);
			tell(waits, task, of->tid, OFF_CAUSE_UNKNOWN,
			     (uint64_t)(time_ns - task->since_ns), -1);
		} else if (task->place == OFF_ASLEEP) {
			tell(waits, task, of->tid, cause_of(waits, task),
			     (uint64_t)(time_ns - task->since_ns), -1);
		} else if (task->place == OFF_QUEUED) {
			tell(waits, task, of->tid, OFF_CAUSE_RUN_QUEUE,
			     (uint64_t)(time_ns - task->since_ns), -1);
		}
		account(waits, task, time_ns, task->place);
	}
}
