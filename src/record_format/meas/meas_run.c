// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/meas/meas_run.h"

#include <errno.h>
#include <stdlib.h>

#include "record_format/meas/meas_class.h"
#include "schema/class_table.h"
#include "schema/terms.h"
#include "schema/trace_info.h"

enum kind { KIND_TRAP, KIND_SYSCALL, KIND_SETRQ, KIND_SLEEP, KIND_SWTCH, KIND_REMRQ, KIND_COUNT };
enum state { STATE_RUNNING, STATE_SLEEPS }; /* probe/sched.bpf.c, enum task_state */

static const struct meas_kind kinds[KIND_COUNT] = {
	[KIND_TRAP] = {"meas.trap", {"pid"}},	[KIND_SYSCALL] = {"meas.syscall", {"pid"}},
	[KIND_SETRQ] = {"meas.setrq", {"pid"}}, [KIND_SLEEP] = {"meas.sleep", {"pid"}},
	[KIND_SWTCH] = {"meas.swtch", {"pid"}}, [KIND_REMRQ] = {"meas.remrq", {"pid"}},
};

enum { SWITCH_STATE, SWITCH_NEXT, SWITCH_SLOTS };

static const struct field switch_fields[] = {TERMS_UINT("prev_state", SWITCH_STATE),
					     TERMS_INT("next_tid", SWITCH_NEXT)};
static const struct field wakeup_fields[] = {TERMS_INT("wake_tid", 0)};

static const struct class_plan switch_plan = {
	.name = "sched.switch",
	.fields = switch_fields,
	.field_count = 2,
	.payload_bytes = 8 * SWITCH_SLOTS,
};
static const struct class_plan wakeup_plan = {
	.name = "sched.wakeup",
	.fields = wakeup_fields,
	.field_count = 1,
	.payload_bytes = 8,
};

/* A record of which the next ones may say more. */
struct held {
	bool is;
	struct event event; /* its payload is not there any more; its tid is the process */
	enum state state; /* of the task that leaves the CPU */
};

struct meas_run {
	struct meas_kind_class *classes; /* by event_class.index */
	size_t class_count;
	const struct event_class *switches;
	const struct event_class *wakeups;
	struct held trapped; /* a trap or a system call takes the CPU from it */
	struct held woken;
	struct held leaves;
};

struct meas_run *meas_run_new(const struct trace_info *info)
{
	struct meas_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->class_count = info->class_count;
	run->classes = meas_kinds_find(info, kinds, KIND_COUNT);
	if (!run->classes) {
		meas_run_free(run);
		return NULL;
	}
	return run;
}

void meas_run_free(struct meas_run *run)
{
	if (!run)
		return;
	free(run->classes);
	free(run);
}

bool meas_run_has_any(const struct meas_run *run)
{
	for (size_t i = 0; i < run->class_count; i++) {
		if (run->classes[i].kind != MEAS_KIND_NONE)
			return true;
	}
	return false;
}

int meas_run_classes(struct meas_run *run, struct class_table *table)
{
	run->switches = class_table_add(table, &switch_plan);
	run->wakeups = class_table_add(table, &wakeup_plan);
	return run->switches && run->wakeups ? 0 : -ENOMEM;
}

static void put_switch(struct meas_run *run, const struct event *like, enum state state,
		       int32_t next, struct terms_out *out)
{
	uint64_t *slots = terms_put(out, run->switches, SWITCH_SLOTS, like);

	slots[SWITCH_STATE] = state;
	slots[SWITCH_NEXT] = (uint64_t)(int64_t)next;
}

/* Ends the held records: no task followed the one that left, and the one put on the run queue was
 * woken. */
static void flush(struct meas_run *run, struct terms_out *out)
{
	if (run->woken.is)
		*terms_put(out, run->wakeups, 1, &run->woken.event) =
			(uint64_t)(int64_t)run->woken.event.tid;
	if (run->leaves.is)
		put_switch(run, &run->leaves.event, run->leaves.state, 0, out);
	run->trapped.is = run->woken.is = run->leaves.is = false;
}

/* Whether both are of one moment of one process. */
static bool fits(const struct held *held, const struct event *event)
{
	return held->is && held->event.tid == event->tid && held->event.time_ns == event->time_ns;
}

static void take_setrq(struct meas_run *run, const struct event *event, struct terms_out *out)
{
	bool preempted = fits(&run->trapped, event);

	flush(run, out);
	if (preempted)
		run->leaves = (struct held){true, *event, STATE_RUNNING};
	else
		run->woken = (struct held){.is = true, .event = *event};
}

static void take_swtch(struct meas_run *run, const struct event *event, struct terms_out *out)
{
	enum state state = fits(&run->woken, event) ? STATE_RUNNING : STATE_SLEEPS;

	if (fits(&run->leaves, event))
		return;
	if (state == STATE_RUNNING)
		run->woken.is = false;
	flush(run, out);
	run->leaves = (struct held){true, *event, state};
}

/* Without a swtch the task that had the CPU before is not known: as if none had it. */
static void take_remrq(struct meas_run *run, const struct event *event, struct terms_out *out)
{
	struct held before = run->leaves;
	struct event like = *event;

	if (before.is && before.event.time_ns == event->time_ns) {
		run->leaves.is = false;
		flush(run, out);
		put_switch(run, &before.event, before.state, event->tid, out);
		return;
	}
	flush(run, out);
	like.tid = 0;
	put_switch(run, &like, STATE_SLEEPS, event->tid, out);
}

void meas_run_take(struct meas_run *run, const struct event *event, struct terms_out *out)
{
	const struct meas_kind_class *class = NULL;
	struct event at;

	if (event && event->class->index < run->class_count)
		class = &run->classes[event->class->index];
	if (!class || class->kind == MEAS_KIND_NONE) {
		flush(run, out);
		return;
	}
	at = *event;
	at.tid = (int32_t)event_uint(event, (size_t) class->fields[0]);
	switch (class->kind) {
	case KIND_TRAP:
	case KIND_SYSCALL:
		flush(run, out);
		run->trapped = (struct held){.is = true, .event = at};
		break;
	case KIND_SETRQ:
		take_setrq(run, &at, out);
		break;
	case KIND_SLEEP:
		flush(run, out);
		run->leaves = (struct held){true, at, STATE_SLEEPS};
		break;
	case KIND_SWTCH:
		take_swtch(run, &at, out);
		break;
	default: /* KIND_REMRQ */
		take_remrq(run, &at, out);
		break;
	}
}
