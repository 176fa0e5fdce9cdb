// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "record_format/meas/meas_class.h"
#include "record_format/meas/meas_making.h"

#define TASKS_MAX (1u << 20)
#define STATE_RUNNING 0u /* probe/sched.bpf.c, enum task_state */
#define STATE_DEAD 0x80u
#define CPU_IDLE 3u /* probe/sample.bpf.c */
/* Records of an idle CPU for one event: 70 minutes at the sampler's own rate. A file may say anything. */
#define IDLE_RECORDS_MAX 100000u

enum kind {
	KIND_SWITCH,
	KIND_WAKEUP,
	KIND_WAKEUP_NEW,
	KIND_EXEC,
	KIND_EXIT,
	KIND_TRAP,
	KIND_SAMPLE,
	KIND_ENTER,
	KIND_LEAVE,
	KIND_COUNT,
};

enum switch_field {
	SWITCH_STATE,
	SWITCH_NEXT,
	SWITCH_PRIO,
	SWITCH_NEXT_PRIO,
	SWITCH_NR,
	SWITCH_WCHAN,
};
enum wake_field { WAKE_TID, WAKE_PRIO };
enum trap_field { TRAP_KIND, TRAP_ADDRESS, TRAP_SIGNAL };
enum sample_field { SAMPLE_PC, SAMPLE_STATE, SAMPLE_MISSED, SAMPLE_IDLE };
enum enter_field { ENTER_NR, ENTER_IP, ENTER_ARGS, ENTER_COMPAT };
enum leave_field { LEAVE_NR, LEAVE_RET, LEAVE_COMPAT };

static const struct meas_kind kinds[KIND_COUNT] = {
	[KIND_SWITCH] = {"sched.switch",
			 {"prev_state", "next_tid", "prev_prio", "next_prio", "nr", "?wchan"}},
	[KIND_WAKEUP] = {"sched.wakeup", {"wake_tid", "prio"}},
	[KIND_WAKEUP_NEW] = {"sched.wakeup_new", {"wake_tid", "prio"}},
	[KIND_EXEC] = {"sched.exec", {"filename"}},
	[KIND_EXIT] = {"sched.exit", {"prio"}},
	[KIND_TRAP] = {"sched.trap", {"kind", "address", "signal"}},
	[KIND_SAMPLE] = {"cpu.sample", {"pc", "state", "?missed", "?idle"}},
	[KIND_ENTER] = {"sys.enter", {"nr", "ip", "?args", "?compat"}},
	[KIND_LEAVE] = {"sys.exit", {"nr", "ret", "?compat"}},
};

/* What is known of a task. */
struct task {
	uint64_t address; /* of the last trap since it got the CPU */
	uint8_t type; /* likewise: as trap_labels of meas_form.c; 0 = none */
	bool in_call;
};

struct meas_sched {
	struct meas_kind_class *classes; /* by event_class.index */
	struct map tasks; /* struct task, by tid */
};

struct meas_sched *meas_sched_new(const struct trace_info *info)
{
	struct meas_sched *sched = calloc(1, sizeof(*sched));

	if (!sched)
		return NULL;
	map_init(&sched->tasks, sizeof(int32_t), sizeof(struct task), TASKS_MAX);
	sched->classes = meas_kinds_find(info, kinds, KIND_COUNT);
	if (!sched->classes) {
		meas_sched_free(sched);
		return NULL;
	}
	return sched;
}

void meas_sched_free(struct meas_sched *sched)
{
	if (!sched)
		return;
	map_fini(&sched->tasks);
	free(sched->classes);
	free(sched);
}

void meas_sched_lose(struct meas_sched *sched)
{
	map_fini(&sched->tasks);
	map_init(&sched->tasks, sizeof(int32_t), sizeof(struct task), TASKS_MAX);
}

/* @more: the values behind pid, priority and junk, @count of them. */
static void put(struct meas_making *making, uint16_t id, const struct event *event, int64_t pid,
		uint64_t pri, const uint64_t *more, size_t count)
{
	if (!making->on[id])
		return;
	making->slots[0] = (uint64_t)pid;
	making->slots[1] = (uint64_t)(int64_t)(int32_t)pri;
	making->slots[2] = 0;
	if (count)
		memcpy(making->slots + 3, more, count * sizeof(*more));
	meas_making_put(making, meas_form_find(id, 0), event);
}

