// SPDX-License-Identifier: BSD-2-Clause
/*
 * offcpu_tables: the reports "offcpu", what tasks waited for, and "wakers", who ended it. Their rows are those of
 * events_tables; beside them, in JSON, where all time of each task went.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/report_offcpu.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report_kind.h"

static const char *const offcpu_by[] = {"comm", "tid", "cause", "call"};
static const char *const wakers_by[] = {"waker_comm", "waker", "comm", "tid"};

static const struct report_measure measured[] = {
	{.name = "wait",
	 .field = "wait",
	 .shows = MEASURE_SUM | MEASURE_SHARE | MEASURE_SPREAD | MEASURE_MAX},
};

static const struct report_measures measures = {.counts = "waits", .list = measured, .count = 1};

static int offcpu_summary(const struct report *report, const struct report_options *options,
			  struct buffer *out)
{
	const struct offcpu_report *offcpu = (const struct offcpu_report *)report;

	(void)options;
	buffer_format(out, "Off-CPU: %s asleep", amount_time(offcpu->off_ns).text);
	if (offcpu->waits.has_waking && !offcpu->wakers)
		buffer_format(out, ", %s in run queues", amount_time(offcpu->queued_ns).text);
	if (offcpu->unknown_ns)
		buffer_format(out, ", %s unknown", amount_time(offcpu->unknown_ns).text);
	buffer_char(out, '\n');
	if (!offcpu->waits.has_waking)
		buffer_string(out, "No sched.waking: waits include the time in run queues, and who "
				   "ended them is not known\n");
	return 0;
}

static int offcpu_members(const struct report *report, const struct report_options *options,
			  struct json_writer *json)
{
	const struct offcpu_report *offcpu = (const struct offcpu_report *)report;
	struct off_account *list;
	size_t count;

	json_writer_uint(json, "off_ns", offcpu->off_ns);
	json_writer_uint(json, "run_queue_ns", offcpu->queued_ns);
	json_writer_uint(json, "unknown_ns", offcpu->unknown_ns);
	list = report_offcpu_accounts(offcpu, &count);
	if (!list)
		return -ENOMEM;
	json_writer_array(json, "tasks");
	for (size_t i = 0; i < count; i++) {
		json_writer_object(json, NULL);
		json_writer_int(json, "tid", list[i].tid);
		json_writer_uint(json, "life_ns", list[i].life_ns);
		json_writer_uint(json, "cpu_ns", list[i].cpu_ns);
		json_writer_uint(json, "off_ns", list[i].off_ns);
		json_writer_uint(json, "run_queue_ns", list[i].queued_ns);
		json_writer_uint(json, "unknown_ns", list[i].unknown_ns);
		json_writer_end(json);
	}
	json_writer_end(json);
	free(list);
	return report_events_json(report, options, json);
}

static const struct report_part parts[] = {
	{&report_events_table, report_events_rows, report_events_below}};

const struct report_kind report_kind_offcpu = {
	.name = "offcpu",
	.events = "sched.switch",
	.group = "sched.",
	.only_named = true,
	.asks_rows = true,
	.make = report_offcpu_make,
	.default_by = offcpu_by,
	.default_count = sizeof(offcpu_by) / sizeof(offcpu_by[0]),
	.measures = &measures,
	.summary = offcpu_summary,
	.members = offcpu_members,
	.parts = parts,
	.part_count = 1,
};

const struct report_kind report_kind_wakers = {
	.name = "wakers",
	.events = "sched.switch",
	.group = "sched.",
	.only_named = true,
	.asks_rows = true,
	.make = report_wakers_make,
	.default_by = wakers_by,
	.default_count = sizeof(wakers_by) / sizeof(wakers_by[0]),
	.measures = &measures,
	.summary = offcpu_summary,
	.members = offcpu_members,
	.parts = parts,
	.part_count = 1,
};
