// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_offcpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/call_stats.h"
#include "analyse/gap.h"
#include "analyse/row_where.h"
#include "analyse/switch_sides.h"
#include "base/diag.h"
#include "schema/calls.h"
#include "schema/derived.h"
#include "schema/event.h"
#include "schema/stack.h"
#include "schema/syscalls.h"
#include "wire/run_context.h"

#define VALUE_HEAD 9u /* of event_value_pack */

enum class_kind {
	CLASS_OTHER,
	CLASS_SWITCH,
	CLASS_WAKE,
	CLASS_NEW,
	CLASS_CALL,
	CLASS_FAULT,
	CLASS_DISK,
	CLASS_GAP,
};

struct offcpu_class {
	enum class_kind kind;
	uint32_t trace;
	int tid, state, nr, sides, context; /* -1: none */
	struct call_fields call;
	struct gap_fields gap;
};

enum wait_key {
	KEY_COMM,
	KEY_TID,
	KEY_PID,
	KEY_CAUSE,
	KEY_CALL,
	KEY_STATE,
	KEY_WAKER,
	KEY_WAKER_COMM,
	KEY_INSTEAD,
	KEY_INSTEAD_COMM,
	KEY_CGROUP,
	KEY_CONTAINER,
	KEY_FILE,
	KEY_STACK,
	KEY_WAKER_STACK,
	KEY_COUNT,
};

static const char *const key_names[KEY_COUNT] = {
	[KEY_COMM] = "comm",
	[KEY_TID] = "tid",
	[KEY_PID] = "pid",
	[KEY_CAUSE] = "cause",
	[KEY_CALL] = "call",
	[KEY_STATE] = "state",
	[KEY_WAKER] = "waker",
	[KEY_WAKER_COMM] = "waker_comm",
	[KEY_INSTEAD] = "instead",
	[KEY_INSTEAD_COMM] = "instead_comm",
	[KEY_CGROUP] = "cgroup",
	[KEY_CONTAINER] = "container",
	[KEY_FILE] = "file",
	[KEY_STACK] = STACK_NAME,
	[KEY_WAKER_STACK] = STACK_OF_WAKER_NAME,
};

static const enum event_value_kind key_kinds[KEY_COUNT] = {
	[KEY_COMM] = EVENT_VALUE_TEXT,	      [KEY_TID] = EVENT_VALUE_UNSIGNED,
	[KEY_PID] = EVENT_VALUE_UNSIGNED,     [KEY_CAUSE] = EVENT_VALUE_TEXT,
	[KEY_CALL] = EVENT_VALUE_CALL,	      [KEY_STATE] = EVENT_VALUE_UNSIGNED,
	[KEY_WAKER] = EVENT_VALUE_UNSIGNED,   [KEY_WAKER_COMM] = EVENT_VALUE_TEXT,
	[KEY_INSTEAD] = EVENT_VALUE_UNSIGNED, [KEY_INSTEAD_COMM] = EVENT_VALUE_TEXT,
	[KEY_CGROUP] = EVENT_VALUE_TEXT,      [KEY_CONTAINER] = EVENT_VALUE_TEXT,
	[KEY_FILE] = EVENT_VALUE_TEXT,	      [KEY_STACK] = EVENT_VALUE_TEXT,
	[KEY_WAKER_STACK] = EVENT_VALUE_TEXT,
};