static void put_trap(struct meas_making *making, const struct event *event, const struct task *task,
		     uint64_t pri)
{
	const uint64_t more[] = {task->type, task->address};

	put(making, MEAS_TRAP, event, event->tid, pri, more, 2);
}

/* It could have run on: it goes back to the run queue. */
static void take_preempted(struct meas_making *making, const struct event *event,
			   const struct task *task, uint64_t pri)
{
	if (task->in_call)
		put(making, MEAS_SYSCALL, event, event->tid, pri, NULL, 0);
	else
		put_trap(making, event, task, pri);
	put(making, MEAS_SETRQ, event, event->tid, pri, NULL, 0);
}

static void take_asleep(struct meas_making *making, const struct event *event, const int *fields,
			const struct task *task, uint64_t pri)
{
	bool in_call = (int64_t)event_uint(event, (size_t)fields[SWITCH_NR]) >= 0;
	uint64_t address = meas_making_uint(event, fields[SWITCH_WCHAN]);

	if (task->type && !in_call)
		put_trap(making, event, task, pri);
	put(making, MEAS_SLEEP, event, event->tid, pri, &address, 1);
}

static void take_switch(struct meas_sched *sched, const struct event *event, const int *fields,
			struct meas_making *making)
{
	static const struct task nothing;
	uint64_t pri = event_uint(event, (size_t)fields[SWITCH_PRIO]);
	uint64_t state = event_uint(event, (size_t)fields[SWITCH_STATE]);
	int64_t next = (int64_t)event_uint(event, (size_t)fields[SWITCH_NEXT]);
	struct task *task = map_get(&sched->tasks, &event->tid);

	/* The idle task is in no queue. */
	if (event->tid && state == STATE_RUNNING)
		take_preempted(making, event, task ?: &nothing, pri);
	else if (event->tid && state != STATE_DEAD)
		take_asleep(making, event, fields, task ?: &nothing, pri);
	if (task)
		task->type = 0;
	put(making, MEAS_SWTCH, event, event->tid, pri, NULL, 0);
	if (next)
		put(making, MEAS_REMRQ, event, next,
		    event_uint(event, (size_t)fields[SWITCH_NEXT_PRIO]), NULL, 0);
}

static void take_exec(const struct event *event, const int *fields, struct meas_making *making)
{
	size_t len;
	const char *path = event_text(event, (size_t)fields[0], &len), *name = path;
	char *to = (char *)making->slots;

	if (!making->on[MEAS_EXEC])
		return;
	making->slots[0] = (uint64_t)(int64_t)event->tid;
	making->slots[1] = 0;
	meas_making_put(making, meas_form_find(MEAS_EXEC, 0), event);
	for (const char *c = path; c < path + len; c++)
		name = *c == '/' ? c + 1 : name;
	len -= (size_t)(name - path);
	memset(to, 0, MEAS_NAME_BYTES);
	memcpy(to, name, len < MEAS_NAME_BYTES ? len : MEAS_NAME_BYTES);
	meas_making_put(making, meas_form_find(MEAS_EXEC, 1), event);
	meas_making_put(making, meas_form_find(MEAS_EXEC, 2), event);
}

static void put_sample(struct meas_making *making, const struct event *event, int64_t pid,
		       uint64_t pc, uint64_t state, uint64_t missed)
{
	making->slots[0] = (uint64_t)pid;
	making->slots[1] = pc;
	making->slots[2] = state;
	making->slots[3] = missed;
	meas_making_put(making, meas_form_find(MEAS_SAMPLER, 0), event);
}

/* The samples of the CPU while it was idle come first; those beyond the limit count as missed. */
static void take_sample(const struct event *event, const int *fields, struct meas_making *making)
{
	uint64_t state = event_uint(event, (size_t)fields[SAMPLE_STATE]);
	uint64_t missed = meas_making_uint(event, fields[SAMPLE_MISSED]);
	uint64_t idle = meas_making_uint(event, fields[SAMPLE_IDLE]);

	if (!making->on[MEAS_SAMPLER])
		return;
	if (idle > IDLE_RECORDS_MAX) {
		missed += idle - IDLE_RECORDS_MAX;
		idle = IDLE_RECORDS_MAX;
	}
	for (uint64_t i = 0; i < idle; i++)
		put_sample(making, event, -1, 0, CPU_IDLE, 0);
	put_sample(making, event, state == CPU_IDLE ? -1 : (int64_t)event->tid,
		   event_uint(event, (size_t)fields[SAMPLE_PC]), state, missed);
}

