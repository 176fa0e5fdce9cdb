// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_syscalls.h"

#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/call_stats.h"
#include "analyse/latency.h"
#include "analyse/task_stats.h"

#define CALLS REPORT_SYSCALLS_CALLS

enum class_kind {
	CLASS_OTHER, /* or not to be shown */
	CLASS_CALL,
	CLASS_LOST,
};

struct syscalls_class {
	enum class_kind kind;
	struct call_fields call;
};

/* The two lie in parallel. */
static struct latency **latency_of(struct syscalls_report *sr, const struct call_count *call)
{
	return &sr->latencies[call - sr->calls.calls[0]];
}

static void count_call(struct syscalls_report *sr, const struct call_fields *fields,
		       const struct event *event)
{
	struct task_count *task = task_stats_at(&sr->tasks, event->tid);
	struct call_end end = call_stats_count(&sr->calls, fields, task, sr->tasks.epoch, event);
	struct latency **latency;

	sr->report.events += !sr->calls.learning || end.call;
	if (!end.call)
		return;
	latency = latency_of(sr, end.call);
	if (__builtin_expect(!*latency, 0))
		*latency = calloc(1, sizeof(**latency));
	latency_add(*latency ?: &sr->spare, end.ns);
}

static void syscalls_batch(struct report *report, const struct event *events, size_t count)
{
	struct syscalls_report *sr = (struct syscalls_report *)report;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct syscalls_class *entry = &sr->classes[events[i].class->index];

		if (entry->kind == CLASS_CALL)
			count_call(sr, &entry->call, &events[i]);
		else if (__builtin_expect(entry->kind == CLASS_LOST, 0))
			task_stats_lose(&sr->tasks, events[i].cpu);
	}
}

static void syscalls_learn(struct report *report, const struct event *events, size_t count)
{
	struct syscalls_report *sr = (struct syscalls_report *)report;

	sr->calls.learning = true;
	syscalls_batch(report, events, count);
	sr->calls.learning = false;
}

static void add_up(struct call_row *all, const struct call_count *call)
{
	all->calls += call_count_calls(call);
	all->errors += call->errors;
	all->unmatched += call_count_unmatched(call);
}

static void syscalls_end(struct report *report, const struct report_span *span)
{
	struct syscalls_report *sr = (struct syscalls_report *)report;
	size_t i;

	(void)span;
	for (i = 0; i < CALLS; i++)
		if (sr->latencies[i])
			latency_merge(&sr->all, sr->latencies[i]);
	latency_merge(&sr->all, &sr->spare);
	sr->all_row.latency = &sr->all;
	for (i = 0; i < CALLS; i++)
		add_up(&sr->all_row,
		       &sr->calls.calls[i / (CALL_NUMBERS + 1)][i % (CALL_NUMBERS + 1)]);
}

/* Where the most time went first. */
static int compare_calls(const void *left, const void *right)
{
	const struct ranked_call *a = left, *b = right;

	if (a->call->total_ns != b->call->total_ns)
		return a->call->total_ns > b->call->total_ns ? -1 : 1;
	if (call_count_calls(a->call) != call_count_calls(b->call))
		return call_count_calls(a->call) > call_count_calls(b->call) ? -1 : 1;
	return a->call < b->call ? -1 : 1;
}

static struct call_row row_of(const struct syscalls_report *sr, const struct ranked_call *ranked)
{
	static const struct latency none;

	return (struct call_row){
		.nr = ranked->nr,
		.compat = ranked->compat,
		.calls = call_count_calls(ranked->call),
		.errors = ranked->call->errors,
		.unmatched = call_count_unmatched(ranked->call),
		.latency = sr->latencies[ranked->call - sr->calls.calls[0]] ?: &none,
	};
}

struct call_row *report_syscalls_rank(const struct syscalls_report *sr, size_t *count)
{
	struct ranked_call *list = call_stats_list(&sr->calls, count);
	struct call_row *rows = list ? calloc(*count + 1, sizeof(*rows)) : NULL;

	if (rows) {
		qsort(list, *count, sizeof(*list), compare_calls);
		for (size_t i = 0; i < *count; i++)
			rows[i] = row_of(sr, &list[i]);
	}
	free(list);
	return rows;
}

static void syscalls_free(struct report *report)
{
	struct syscalls_report *sr = (struct syscalls_report *)report;
	size_t i;

	for (i = 0; i < CALLS; i++)
		free(sr->latencies[i]);
	task_stats_fini(&sr->tasks);
	free(sr->classes);
	free(sr);
}

static const struct report_ops syscalls_ops = {
	syscalls_batch,
	syscalls_learn,
	syscalls_end,
	syscalls_free,
};

static void class_entry_init(struct syscalls_class *entry, const struct event_class *class,
			     const struct analysis *analysis)
{
	if (class->role == EVENT_ROLE_LOST)
		entry->kind = CLASS_LOST;
	else if (select_shows(analysis->select, class) && call_fields_find(&entry->call, class))
		entry->kind = CLASS_CALL;
}

struct report *report_syscalls_new(const struct analysis *analysis)
{
	struct syscalls_report *sr = calloc(1, sizeof(*sr));
	size_t i;

	if (!sr)
		return NULL;
	sr->report = (struct report){.ops = &syscalls_ops, .analysis = analysis};
	sr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*sr->classes));
	if (task_stats_init(&sr->tasks) || !sr->classes) {
		syscalls_free(&sr->report);
		return NULL;
	}
	for (i = 0; i < analysis->info->class_count; i++)
		class_entry_init(&sr->classes[i], analysis->info->classes[i], analysis);
	return &sr->report;
}