/* What calls wait for. Those on files stand under the disk: whether it was one is seen when the wait ends. */
static const struct {
	const char *name;
	enum off_cause cause;
} call_causes[] = {
	{"futex", OFF_CAUSE_LOCK},
	{"futex_wait", OFF_CAUSE_LOCK},
	{"futex_waitv", OFF_CAUSE_LOCK},
	{"flock", OFF_CAUSE_LOCK},
	{"semop", OFF_CAUSE_LOCK},
	{"semtimedop", OFF_CAUSE_LOCK},
	{"nanosleep", OFF_CAUSE_TIMER},
	{"clock_nanosleep", OFF_CAUSE_TIMER},
	{"recvfrom", OFF_CAUSE_SOCKET},
	{"recvmsg", OFF_CAUSE_SOCKET},
	{"recvmmsg", OFF_CAUSE_SOCKET},
	{"sendto", OFF_CAUSE_SOCKET},
	{"sendmsg", OFF_CAUSE_SOCKET},
	{"sendmmsg", OFF_CAUSE_SOCKET},
	{"accept", OFF_CAUSE_SOCKET},
	{"accept4", OFF_CAUSE_SOCKET},
	{"connect", OFF_CAUSE_SOCKET},
	{"poll", OFF_CAUSE_POLL},
	{"ppoll", OFF_CAUSE_POLL},
	{"select", OFF_CAUSE_POLL},
	{"_newselect", OFF_CAUSE_POLL},
	{"pselect6", OFF_CAUSE_POLL},
	{"epoll_wait", OFF_CAUSE_POLL},
	{"epoll_pwait", OFF_CAUSE_POLL},
	{"epoll_pwait2", OFF_CAUSE_POLL},
	{"io_uring_enter", OFF_CAUSE_POLL},
	{"wait4", OFF_CAUSE_CHILD},
	{"waitid", OFF_CAUSE_CHILD},
	{"waitpid", OFF_CAUSE_CHILD},
	{"vfork", OFF_CAUSE_CHILD},
	{"pause", OFF_CAUSE_SIGNAL},
	{"rt_sigsuspend", OFF_CAUSE_SIGNAL},
	{"rt_sigtimedwait", OFF_CAUSE_SIGNAL},
	{"read", OFF_CAUSE_DISK},
	{"pread64", OFF_CAUSE_DISK},
	{"readv", OFF_CAUSE_DISK},
	{"preadv", OFF_CAUSE_DISK},
	{"preadv2", OFF_CAUSE_DISK},
	{"write", OFF_CAUSE_DISK},
	{"pwrite64", OFF_CAUSE_DISK},
	{"writev", OFF_CAUSE_DISK},
	{"pwritev", OFF_CAUSE_DISK},
	{"pwritev2", OFF_CAUSE_DISK},
	{"fsync", OFF_CAUSE_DISK},
	{"fdatasync", OFF_CAUSE_DISK},
	{"sync", OFF_CAUSE_DISK},
	{"syncfs", OFF_CAUSE_DISK},
	{"sync_file_range", OFF_CAUSE_DISK},
	{"msync", OFF_CAUSE_DISK},
	{"fallocate", OFF_CAUSE_DISK},
	{"truncate", OFF_CAUSE_DISK},
	{"ftruncate", OFF_CAUSE_DISK},
	{"sendfile", OFF_CAUSE_DISK},
	{"splice", OFF_CAUSE_DISK},
	{"copy_file_range", OFF_CAUSE_DISK},
	{"open", OFF_CAUSE_DISK},
	{"openat", OFF_CAUSE_DISK},
	{"openat2", OFF_CAUSE_DISK},
	{"close", OFF_CAUSE_DISK},
	{"execve", OFF_CAUSE_DISK},
	{"stat", OFF_CAUSE_DISK},
	{"lstat", OFF_CAUSE_DISK},
	{"newfstatat", OFF_CAUSE_DISK},
	{"statx", OFF_CAUSE_DISK},
	{"access", OFF_CAUSE_DISK},
	{"getdents64", OFF_CAUSE_DISK},
	{"mkdir", OFF_CAUSE_DISK},
	{"rmdir", OFF_CAUSE_DISK},
	{"rename", OFF_CAUSE_DISK},
	{"renameat2", OFF_CAUSE_DISK},
	{"unlink", OFF_CAUSE_DISK},
	{"unlinkat", OFF_CAUSE_DISK},
	{"io_getevents", OFF_CAUSE_DISK},
};

static void set_name(const struct offcpu_report * or, int32_t tid, struct event_value *ret)
{
	const struct task_name *name;

	if (tid == 0) {
		*ret = (struct event_value){EVENT_VALUE_TEXT, 0, 0, "(idle)", 6};
		return;
	}
	if (tid == OWNER_UNKNOWN)
		return;
	name = task_names_get(or->rows.report.analysis->names, or->event->class, tid);
	if (TASK_NAME_LEN(name))
		*ret = (struct event_value){EVENT_VALUE_TEXT, 0, 0, name->text,
					    TASK_NAME_LEN(name)};
}

static void set_number(int64_t number, struct event_value *ret)
{
	if (number >= 0)
		*ret = (struct event_value){.kind = EVENT_VALUE_UNSIGNED,
					    .number = (uint64_t)number};
}

/* NULL: not known. */
static void set_text(const char *text, struct event_value *ret)
{
	if (text)
		*ret = (struct event_value){EVENT_VALUE_TEXT, 0, 0, text, strlen(text)};
}

