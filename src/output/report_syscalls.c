// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_syscalls.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/call_stats.h"
#include "analyse/latency.h"
#include "analyse/task_stats.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/cell.h"
#include "output/json_field.h"
#include "output/latency_write.h"
#include "output/names.h"
#include "output/table.h"
#include "output/view.h"

#define CALLS (2 * (CALL_NUMBERS + 1))

enum class_kind {
	CLASS_OTHER, /* or not to be shown */
	CLASS_CALL,
	CLASS_LOST,
};

struct class_entry {
	enum class_kind kind;
	struct call_fields call;
};

struct syscalls_report {
	struct report report;
	struct class_entry *classes; /* by event_class.index */
	struct task_stats tasks; /* the call that each task is in */
	struct call_stats calls;
	struct latency *latencies[CALLS]; /* of each of calls.calls; NULL: none ended */
	struct latency all; /* at the end */
	struct latency spare; /* of calls without memory */
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
		const struct class_entry *entry = &sr->classes[events[i].class->index];

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

static void syscalls_end(struct report *report, const struct report_span *span)
{
	struct syscalls_report *sr = (struct syscalls_report *)report;
	size_t i;

	(void)span;
	for (i = 0; i < CALLS; i++)
		if (sr->latencies[i])
			latency_merge(&sr->all, sr->latencies[i]);
	latency_merge(&sr->all, &sr->spare);
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

static struct ranked_call *rank_calls(const struct syscalls_report *sr, size_t *count)
{
	struct ranked_call *list = call_stats_list(&sr->calls, count);

	if (list)
		qsort(list, *count, sizeof(*list), compare_calls);
	return list;
}

/* The totals of one call, and of all together. */
struct call_totals {
	uint64_t calls;
	uint64_t errors;
	uint64_t unmatched;
};

static struct call_totals totals_of(const struct call_count *call)
{
	return (struct call_totals){call_count_calls(call), call->errors,
				    call_count_unmatched(call)};
}

static struct call_totals add_up(const struct ranked_call *list, size_t count)
{
	struct call_totals all = {0}, one;
	size_t i;

	for (i = 0; i < count; i++) {
		one = totals_of(list[i].call);
		all.calls += one.calls;
		all.errors += one.errors;
		all.unmatched += one.unmatched;
	}
	return all;
}

static const struct latency *latency_get(const struct syscalls_report *sr,
					 const struct ranked_call *ranked)
{
	static const struct latency none;

	return sr->latencies[ranked->call - sr->calls.calls[0]] ?: &none;
}

/* What stands behind the name. */
static void add_cells(struct table *table, struct call_totals totals, const struct latency *latency)
{
	bool known = latency->count;

	table_add(table, "%s", amount_count(totals.calls).text);
	table_add(table, "%s", amount_count_or_blank(totals.errors).text);
	table_add(table, "%s", amount_time_or_blank(latency->total_ns, known).text);
	table_add(table, "%s", amount_time_or_blank(latency_percentile(latency, 500), known).text);
	table_add(table, "%s", amount_time_or_blank(latency_percentile(latency, 900), known).text);
	table_add(table, "%s", amount_time_or_blank(latency_percentile(latency, 990), known).text);
	table_add(table, "%s", amount_time_or_blank(latency->max_ns, known).text);
}

static void write_histograms(const struct syscalls_report *sr, const struct names *names,
			     const struct ranked_call *list, size_t count, struct buffer *out)
{
	const struct latency *latency;
	size_t i;

	for (i = 0; i < count; i++) {
		latency = latency_get(sr, &list[i]);
		if (!latency->count)
			continue;
		buffer_format(out, "\n%s\n",
			      cell_text_call(names, list[i].nr, list[i].compat).text);
		latency_write_text(latency, out);
	}
}

static void write_unmatched(uint64_t count, struct buffer *out)
{
	if (count)
		buffer_format(out,
			      "%s beginning%s or end%s of calls without the other: not timed\n",
			      amount_count(count).text, count == 1 ? "" : "s",
			      count == 1 ? "" : "s");
}

static void write_table(const struct syscalls_report *sr, const struct names *names,
			const struct ranked_call *list, size_t count, size_t shown,
			struct buffer *out)
{
	static const char *const titles[] = {"system call", "calls", "errors",	"total", "p50",
					     "p90",	    "p99",   "longest", NULL};
	struct call_totals all = add_up(list, count);
	struct table table;
	size_t i;

	table_init(&table, titles);
	table_add(&table, "(all)");
	add_cells(&table, all, &sr->all);
	for (i = 0; i < shown; i++) {
		cell_call(&table, names, list[i].nr, list[i].compat);
		add_cells(&table, totals_of(list[i].call), latency_get(sr, &list[i]));
	}
	table_finish(&table, out, shown, count);
	write_unmatched(all.unmatched, out);
}

int report_syscalls_text(const struct report *report, const struct report_options *options,
			 struct buffer *out)
{
	const struct syscalls_report *sr = (const struct syscalls_report *)report;
	struct names *names = names_new(report->view->analysis.info, escape_terminal);
	size_t count, shown;
	struct ranked_call *list = rank_calls(sr, &count);
	int err = -ENOMEM;

	if (!names || !list)
		goto out;
	shown = report_rows(options, count);
	buffer_format(out, "System calls: %s timed, %s\n", amount_count(sr->all.count).text,
		      amount_time(sr->all.total_ns).text);
	write_table(sr, names, list, count, shown, out);
	if (sr->all.count)
		buffer_string(out, "\nall system calls\n");
	latency_write_text(&sr->all, out);
	if (options->histograms)
		write_histograms(sr, names, list, shown, out);
	err = 0;
out:
	free(list);
	names_free(names);
	return err;
}

static void put_counts(struct json_writer *json, struct call_totals totals,
		       const struct latency *latency)
{
	json_writer_uint(json, "calls", totals.calls);
	json_writer_uint(json, "errors", totals.errors);
	json_writer_uint(json, "unmatched", totals.unmatched);
	latency_write_json(latency, json);
}

static void put_call(const struct syscalls_report *sr, const struct names *names,
		     const struct ranked_call *ranked, struct json_writer *json)
{
	json_writer_object(json, NULL);
	json_writer_bool(json, "compat", ranked->compat);
	if (ranked->nr >= 0)
		json_writer_int(json, "nr", ranked->nr);
	json_field_name(json, "name", names_call(names, ranked->compat, ranked->nr));
	put_counts(json, totals_of(ranked->call), latency_get(sr, ranked));
	json_writer_end(json);
}

int report_syscalls_json(const struct report *report, const struct report_options *options,
			 struct json_writer *json)
{
	const struct syscalls_report *sr = (const struct syscalls_report *)report;
	struct names *names = names_new(report->view->analysis.info, escape_json);
	struct call_totals all;
	size_t i, count;
	struct ranked_call *list = rank_calls(sr, &count);
	int err = -ENOMEM;

	if (!names || !list)
		goto out;
	all = add_up(list, count);
	put_counts(json, all, &sr->all);
	json_writer_array(json, "by_call");
	for (i = 0; i < report_rows(options, count); i++)
		put_call(sr, names, &list[i], json);
	json_writer_end(json);
	err = 0;
out:
	free(list);
	names_free(names);
	return err;
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

static void class_entry_init(struct class_entry *entry, const struct event_class *class,
			     const struct view *view)
{
	if (class->role == EVENT_ROLE_LOST)
		entry->kind = CLASS_LOST;
	else if (select_shows(view->analysis.select, class) &&
		 call_fields_find(&entry->call, class))
		entry->kind = CLASS_CALL;
}

struct report *report_syscalls_new(const struct view *view)
{
	struct syscalls_report *sr = calloc(1, sizeof(*sr));
	size_t i;

	if (!sr)
		return NULL;
	sr->report = (struct report){.ops = &syscalls_ops, .view = view};
	sr->classes = calloc(view->analysis.info->class_count ?: 1, sizeof(*sr->classes));
	if (task_stats_init(&sr->tasks) || !sr->classes) {
		syscalls_free(&sr->report);
		return NULL;
	}
	for (i = 0; i < view->analysis.info->class_count; i++)
		class_entry_init(&sr->classes[i], view->analysis.info->classes[i], view);
	return &sr->report;
}
