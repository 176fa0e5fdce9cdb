// SPDX-License-Identifier: BSD-2-Clause
/*
 * sched_tables: the report "sched": how long tasks waited for a CPU, and what they did with it.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/report_sched.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/report_kind.h"

static const struct latency none;

static void put_cpus(const void *from, const char *key, struct json_writer *json)
{
	int32_t cpu = -1;

	json_writer_array(json, key);
	while ((cpu = cpu_set_next(from, cpu)) >= 0)
		json_writer_int(json, NULL, cpu);
	json_writer_end(json);
}

static void put_preempted(const void *from, const char *key, struct json_writer *json)
{
	const struct task_wait *wait = from;

	json_writer_object(json, key);
	json_writer_uint(json, "count", wait->preempted);
	json_writer_uint(json, "total_ns", wait->preempted_ns);
	if (wait->preempted)
		json_writer_uint(json, "max_ns", wait->preempted_max_ns);
	json_writer_end(json);
}

static const struct report_column waiting_columns[] = {
	{.key = "tid"},
	{.key = "comm"},
	{.title = "task by time waiting"},
	{.key = "cpu_ns"},
	{.key = "switches"},
	{.key = "voluntary"},
	{.key = "involuntary"},
	{.key = "cpus", .use = REPORT_NESTED},
	{.key = "unmatched"},
	{.key = "woken", .use = REPORT_SPREAD},
	{.title = "woken"},
	{.title = "waited"},
	{.title = "p50"},
	{.title = "p90"},
	{.title = "p99"},
	{.title = "longest"},
	{.key = "preempted", .use = REPORT_NESTED},
	{.key = "preempted_count", .title = "preempted", .use = REPORT_FLAT},
	{.key = "preempted_total_ns", .title = "waited", .use = REPORT_FLAT},
};

static void fill_task(const struct report_rows *rows, const struct ranked_wait *ranked,
		      struct report_row *row)
{
	const struct sched_report *sr = rows->owner;
	const struct task_names *names = sr->report.analysis->names;

	report_row_int_if(row, ranked->tid, ranked->tid >= 0);
	report_row_comm(row, names, ranked->tid);
	if (ranked == rows->all)
		report_row_text(row, "(all)");
	else
		report_row_task(row, names, ranked->tid);
}

static void fill_waiting(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const unsigned int permilles[] = {500, 900, 990, 1000};
	const struct sched_report *sr = rows->owner;
	const struct ranked_wait *ranked = from;
	const struct task_wait *wait = ranked->wait;

	fill_task(rows, ranked, row);
	report_row_time(row, ranked->cpu_ns);
	report_row_count(row, wait->voluntary + wait->involuntary);
	report_row_count(row, wait->voluntary);
	report_row_count(row, wait->involuntary);
	report_row_nested(row, put_cpus, &wait->cpus);
	report_row_count(row, wait->unmatched);
	report_row_latency(row, wait->woken ?: &none);
	report_row_count_or_blank(row, task_wait_woken(wait));
	report_row_time_if(row, task_wait_woken_ns(wait), task_wait_woken(wait));
	report_row_permilles(row, wait->woken ?: &none, permilles, 4);
	if (ranked == rows->all)
		report_row_nested(row, report_nested_latency, &sr->waits.preempted);
	else
		report_row_nested(row, put_preempted, wait);
	report_row_count_or_blank(row, wait->preempted);
	report_row_time_if(row, wait->preempted_ns, wait->preempted);
}

static const struct report_table waiting = {
	.key = "tasks",
	.columns = waiting_columns,
	.column_count = sizeof(waiting_columns) / sizeof(waiting_columns[0]),
	.fill = fill_waiting,
};

static const struct report_column running_columns[] = {
	{.key = NULL},
	{.key = NULL},
	{.title = "task by time on a CPU"},
	{.title = "time"},
	{.title = "of one CPU"},
	{.title = "switches"},
	{.title = "voluntary"},
	{.title = "involuntary"},
	{.title = "CPUs"},
};

static void fill_running(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct sched_report *sr = rows->owner;
	const struct ranked_wait *ranked = from;
	const struct task_wait *wait = ranked->wait;
	struct buffer cpus;

	fill_task(rows, ranked, row);
	report_row_time(row, ranked->cpu_ns);
	report_row_share(row, ranked->cpu_ns,
			 (uint64_t)sr->span.end_ns - (uint64_t)sr->span.begin_ns);
	report_row_count(row, wait->voluntary + wait->involuntary);
	report_row_count_or_blank(row, wait->voluntary);
	report_row_count_or_blank(row, wait->involuntary);
	buffer_init(&cpus);
	cpu_set_write(&wait->cpus, &cpus);
	report_row_format(row, "%.*s", (int)cpus.len, cpus.len ? cpus.data : "");
	buffer_fini(&cpus);
}

static const struct report_table running = {
	.columns = running_columns,
	.column_count = sizeof(running_columns) / sizeof(running_columns[0]),
	.fill = fill_running,
};

static int take(const struct sched_report *sr, struct ranked_wait *list, struct report_rows *ret)
{
	ret->list = ret->owned = list;
	ret->bytes = sizeof(*list);
	ret->all = &sr->all_ranked;
	return list ? 0 : -ENOMEM;
}

static int waiting_rows(const struct report *report, struct report_rows *ret)
{
	const struct sched_report *sr = (const struct sched_report *)report;

	return take(sr, report_sched_rank_waiting(sr, &ret->count), ret);
}

static int running_rows(const struct report *report, struct report_rows *ret)
{
	const struct sched_report *sr = (const struct sched_report *)report;

	return take(sr, report_sched_rank_running(sr, &ret->count), ret);
}

/* With the task that it is most about: the recorder's own wakeups, for one, are in no trace. */
static void write_unmatched(const struct sched_report *sr, const struct ranked_wait *list,
			    size_t count, struct buffer *out)
{
	const struct ranked_wait *most = list;
	uint64_t times = sr->all.unmatched;

	if (!times)
		return;
	for (size_t i = 1; i < count; i++)
		if (list[i].wait->unmatched > most->wait->unmatched)
			most = &list[i];
	buffer_format(out, "%s time%s since when a task had waited is not known: not counted",
		      amount_count(times).text, times == 1 ? "" : "s");
	buffer_format(out, " (%s of %s)\n", amount_count(most->wait->unmatched).text,
		      cell_text_task(sr->report.analysis->names, most->tid).text);
}