static void find_key(const struct offcpu_report * or, const struct off_wait *wait, int key,
		     struct event_value *ret)
{
	const struct analysis *analysis = or->rows.report.analysis;
	uint32_t pid;

	*ret = (struct event_value){.kind = EVENT_VALUE_NONE};
	switch (key) {
	case KEY_COMM:
		set_name(or, wait->tid, ret);
		return;
	case KEY_TID:
		set_number(wait->tid, ret);
		return;
	case KEY_PID:
		pid = task_names_pid(analysis->names, or->event->class, wait->tid);
		set_number(pid ? (int64_t)pid : -1, ret);
		return;
	case KEY_CAUSE:
		set_text(off_cause_names[wait->cause], ret);
		return;
	case KEY_CALL:
		if (wait->nr >= 0)
			*ret = (struct event_value){.kind = EVENT_VALUE_CALL,
						    .number = (uint32_t)wait->nr};
		return;
	case KEY_STATE:
		set_number((int64_t)wait->state, ret);
		return;
	case KEY_WAKER:
		set_number(wait->waker, ret);
		return;
	case KEY_WAKER_COMM:
		set_name(or, wait->waker, ret);
		return;
	case KEY_INSTEAD:
		set_number(wait->instead, ret);
		return;
	case KEY_CGROUP:
		set_text(analysis_cgroup(analysis, or->event->class, wait->tid), ret);
		return;
	case KEY_CONTAINER:
		set_text(analysis_container(analysis, or->event->class, wait->tid), ret);
		return;
	case KEY_FILE:
		set_text(wait->file, ret);
		return;
	case KEY_STACK:
		set_text(wait->stack, ret);
		return;
	case KEY_WAKER_STACK:
		set_text(wait->waker_stack, ret);
		return;
	default: /* KEY_INSTEAD_COMM */
		set_name(or, wait->instead, ret);
	}
}

/* Of stacks, the innermost functions. */
static size_t pack_key(const struct offcpu_report * or, const struct off_wait *wait, int key,
		       uint8_t *packed, size_t at)
{
	const size_t room = TALLY_KEY_MAX / or->rows.grouping.by_count;
	char cut[TALLY_KEY_MAX + 1];
	struct event_value value;

	find_key(or, wait, key, &value);
	if ((key == KEY_STACK || key == KEY_WAKER_STACK) && value.len > room - VALUE_HEAD) {
		value.len = stack_text_cut(value.text, value.len, cut, room - VALUE_HEAD);
		value.text = cut;
	}
	return event_value_pack(packed, at, room, &value);
}

static bool is_chosen(const struct offcpu_report * or, const struct off_wait *wait)
{
	struct event_value values[KEY_COUNT + 1];

	if (! or->where)
		return true;
	for (int key = 0; key < KEY_COUNT; key++) {
		if (row_where_asks(or->where, (size_t)key))
			find_key(or, wait, key, &values[key]);
	}
	values[KEY_COUNT] = (struct event_value){.kind = EVENT_VALUE_UNSIGNED, .number = wait->ns};
	return row_where_holds(or->where, values);
}

static void count_wait(void *ctx, const struct off_wait *wait)
{
	struct offcpu_report * or = ctx;
	struct events_report *er = & or->rows;
	uint8_t key[TALLY_KEY_MAX];
	struct tally_row *row;
	size_t len = 0;

	if ((or->wakers && wait->cause == OFF_CAUSE_RUN_QUEUE) || !is_chosen(or, wait))
		return;
	if (wait->cause == OFF_CAUSE_RUN_QUEUE)
		or->queued_ns += wait->ns;
	else if (wait->cause == OFF_CAUSE_UNKNOWN)
		or->unknown_ns += wait->ns;
	else
		or->off_ns += wait->ns;
	for (size_t i = 0; i < er->grouping.by_count; i++)
		len = pack_key(or, wait, or->keys[i], key, len);
	row = tally_at(&er->tally, key, len);
	row->events++;
	tally_add(&er->tally, &row->sums[0], (long double)wait->ns, true);
	er->report.events++;
}

static void follow_call(struct offcpu_report * or, const struct offcpu_class *entry,
			const struct event *event)
{
	if (entry->call.ends)
		off_waits_call(& or->waits, entry->trace, event->tid, -1, NULL);
	else
		off_waits_call(& or->waits, entry->trace, event->tid,
			       (int64_t)event_uint(event, (size_t)entry->call.nr),
			       wait_texts_file(& or->texts));
}

