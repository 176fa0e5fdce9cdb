// SPDX-License-Identifier: BSD-2-Clause
/*
 * syscalls_tables: the report "syscalls": how long system calls took, by call.
 */
#include <errno.h>

#include "analyse/analysis.h"
#include "analyse/report_syscalls.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/names.h"
#include "output/report_kind.h"

static const struct report_column columns[] = {
	{.key = "compat"},
	{.key = "nr"},
	{.key = "name"},
	{.title = "system call"},
	{.key = "calls", .title = "calls"},
	{.key = "errors", .title = "errors"},
	{.key = "unmatched"},
	{.key = "", .use = REPORT_SPREAD},
	{.title = "total"},
	{.title = "p50"},
	{.title = "p90"},
	{.title = "p99"},
	{.title = "longest"},
};

static void fill(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const unsigned int permilles[] = {500, 900, 990, 1000};
	const struct call_row *call = from;

	if (from == rows->all) {
		report_row_skip(row, 3);
		report_row_text(row, "(all)");
	} else {
		report_row_bool(row, call->compat);
		report_row_int_if(row, call->nr, call->nr >= 0);
		report_row_call_name(row, rows->names, call->nr, call->compat);
		report_row_call_title(row, rows->names, call->nr, call->compat);
	}
	report_row_count(row, call->calls);
	report_row_count_or_blank(row, call->errors);
	report_row_count(row, call->unmatched);
	report_row_latency(row, call->latency);
	report_row_time_if(row, call->latency->total_ns, call->latency->count);
	report_row_permilles(row, call->latency, permilles, 4);
}

static const struct report_table table = {
	.key = "by_call",
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.fill = fill,
};

static int rows(const struct report *report, struct report_rows *ret)
{
	const struct syscalls_report *sr = (const struct syscalls_report *)report;

	ret->list = ret->owned = report_syscalls_rank(sr, &ret->count);
	ret->bytes = sizeof(struct call_row);
	ret->all = &sr->all_row;
	ret->names = names_plain_new(report->analysis->info);
	return ret->list && ret->names ? 0 : -ENOMEM;
}

static int syscalls_summary(const struct report *report, const struct report_options *options,
			    struct buffer *out)
{
	const struct syscalls_report *sr = (const struct syscalls_report *)report;

	(void)options;
	buffer_format(out, "System calls: %s timed, %s\n", amount_count(sr->all.count).text,
		      amount_time(sr->all.total_ns).text);
	return 0;
}

static void below(const struct report *report, const struct report_options *options,
		  const struct report_rows *ranked, struct buffer *out)
{
	const struct syscalls_report *sr = (const struct syscalls_report *)report;
	const uint64_t unmatched = sr->all_row.unmatched;
	const struct call_row *list = ranked->list;

	if (unmatched)
		buffer_format(out,
			      "%s beginning%s or end%s of calls without the other: not timed\n",
			      amount_count(unmatched).text, unmatched == 1 ? "" : "s",
			      unmatched == 1 ? "" : "s");
	latency_write_titled("all system calls", &sr->all, out);
	for (size_t i = 0; options->histograms && i < ranked->shown; i++)
		latency_write_titled(
			escape_name(cell_text_call(ranked->names, list[i].nr, list[i].compat).text)
				.text,
			list[i].latency, out);
}

static int syscalls_members(const struct report *report, const struct report_options *options,
			    struct json_writer *json)
{
	const struct syscalls_report *sr = (const struct syscalls_report *)report;
	const struct report_rows all = {.owner = sr, .all = &sr->all_row};

	(void)options;
	report_row_json(&table, &all, all.all, json);
	return 0;
}

static const struct report_part parts[] = {{&table, rows, below}};

static const struct report_measure measured[] = {
	{"errors", "sys.exit", NULL, "ret < 0", MEASURE_COUNT},
	{"dur", "sys.exit", "dur", NULL, MEASURE_SUM | MEASURE_SPREAD | MEASURE_MAX},
};

static const struct report_measures measures = {
	.events = "sys.exit",
	.counts = "calls",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_syscalls = {
	.name = "syscalls",
	.events = "sys.enter and sys.exit",
	.group = "sys.",
	.new = report_syscalls_new,
	.summary = syscalls_summary,
	.members = syscalls_members,
	.measures = &measures,
	.parts = parts,
	.part_count = 1,
};
