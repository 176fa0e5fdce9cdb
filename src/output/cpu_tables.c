// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpu_tables: the report "cpu": in which states, processes and functions the CPUs were when sampled.
 */
#include "output/cpu_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/report_cpu.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "output/folded.h"
#include "output/report_kind.h"

static const char *const state_names[SAMPLE_STATES] = {"user", "nice", "system", "idle"};

static const struct report_column member_columns[] = {
	{.key = "states.user"},
	{.key = "states.nice"},
	{.key = "states.sys"},
	{.key = "states.idle"},
};

static void fill_member(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct sample_stats *stats = from;

	(void)rows;
	for (size_t i = 0; i < SAMPLE_STATES; i++)
		report_row_count(row, stats->states[i]);
}

const struct report_table cpu_states = {
	.columns = member_columns,
	.column_count = SAMPLE_STATES,
	.fill = fill_member,
};

static const struct report_column state_columns[] = {
	{.key = "state", .title = "state"},
	{.key = "samples", .title = "samples"},
	{.title = "share"},
};

static void fill_state(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct cpu_report *cr = rows->owner;
	const uint64_t *samples = from;

	report_row_text(row, state_names[samples - cr->stats.states]);
	report_row_count(row, *samples);
	report_row_share(row, *samples, cr->stats.samples);
}

static const struct report_table states = {
	.key = "states",
	.flat = true,
	.columns = state_columns,
	.column_count = sizeof(state_columns) / sizeof(state_columns[0]),
	.fill = fill_state,
};

static int state_rows(const struct report *report, struct report_rows *ret)
{
	const struct cpu_report *cr = (const struct cpu_report *)report;
	/* Pointers: which state a row is of follows from where its number is. */
	const uint64_t **list = calloc(SAMPLE_STATES, sizeof(*list));

	for (size_t i = 0; list && i < SAMPLE_STATES; i++)
		list[i] = &cr->stats.states[i];
	ret->list = ret->owned = list;
	ret->count = SAMPLE_STATES;
	ret->most = 0;
	return list ? 0 : -ENOMEM;
}

static const struct report_column process_columns[] = {
	{.key = "pid"},
	{.key = "comm"},
	{.title = "process"},
	{.key = "samples", .title = "samples"},
	{.title = "share"},
	{.title = "about"},
	{.key = "user", .title = "user"},
	{.key = "nice", .title = "nice"},
	{.key = "sys", .title = "system"},
};

static void fill_process(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct cpu_report *cr = rows->owner;
	const struct task_names *names = cr->report.analysis->names;
	const struct process_count *process = from;

	report_row_count(row, process->pid);
	report_row_comm(row, names, (int32_t)process->pid);
	report_row_task(row, names, process->pid ? (int32_t)process->pid : -1);
	report_row_count(row, process->samples);
	report_row_share(row, process->samples, sample_stats_busy(&cr->stats));
	/* As many periods as it was met. */
	report_row_time_if(row, cr->hz ? process->samples * (NS_PER_SEC / cr->hz) : 0, cr->hz);
	for (size_t i = 0; i < SAMPLE_IDLE; i++)
		report_row_count_or_blank(row, process->states[i]);
}

static const struct report_table processes = {
	.key = "by_process",
	.columns = process_columns,
	.column_count = sizeof(process_columns) / sizeof(process_columns[0]),
	.fill = fill_process,
};

static int process_rows(const struct report *report, struct report_rows *ret)
{
	const struct cpu_report *cr = (const struct cpu_report *)report;

	ret->list = ret->owned = sample_stats_rank_processes(&cr->stats, &ret->count);
	ret->hidden = !sample_stats_busy(&cr->stats);
	return ret->list ? 0 : -ENOMEM;
}

const struct report_column cpu_function_columns[CPU_FUNCTION_COLUMNS] = {
	{.title = "function"},
	{.key = "self", .title = "samples"},
	{.title = "share"},
	{.key = "total", .title = "and called", .wide = true},
	{.title = "share", .wide = true},
	{.key = "kernel"},
	{.key = "function"},
	{.key = "module"},
	{.title = "in"},
};

void cpu_function_fill(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct function_count *count = from;
	const uint64_t all = sample_stats_busy(rows->owner);

	report_row_name(row, count->function ?: count->module ? "(no symbol)" : "(not known)");
	report_row_count_or_blank(row, count->self);
	report_row_share(row, count->self, all);
	report_row_count(row, count->total);
	report_row_share(row, count->total, all);
	report_row_bool(row, count->kernel);
	report_row_text(row, count->function);
	report_row_text(row, count->module);
	report_row_name(row, count->kernel ? "kernel" : count->module);
}

int cpu_function_rows(const struct sample_stats *stats, struct report_rows *ret)
{
	ret->owner = stats;
	ret->list = ret->owned = sample_stats_rank_functions(stats, &ret->count);
	ret->hidden = !sample_stats_busy(stats);
	ret->narrow = !stats->stacks;
	return ret->list ? 0 : -ENOMEM;
}

static const struct report_table functions = {
	.key = "by_function",
	.columns = cpu_function_columns,
	.column_count = CPU_FUNCTION_COLUMNS,
	.fill = cpu_function_fill,
};

static int function_rows(const struct report *report, struct report_rows *ret)
{
	return cpu_function_rows(&((const struct cpu_report *)report)->stats, ret);
}

static int cpu_summary(const struct report *report, const struct report_options *options,
		       struct buffer *out)
{
	const struct cpu_report *cr = (const struct cpu_report *)report;
	const struct sample_stats *stats = &cr->stats;

	if (options->folded)
		return folded_write(stats, out);
	buffer_format(out, "CPUs: %s samples", amount_count(stats->samples).text);
	if (cr->hz)
		buffer_format(out, ", %s a second of each", amount_count(cr->hz).text);
	if (stats->missed)
		buffer_format(out, "; %s more were due and not taken",
			      amount_count(stats->missed).text);
	buffer_char(out, '\n');
	if (stats->cut)
		buffer_format(out, "%s stacks are deeper than what was recorded of them.\n",
			      amount_count(stats->cut).text);
	return 0;
}

static int cpu_members(const struct report *report, const struct report_options *options,
		       struct json_writer *json)
{
	const struct cpu_report *cr = (const struct cpu_report *)report;

	(void)options;
	json_writer_uint(json, "samples", cr->stats.samples);
	json_writer_uint(json, "missed", cr->stats.missed);
	json_writer_uint(json, "cut", cr->stats.cut);
	if (cr->hz)
		json_writer_uint(json, "hz", cr->hz);
	report_row_json(&cpu_states, &(struct report_rows){0}, &cr->stats, json);
	return 0;
}

static const struct report_part parts[] = {
	{&states, state_rows, NULL},
	{&processes, process_rows, NULL},
	{&functions, function_rows, NULL},
};

static const struct report_measures measures = {
	.events = "cpu.sample",
	.counts = "samples",
};

const struct report_kind report_kind_cpu = {
	.name = "cpu",
	.events = "cpu.sample",
	.group = "cpu.",
	.new = report_cpu_new,
	.summary = cpu_summary,
	.members = cpu_members,
	.measures = &measures,
	.parts = parts,
	.part_count = sizeof(parts) / sizeof(parts[0]),
};