/* The task that ran is the waker unless an interrupt had hit it. */
static int32_t waker_of(const struct offcpu_class *entry, const struct event *event)
{
	switch (entry->context < 0 ? CONTEXT_UNKNOWN : event_uint(event, (size_t)entry->context)) {
	case CONTEXT_SOFTIRQ:
		return OWNER_SOFTIRQ;
	case CONTEXT_IRQ:
	case CONTEXT_NMI:
		return OWNER_INTERRUPT;
	default:
		return event->tid;
	}
}

static void follow_switch(struct offcpu_report * or, const struct offcpu_class *entry,
			  const struct event *event, int32_t next)
{
	off_waits_switch(
		& or->waits,
		&(struct off_switch){
			.trace = entry->trace,
			.cpu = event->cpu,
			.time_ns = event->time_ns,
			.prev = event->tid,
			.next = next,
			.sides = switch_sides(entry->sides, event),
			.state = event_uint(event, (size_t)entry->state),
			.nr = entry->nr < 0 ? -1 : (int64_t)event_uint(event, (size_t)entry->nr),
			.stack = wait_texts_stack(& or->texts, event),
		});
}

static void follow_wake(struct offcpu_report * or, const struct offcpu_class *entry,
			const struct event *event, int32_t tid)
{
	off_waits_wake(& or->waits, &(struct off_wake){
					    .trace = entry->trace,
					    .cpu = event->cpu,
					    .time_ns = event->time_ns,
					    .waker = waker_of(entry, event),
					    .tid = tid,
					    .made = entry->kind == CLASS_NEW,
					    .stack = wait_texts_waker_stack(& or->texts, event),
				    });
}

static void follow(struct offcpu_report * or, const struct event *event)
{
	const struct offcpu_class *entry = & or->classes[event->class->index];
	const int32_t tid = entry->tid >= 0 ? (int32_t)event_uint(event, (size_t)entry->tid) : -1;

	or->event = event;
	wait_texts_follow(& or->texts, event);
	switch (entry->kind) {
	case CLASS_SWITCH:
		follow_switch(or, entry, event, tid);
		return;
	case CLASS_WAKE:
	case CLASS_NEW:
		follow_wake(or, entry, event, tid);
		return;
	case CLASS_CALL:
		off_waits_other(& or->waits, event->cpu);
		follow_call(or, entry, event);
		return;
	case CLASS_FAULT:
		off_waits_other(& or->waits, event->cpu);
		off_waits_fault(& or->waits, entry->trace, event->tid);
		return;
	case CLASS_DISK:
		off_waits_disk(& or->waits, event->cpu);
		return;
	case CLASS_GAP:
		if (gap_is_here(&entry->gap, event, "sched."))
			off_waits_lose(& or->waits);
		if (gap_is_here(&entry->gap, event, CALLS_PREFIX))
			off_waits_lose_files(& or->waits);
		return;
	case CLASS_OTHER:
		return;
	}
}

static void offcpu_batch(struct report *report, const struct event *events, size_t count)
{
	struct offcpu_report * or = (struct offcpu_report *)report;

	for (size_t i = 0; i < count; i++)
		follow(or, &events[i]);
}

static void offcpu_end(struct report *report, const struct report_span *span)
{
	struct offcpu_report * or = (struct offcpu_report *)report;

	if (! or->event)
		return;
	or->event = &(const struct event){.class = or->last_class, .cpu = -1, .tid = -1};
	off_waits_end(& or->waits, span->end_ns);
	or->event = NULL;
}

static void offcpu_free(struct report *report)
{
	struct offcpu_report * or = (struct offcpu_report *)report;

	report_events_fini(& or->rows);
	row_where_free(or->where);
	off_waits_fini(& or->waits);
	wait_texts_fini(& or->texts);
	syscalls_free(or->calls);
	free(or->causes);
	free(or->classes);
	free(or);
}

static const struct report_ops offcpu_ops = {
	.batch = offcpu_batch,
	.end = offcpu_end,
	.free = offcpu_free,
};

