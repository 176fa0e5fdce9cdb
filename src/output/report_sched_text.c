// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_sched_text.h"

#include <errno.h>
#include <stdlib.h>

#include "base/amount.h"
#include "base/buffer.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/report_sched.h"
#include "output/table.h"
#include "output/view.h"

/* What stands behind the name of a task. */
static void add_waiting(struct table *table, const struct task_wait *wait)
{
	static const unsigned int asked[] = {500, 900, 990};
	bool known = task_wait_woken(wait);
	size_t i;

	table_add(table, "%s", amount_count_or_blank(task_wait_woken(wait)).text);
	table_add(table, "%s", amount_time_or_blank(task_wait_woken_ns(wait), known).text);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		table_add(table, "%s",
			  known ? amount_time(latency_percentile(wait->woken, asked[i])).text : "");
	table_add(table, "%s", known ? amount_time(wait->woken->max_ns).text : "");
	table_add(table, "%s", amount_count_or_blank(wait->preempted).text);
	table_add(table, "%s", amount_time_or_blank(wait->preempted_ns, wait->preempted).text);
}

/* With the task that it is most about: the recorder's own wakeups, for one, are in no trace. */
static void write_unmatched(const struct sched_report *sr, const struct ranked_wait *list,
			    size_t count, struct buffer *out)
{
	const struct ranked_wait *most = list;
	uint64_t times = sr->all.unmatched;
	size_t i;

	if (!times)
		return;
	for (i = 1; i < count; i++)
		if (list[i].wait->unmatched > most->wait->unmatched)
			most = &list[i];
	buffer_format(out, "%s time%s since when a task had waited is not known: not counted",
		      amount_count(times).text, times == 1 ? "" : "s");
	buffer_format(out, " (%s of %s)\n", amount_count(most->wait->unmatched).text,
		      cell_text_task(sr->report.view->analysis.names, most->tid).text);
}

static int write_waiting(const struct sched_report *sr, const struct report_options *options,
			 struct buffer *out)
{
	static const char *const titles[] = {"task by time waiting",
					     "woken",
					     "waited",
					     "p50",
					     "p90",
					     "p99",
					     "longest",
					     "preempted",
					     "waited",
					     NULL};
	size_t i, count, shown;
	struct ranked_wait *list = report_sched_rank_waiting(sr, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	shown = report_rows(options, count);
	table_init(&table, titles);
	table_add(&table, "(all)");
	add_waiting(&table, &sr->all);
	for (i = 0; i < shown; i++) {
		cell_task(&table, sr->report.view->analysis.names, list[i].tid);
		add_waiting(&table, list[i].wait);
	}
	table_finish(&table, out, shown, count);
	write_unmatched(sr, list, count, out);
	free(list);
	return 0;
}

static void add_cpus(struct table *table, const struct cpu_set *cpus)
{
	struct buffer text;

	buffer_init(&text);
	cpu_set_write(cpus, &text);
	table_add(table, "%.*s", (int)text.len, text.len ? text.data : "");
	buffer_fini(&text);
}

static void add_running(struct table *table, const struct task_wait *wait, uint64_t cpu_ns,
			uint64_t duration_ns)
{
	double share = duration_ns ? 100.0 * (double)cpu_ns / (double)duration_ns : 0;

	table_add(table, "%s", amount_time(cpu_ns).text);
	table_add(table, "%.1f %%", share);
	table_add(table, "%s", amount_count(wait->voluntary + wait->involuntary).text);
	table_add(table, "%s", amount_count_or_blank(wait->voluntary).text);
	table_add(table, "%s", amount_count_or_blank(wait->involuntary).text);
	add_cpus(table, &wait->cpus);
}

static int write_running(const struct sched_report *sr, const struct report_options *options,
			 struct buffer *out)
{
	static const char *const titles[] = {
		"task by time on a CPU", "time", "of one CPU", "switches", "voluntary",
		"involuntary",		 "CPUs", NULL};
	uint64_t duration_ns = (uint64_t)sr->span.end_ns - (uint64_t)sr->span.begin_ns;
	size_t i, count, shown;
	struct ranked_wait *list = report_sched_rank_running(sr, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	shown = report_rows(options, count);
	table_init(&table, titles);
	table_add(&table, "(all)");
	add_running(&table, &sr->all, sr->cpu_ns, duration_ns);
	for (i = 0; i < shown; i++) {
		cell_task(&table, sr->report.view->analysis.names, list[i].tid);
		add_running(&table, list[i].wait, list[i].cpu_ns, duration_ns);
	}
	table_finish(&table, out, shown, count);
	free(list);
	return 0;
}

static void write_histogram(const char *title, const struct latency *latency, struct buffer *out)
{
	if (latency->count)
		buffer_format(out, "\n%s\n", title);
	latency_write_text(latency, out);
}

/* One for each task of the table of those that wait. */
static int write_histograms(const struct sched_report *sr, const struct report_options *options,
			    struct buffer *out)
{
	size_t i, count;
	struct ranked_wait *list = report_sched_rank_waiting(sr, &count);

	if (!list)
		return -ENOMEM;
	for (i = 0; i < report_rows(options, count); i++)
		if (list[i].wait->woken)
			write_histogram(
				cell_text_task(sr->report.view->analysis.names, list[i].tid).text,
				list[i].wait->woken, out);
	free(list);
	return 0;
}

/* "5 waits of woken tasks, 1.2 ms" */
static void write_waits(struct buffer *out, const struct latency *latency, const char *whose)
{
	buffer_format(out, "%s wait%s of %s tasks, %s", amount_count(latency->count).text,
		      latency->count == 1 ? "" : "s", whose, amount_time(latency->total_ns).text);
}

static void write_summary(const struct sched_report *sr, struct buffer *out)
{
	buffer_string(out, "Scheduler: ");
	write_waits(out, &sr->woken, "woken");
	buffer_string(out, "; ");
	write_waits(out, &sr->waits.preempted, "preempted");
	buffer_char(out, '\n');
}

int report_sched_text(const struct report *report, const struct report_options *options,
		      struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	int err;

	write_summary(sr, out);
	err = write_waiting(sr, options, out);
	if (err)
		return err;
	write_histogram("from wakeup to running, all tasks", &sr->woken, out);
	write_histogram("from preemption to running, all tasks", &sr->waits.preempted, out);
	err = write_running(sr, options, out);
	return err || !options->histograms ? err : write_histograms(sr, options, out);
}
