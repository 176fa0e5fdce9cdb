// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_text.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/sample_stats.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/escape.h"
#include "output/cell.h"
#include "output/cpu_tables.h"
#include "output/names.h"
#include "output/stats.h"
#include "output/stats_disks.h"
#include "output/stats_origins.h"
#include "output/stats_rank.h"
#include "output/table.h"
#include "output/view.h"
#include "schema/trace_end.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static uint64_t per_second(uint64_t count, uint64_t duration_ns)
{
	return duration_ns ? (uint64_t)((double)count * (double)NS_PER_SEC / (double)duration_ns) :
			     0;
}

static size_t rows(const struct stats *stats, size_t count)
{
	return stats->options.rows && count > stats->options.rows ? stats->options.rows : count;
}

static void write_summary(const struct stats *stats, struct buffer *out)
{
	uint64_t ns = stats_duration_ns(stats);

	buffer_format(out, "%s event%s in %s", amount_count(stats->events).text,
		      stats->events == 1 ? "" : "s", amount_time(ns).text);
	if (ns)
		buffer_format(out, " (%s/s)", amount_count(per_second(stats->events, ns)).text);
	if (stats->bytes) {
		buffer_format(out, ", %s", amount_size(stats->bytes).text);
		if (ns)
			buffer_format(out, " (%s/s)",
				      amount_size(per_second(stats->bytes, ns)).text);
	}
	buffer_format(out, ", %s lost", amount_count(stats->lost.count).text);
	if (stats->lost.packets)
		buffer_format(out, ", %s packets overwritten",
			      amount_count(stats->lost.packets).text);
	buffer_char(out, '\n');
}

/* Whether the trace is complete. For other formats this is unknown. */
static void write_end(const struct stats *stats, struct buffer *out)
{
	const struct trace_info *info = stats->view->analysis.info;
	const struct trace_env *version = trace_info_env(info, "tracer_version");
	enum trace_end_kind kind = info->end ? info->end->kind : TRACE_END_UNKNOWN;
	const char *text;

	for (size_t i = 0; (text = trace_end_missing(info, i)); i++) {
		char line[512 * ESCAPE_FACTOR + 1];
		char *end = escape_terminal(line, text, strnlen(text, 512));

		*end = '\0';
		buffer_format(out, "%s\n", line);
	}
	if (kind == TRACE_END_OPEN)
		buffer_string(out, "still being recorded\n");
	if (kind == TRACE_END_UNMARKED)
		buffer_format(out, "end not marked: Sonde %s wrote no end marks\n",
			      version && version->text ? version->text : "(unknown version)");
}