static void find_class(struct offcpu_class *entry, const struct event_class *class,
		       const struct trace_info *info, bool has_waking)
{
	const char *name = class->name;

	*entry =
		(struct offcpu_class){.tid = -1, .state = -1, .nr = -1, .sides = -1, .context = -1};
	entry->trace = trace_info_trace(info, class->stream);
	gap_fields_find(&entry->gap, class);
	if (gap_fields_any(&entry->gap)) {
		entry->kind = CLASS_GAP;
	} else if (!strcmp(name, "sched.switch")) {
		entry->tid = event_class_find_number(class, "next_tid");
		entry->state = event_class_find_number(class, "prev_state");
		entry->nr = event_class_find_number(class, "nr");
		entry->sides = switch_sides_find(class);
		if (entry->tid >= 0 && entry->state >= 0)
			entry->kind = CLASS_SWITCH;
	} else if (!strcmp(name, "sched.waking") || !strcmp(name, "sched.wakeup") ||
		   !strcmp(name, "sched.wakeup_new")) {
		entry->tid = event_class_find_number(class, "wake_tid");
		entry->context = event_class_find_number(class, "context");
		if (entry->tid >= 0 && !strcmp(name, "sched.wakeup_new"))
			entry->kind = CLASS_NEW;
		else if (entry->tid >= 0 && !(has_waking && !strcmp(name, "sched.wakeup")))
			entry->kind = CLASS_WAKE;
	} else if (call_fields_find(&entry->call, class)) {
		entry->kind = CLASS_CALL;
	} else if (!strcmp(name, "sched.trap")) {
		entry->kind = CLASS_FAULT;
	} else if (!strcmp(name, "disk.complete")) {
		entry->kind = CLASS_DISK;
	}
}

static int find_classes(struct offcpu_report * or)
{
	const struct trace_info *info = or->rows.report.analysis->info;
	bool has_waking = false;

	or->classes = calloc(info->class_count ?: 1, sizeof(* or->classes));
	if (! or->classes)
		return -ENOMEM;
	for (size_t i = 0; i < info->class_count; i++)
		has_waking |= !strcmp(info->classes[i]->name, "sched.waking");
	for (size_t i = 0; i < info->class_count; i++) {
		find_class(& or->classes[i], info->classes[i], info, has_waking);
		or->waits.has_waking |= or->classes[i].kind == CLASS_WAKE;
		if (or->classes[i].kind == CLASS_SWITCH)
			or->last_class = info->classes[i];
	}
	return 0;
}

static const char *env_text(const struct trace_info *info, const char *name)
{
	const struct trace_env *env = trace_info_env(info, name);

	return env ? env->text : NULL;
}

static int find_causes(struct offcpu_report * or)
{
	const struct trace_info *info = or->rows.report.analysis->info;

	or->calls = syscalls_new(env_text(info, "syscalls"), env_text(info, "syscalls_compat"));
	or->causes = calloc(CALL_NUMBERS, sizeof(* or->causes));
	if (! or->calls || ! or->causes)
		return -ENOMEM;
	memset(or->causes, OFF_CAUSE_CALL, CALL_NUMBERS);
	for (size_t i = 0; i < sizeof(call_causes) / sizeof(call_causes[0]); i++) {
		const int nr = syscalls_number(or->calls, false, call_causes[i].name);

		if (nr >= 0 && nr < (int)CALL_NUMBERS)
			or->causes[nr] = (uint8_t)call_causes[i].cause;
	}
	or->waits.causes = or->causes;
	or->waits.cause_count = CALL_NUMBERS;
	return 0;
}

static int find_keys(struct offcpu_report * or, struct diag *diag)
{
	char known[320] = "";
	size_t len = 0;

	for (int k = 0; k < KEY_COUNT; k++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", k ? ", " : "",
					key_names[k]);
	for (size_t i = 0; i < or->rows.grouping.by_count; i++) {
		or->keys[i] = 0;
		while (or->keys[i] < KEY_COUNT &&
				 strcmp(key_names[or->keys[i]], or->rows.grouping.by[i]) != 0)
			or->keys[i]++;
		if (or->keys[i] == KEY_COUNT)
			return diag_set(diag, -ENOENT, "--by: a wait has no '%s'; there are %s",
					or->rows.grouping.by[i], known);
	}
	return 0;
}

static bool is_asked(const struct offcpu_report * or, int key)
{
	for (size_t i = 0; i < or->rows.grouping.by_count; i++) {
		if (or->keys[i] == key)
			return true;
	}
	return or->where && row_where_asks(or->where, (size_t)key);
}