static void below_waiting(const struct report *report, const struct report_options *options,
			  const struct report_rows *rows, struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;

	(void)options;
	write_unmatched(sr, rows->list, rows->count, out);
	latency_write_titled("from wakeup to running, all tasks", &sr->woken, out);
	latency_write_titled("from preemption to running, all tasks", &sr->waits.preempted, out);
}

/* A histogram for each task of the table of those that wait. */
static void below_running(const struct report *report, const struct report_options *options,
			  const struct report_rows *rows, struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	struct ranked_wait *list;
	size_t count;

	(void)rows;
	if (!options->histograms)
		return;
	list = report_sched_rank_waiting(sr, &count);
	if (!list)
		out->err = -ENOMEM;
	for (size_t i = 0; list && i < report_shown(options, count); i++)
		if (list[i].wait->woken)
			latency_write_titled(
				cell_text_task(sr->report.analysis->names, list[i].tid).text,
				list[i].wait->woken, out);
	free(list);
}

/* "5 waits of woken tasks, 1.2 ms" */
static void write_waits(struct buffer *out, const struct latency *latency, const char *whose)
{
	buffer_format(out, "%s wait%s of %s tasks, %s", amount_count(latency->count).text,
		      latency->count == 1 ? "" : "s", whose, amount_time(latency->total_ns).text);
}

static int sched_summary(const struct report *report, const struct report_options *options,
			 struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;

	(void)options;
	buffer_string(out, "Scheduler: ");
	write_waits(out, &sr->woken, "woken");
	buffer_string(out, "; ");
	write_waits(out, &sr->waits.preempted, "preempted");
	buffer_char(out, '\n');
	return 0;
}

static int sched_members(const struct report *report, const struct report_options *options,
			 struct json_writer *json)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	const struct report_rows rows = {.owner = sr, .all = &sr->all_ranked};

	(void)options;
	report_row_json(&waiting, &rows, rows.all, json);
	return 0;
}

static const struct report_part parts[] = {
	{&waiting, waiting_rows, below_waiting},
	{&running, running_rows, below_running},
};

static const struct report_measure measured[] = {
	{"wait", "sched.switch", "wait", NULL, MEASURE_SUM | MEASURE_SPREAD | MEASURE_MAX},
};

static const struct report_measures measures = {
	.events = "sched.switch",
	.counts = "switches",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_sched = {
	.name = "sched",
	.events = "sched.switch and wakeups",
	.group = "sched.",
	.new = report_sched_new,
	.summary = sched_summary,
	.members = sched_members,
	.measures = &measures,
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
};