/* The state of a task, for a change; NULL if the table is full. */
static struct task *task_of(struct meas_sched *sched, const struct event *event)
{
	return map_at(&sched->tasks, &event->tid);
}

static void take_trap(struct meas_sched *sched, const struct event *event, const int *fields)
{
	struct task *task = task_of(sched, event);
	uint64_t signal = event_uint(event, (size_t)fields[TRAP_SIGNAL]);

	if (!task)
		return;
	task->type = (uint8_t)(event_uint(event, (size_t)fields[TRAP_KIND]) + 1);
	task->address = signal ?: event_uint(event, (size_t)fields[TRAP_ADDRESS]);
}

/* Six words of "args", or the fields in front of "ip", which are the arguments of that call. */
static uint64_t call_arg(const struct event *event, const int *fields, uint32_t i)
{
	int args = fields[ENTER_ARGS];

	if (args >= 0)
		return i < event_count(event, (size_t)args) ?
			       event_element(event, (size_t)args, i) :
			       0;
	return (int)i < fields[ENTER_IP] ? event_uint(event, i) : 0;
}

static void take_enter(struct meas_sched *sched, const struct event *event, const int *fields,
		       struct meas_making *making)
{
	struct task *task = task_of(sched, event);
	uint64_t *slot = making->slots;

	if (task)
		*task = (struct task){.in_call = true};
	if (!making->on[MEAS_SYSCALLSTART])
		return;
	*slot++ = (uint64_t)(int64_t)event->tid;
	*slot++ = event_uint(event, (size_t)fields[ENTER_NR]);
	*slot++ = event_uint(event, (size_t)fields[ENTER_IP]);
	for (uint32_t i = 0; i < 6; i++)
		*slot++ = call_arg(event, fields, i);
	*slot++ = meas_making_uint(event, fields[ENTER_COMPAT]);
	meas_making_put(making, meas_form_find(MEAS_SYSCALLSTART, 0), event);
}

static void take_leave(struct meas_sched *sched, const struct event *event, const int *fields,
		       struct meas_making *making)
{
	struct task *task = task_of(sched, event);
	uint64_t *slot = making->slots;

	if (task)
		*task = (struct task){0};
	if (!making->on[MEAS_SYSCALLEXIT])
		return;
	*slot++ = (uint64_t)(int64_t)event->tid;
	*slot++ = event_uint(event, (size_t)fields[LEAVE_RET]);
	*slot++ = 0; /* Linux has calls of one value only */
	*slot++ = event_uint(event, (size_t)fields[LEAVE_NR]);
	*slot++ = meas_making_uint(event, fields[LEAVE_COMPAT]);
	meas_making_put(making, meas_form_find(MEAS_SYSCALLEXIT, 0), event);
}

void meas_sched_take(struct meas_sched *sched, const struct event *event,
		     struct meas_making *making)
{
	const struct meas_kind_class *class = &sched->classes[event->class->index];

	switch (class->kind) {
	case KIND_SWITCH:
		take_switch(sched, event, class->fields, making);
		break;
	case KIND_WAKEUP:
	case KIND_WAKEUP_NEW:
		put(making, MEAS_SETRQ, event,
		    (int64_t)event_uint(event, (size_t) class->fields[WAKE_TID]),
		    event_uint(event, (size_t) class->fields[WAKE_PRIO]), NULL, 0);
		break;
	case KIND_EXEC:
		take_exec(event, class->fields, making);
		break;
	case KIND_EXIT:
		put(making, MEAS_EXIT, event, event->tid,
		    event_uint(event, (size_t) class->fields[0]), NULL, 0);
		map_remove(&sched->tasks, &event->tid);
		break;
	case KIND_TRAP:
		take_trap(sched, event, class->fields);
		break;
	case KIND_SAMPLE:
		take_sample(event, class->fields, making);
		break;
	case KIND_ENTER:
		take_enter(sched, event, class->fields, making);
		break;
	case KIND_LEAVE:
		take_leave(sched, event, class->fields, making);
		break;
	default:
		break;
	}
}