static bool any_has_stack(const struct offcpu_report * or, bool wakes)
{
	const struct trace_info *info = or->rows.report.analysis->info;

	for (size_t i = 0; i < info->class_count; i++) {
		const enum class_kind kind = or->classes[i].kind;

		if ((wakes ? kind == CLASS_WAKE || kind == CLASS_NEW : kind == CLASS_SWITCH) &&
		    (event_class_find(info->classes[i], STACK_KERNEL_STACK) >= 0 ||
		     event_class_find(info->classes[i], STACK_USER_STACK) >= 0))
			return true;
	}
	return false;
}

/* What was asked for has to be there. */
static int find_texts(struct offcpu_report * or, struct diag *diag)
{
	const struct analysis *analysis = or->rows.report.analysis;
	const bool files = is_asked(or, KEY_FILE), stacks = is_asked(or, KEY_STACK),
		   waker_stacks = is_asked(or, KEY_WAKER_STACK);

	if (files && !(derived_known(analysis->info) & 1u << DERIVED_FILE))
		return diag_set(
			diag, -ENOENT,
			"file: the trace does not have all system calls that change descriptors; "
			"record with -p offcpu");
	if (stacks && !any_has_stack(or, false))
		return diag_set(diag, -ENOENT,
				"stack: no sched.switch in the trace has a stack; record with "
				"--stack sched.switch");
	if (waker_stacks && !any_has_stack(or, true))
		return diag_set(
			diag, -ENOENT,
			"waker_stack: no sched.waking in the trace has a stack; record with "
			"--stack sched.waking");
	return wait_texts_init(& or->texts, analysis, files, stacks, waker_stacks) ?
		       diag_set(diag, -ENOMEM, "no memory") :
		       0;
}

static int make_where(struct offcpu_report * or, struct diag *diag)
{
	const char *text = or->rows.grouping.where;
	struct row_column columns[KEY_COUNT + 1];
	int err;

	if (!text)
		return 0;
	for (int key = 0; key < KEY_COUNT; key++)
		columns[key] = (struct row_column){key_names[key], key_kinds[key], NULL};
	columns[KEY_COUNT] = (struct row_column){"wait", EVENT_VALUE_UNSIGNED, "ns"};
	err = row_where_new(text, columns, KEY_COUNT + 1, or->calls, & or->where, diag);
	return err ? diag_prefix(diag, err, "--where") : 0;
}

static int make(const struct analysis *analysis, const struct report_grouping *grouping,
		bool wakers, struct report **ret, struct diag *diag)
{
	struct offcpu_report * or = calloc(1, sizeof(* or));
	int err;

	if (! or)
		return diag_set(diag, -ENOMEM, "no memory");
	or->rows.report.ops = &offcpu_ops;
	or->wakers = wakers;
	err = report_events_init(& or->rows, analysis, grouping);
	err = off_waits_init(& or->waits) ?: err;
	err = err ?: find_classes(or);
	err = err ?: find_causes(or);
	or->waits.ended = count_wait;
	or->waits.ctx = or ;
	if (err)
		(void)diag_set(diag, err, "no memory");
	err = err ?: find_keys(or, diag);
	err = err ?: make_where(or, diag);
	err = err ?: find_texts(or, diag);
	if (err) {
		offcpu_free(& or->rows.report);
		return err;
	}
	*ret = & or->rows.report;
	return 0;
}

int report_offcpu_make(const struct analysis *analysis, const struct report_grouping *grouping,
		       struct report **ret, struct diag *diag)
{
	return make(analysis, grouping, false, ret, diag);
}

int report_wakers_make(const struct analysis *analysis, const struct report_grouping *grouping,
		       struct report **ret, struct diag *diag)
{
	return make(analysis, grouping, true, ret, diag);
}

static int compare_accounts(const void *left, const void *right)
{
	const struct off_account *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

struct off_account *report_offcpu_accounts(const struct offcpu_report * or, size_t *count)
{
	struct off_account *list = calloc(or->waits.tasks.count + 1, sizeof(*list));
	const void *key;
	void *value;
	size_t at = 0;

	*count = 0;
	if (!list)
		return NULL;
	while (map_next(& or->waits.tasks, &at, &key, &value)) {
		const struct off_task *task = value;

		if (task->first_ns)
			list[(*count)++] = (struct off_account){
				.tid = ((const struct off_key *)key)->tid,
				.life_ns = (uint64_t)(task->since_ns - task->first_ns),
				.cpu_ns = task->cpu_ns,
				.off_ns = task->asleep_ns,
				.queued_ns = task->queued_ns,
				.unknown_ns = task->unknown_ns,
			};
	}
	qsort(list, *count, sizeof(*list), compare_accounts);
	return list;
}