static int write_classes(const struct stats *stats, struct buffer *out)
{
	static const char *const titles[] = {"event", "count", "share", "rate/s", "bytes", NULL};
	size_t i, count, shown;
	const struct class_count **list = stats_rank_classes(stats, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	table_init(&table, titles);
	/* Never cut: this table is the contents of the trace. */
	shown = count;
	for (i = 0; i < shown; i++) {
		char name[256];
		char *end = escape_terminal(name, list[i]->class->name,
					    strnlen(list[i]->class->name, 40));

		*end = '\0';
		table_add(&table, "%s", name);
		table_add(&table, "%s", amount_count(list[i]->events).text);
		table_add(&table, "%.1f %%", share(list[i]->events, stats->events));
		table_add(&table, "%s",
			  amount_count(per_second(list[i]->events, stats_duration_ns(stats))).text);
		table_add(&table, "%s", amount_size(list[i]->bytes).text);
	}
	if (count)
		table_finish(&table, out, shown, count);
	else
		table_fini(&table);
	free(list);
	return 0;
}

static void write_losses(const struct stats *stats, struct buffer *out)
{
	static const char *const titles[] = {"lost on",
					     "events",
					     "buffer full",
					     "nested too deep",
					     "program busy",
					     "packets overwritten",
					     NULL};
	struct table table;
	size_t i;

	if (!stats->lost.count && !stats->lost.packets)
		return;
	table_init(&table, titles);
	for (i = 0; i < stats->loss_room; i++) {
		const struct loss_count *loss = &stats->losses[i];

		if (!loss->count && !loss->packets)
			continue;
		if (i)
			table_add(&table, "cpu %zu", i - 1);
		else
			table_add(&table, "any cpu");
		table_add(&table, "%s", amount_count(loss->count).text);
		table_add(&table, "%s",
			  amount_count_or_blank(loss->count - loss->nested - loss->recursion).text);
		table_add(&table, "%s", amount_count_or_blank(loss->nested).text);
		table_add(&table, "%s", amount_count_or_blank(loss->recursion).text);
		table_add(&table, "%s", amount_count_or_blank(loss->packets).text);
	}
	table_finish(&table, out, 0, 0);
}

static int write_tasks(const struct stats *stats, struct buffer *out)
{
	static const char *const titles[] = {"task", "events", "share", "system calls", NULL};
	size_t i, count, shown;
	const struct task_count **list = stats_rank_tasks(stats, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	table_init(&table, titles);
	shown = rows(stats, count);
	for (i = 0; i < shown; i++) {
		cell_task(&table, stats->view->analysis.names, list[i]->tid);
		table_add(&table, "%s", amount_count(list[i]->events).text);
		table_add(&table, "%.1f %%", share(list[i]->events, stats->events));
		table_add(&table, "%s", amount_count_or_blank(task_count_calls(list[i])).text);
	}
	if (count)
		table_finish(&table, out, shown, count);
	else
		table_fini(&table);
	free(list);
	return 0;
}

static int write_running(const struct stats *stats, struct buffer *out)
{
	static const char *const titles[] = {"task by time on a CPU", "time", "of one CPU", NULL};
	size_t i, count, shown;
	const struct task_count **list;
	struct table table;

	if (!stats->tasks.has_switches)
		return 0;
	list = stats_rank_running(stats, &count);
	if (!list)
		return -ENOMEM;
	table_init(&table, titles);
	shown = rows(stats, count);
	for (i = 0; i < shown; i++) {
		cell_task(&table, stats->view->analysis.names, list[i]->tid);
		table_add(&table, "%s", amount_time(list[i]->cpu_ns).text);
		table_add(&table, "%.1f %%", share(list[i]->cpu_ns, stats_duration_ns(stats)));
	}
	if (count)
		table_finish(&table, out, shown, count);
	else
		table_fini(&table);
	free(list);
	return 0;
}

static void add_call(struct table *table, const struct names *names,
		     const struct ranked_call *ranked)
{
	const struct call_count *call = ranked->call;

	cell_call(table, names, ranked->nr, ranked->compat);
	table_add(table, "%s", amount_count(call_count_calls(call)).text);
	table_add(table, "%s", amount_count_or_blank(call->errors).text);
	table_add(table, "%s", amount_time_or_blank(call->total_ns, call->matched).text);
	table_add(table, "%s",
		  amount_time_or_blank(call->matched ? call->total_ns / call->matched : 0,
				       call->matched)
			  .text);
	table_add(table, "%s", amount_time_or_blank(call->max_ns, call->matched).text);
}

static int write_calls(const struct stats *stats, struct buffer *out)
{
	static const char *const titles[] = {"system call", "calls",   "errors", "total",
					     "average",	    "longest", NULL};
	struct names *names = names_new(stats->view->analysis.info, escape_terminal);
	size_t i, count, shown;
	struct ranked_call *list = stats_rank_calls(stats, &count);
	struct table table;
	int err = -ENOMEM;

	if (!names || !list)
		goto out;
	err = 0;
	if (!count)
		goto out;
	table_init(&table, titles);
	shown = rows(stats, count);
	for (i = 0; i < shown; i++)
		add_call(&table, names, &list[i]);
	table_finish(&table, out, shown, count);
out:
	free(list);
	names_free(names);
	return err;
}

/* Three digits that count, without an exponent. */
static int decimals(double value)
{
	return value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
}

/* Least, average, last: three times in one unit, that of the average. */
static void add_srtt(struct table *table, const struct conn_count *conn)
{
	double unit = 1e3, least, average, last;
	const char *name = "us";

	if (!conn->srtt_count) {
		table_add(table, "%s", "");
		return;
	}
	average = (double)conn->srtt_sum_ns / (double)conn->srtt_count;
	if (average >= 1e6) {
		unit = 1e6;
		name = "ms";
	}
	average /= unit;
	least = (double)conn->srtt_min_ns / unit;
	last = (double)conn->srtt_ns / unit;
	table_add(table, "%.*f/%.*f/%.*f %s", decimals(least), least, decimals(average), average,
		  decimals(last), last, name);
}

static void add_state(struct table *table, const struct conn_count *conn)
{
	const char *label = conn->state_field ? field_label(conn->state_field, conn->state) : NULL;
	char text[32 * ESCAPE_FACTOR + 1];

	if (!label) {
		table_add(table, "%s", conn->state_field ? "?" : "");
		return;
	}
	*escape_terminal(text, label, strnlen(label, 32)) = '\0';
	table_add(table, "%s", text);
}

static void add_conn(struct table *table, const struct conn_count *conn)
{
	table_add(table, "%s", conn_id_text(&conn->id).text);
	table_add(table, "%s", amount_count(conn->events).text);
	table_add(table, "%s", amount_size(conn->sent.grown).text);
	table_add(table, "%s", amount_size(conn->received.grown).text);
	table_add(table, "%s", amount_count_or_blank(conn->resent_segments.grown).text);
	add_srtt(table, conn);
	table_add(table, "%s", amount_count_or_blank(conn->cwnd).text);
	add_state(table, conn);
}

static int write_conns(const struct stats *stats, struct buffer *out)
{
	static const char *const titles[] = {"connection", "events", "acked",
					     "recv",	   "resent", "srtt min/avg/last",
					     "cwnd",	   "state",  NULL};
	size_t i, count, shown;
	const struct conn_count **list = stats_rank_conns(stats, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	table_init(&table, titles);
	shown = rows(stats, count);
	for (i = 0; i < shown; i++)
		add_conn(&table, list[i]);
	if (count)
		table_finish(&table, out, shown, count);
	else
		table_fini(&table);
	if (stats->conns.others)
		buffer_format(out, "%s events of other connections\n",
			      amount_count(stats->conns.others).text);
	free(list);
	return 0;
}

const struct report_table stats_functions = {
	.key = "functions",
	.columns = cpu_function_columns,
	.column_count = CPU_FUNCTION_COLUMNS,
	.fill = cpu_function_fill,
};

static int write_functions(const struct stats *stats, struct buffer *out)
{
	struct report_rows list = {0};
	int err = cpu_function_rows(&stats->samples, &list);

	list.shown = rows(stats, list.count);
	if (!err && !list.hidden)
		report_table_text(&stats_functions, &list, out);
	free(list.owned);
	return err;
}

int stats_text_write(const struct stats *stats, struct buffer *out)
{
	int err;

	write_summary(stats, out);
	write_end(stats, out);
	write_losses(stats, out);
	stats_origins_text(stats, stats->options.rows, out);
	err = write_classes(stats, out)						?:
		      write_tasks(stats, out)					?:
		      write_running(stats, out)					?:
		      write_calls(stats, out)					?:
		      stats_disks_text(&stats->disks, stats->options.rows, out) ?:
		      write_conns(stats, out)					?:
		      write_functions(stats, out);
	return err ?: buffer_error(out);
}
