// SPDX-License-Identifier: BSD-2-Clause
/*
 * disk_tables: the report "disk": how long requests waited in the queues of disks, and how long disks took for them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyse/report_disk.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/latency_write.h"
#include "output/report_kind.h"

static const char *const op_names[DISK_OP_COUNT] = {"read", "write", "other"};

static const struct report_column columns[] = {
	{.key = "disk"},
	{.key = "op"},
	{.title = "disk"},
	{.key = "requests", .title = "requests"},
	{.key = "bytes", .title = "bytes"},
	{.key = "errors", .title = "errors"},
	{.key = "direct"},
	{.key = "queue", .use = REPORT_SPREAD},
	{.title = "queued p50"},
	{.title = "p99"},
	{.title = "longest"},
	{.key = "service", .use = REPORT_SPREAD},
	{.title = "served p50"},
	{.title = "p99"},
	{.title = "longest"},
};

static void fill(const struct report_rows *rows, const void *from, struct report_row *row)
{
	static const unsigned int permilles[] = {500, 990, 1000};
	const struct disk_row *disk = from;

	if (from == rows->all) {
		report_row_none(row);
		report_row_none(row);
		report_row_text(row, "(all)");
	} else {
		report_row_text(row, disk->disk->name);
		report_row_text(row, op_names[disk->op]);
		report_row_format(row, "%s %s", disk->disk->name, op_names[disk->op]);
	}
	report_row_count(row, disk->counts->requests);
	report_row_size(row, disk->counts->bytes);
	report_row_count_or_blank(row, disk->counts->errors);
	report_row_count(row, disk->counts->direct);
	report_row_latency(row, &disk->counts->queue);
	report_row_permilles(row, &disk->counts->queue, permilles, 3);
	report_row_latency(row, &disk->counts->service);
	report_row_permilles(row, &disk->counts->service, permilles, 3);
}

static const struct report_table table = {
	.key = "by_disk",
	.columns = columns,
	.column_count = sizeof(columns) / sizeof(columns[0]),
	.fill = fill,
};

static int rows(const struct report *report, struct report_rows *ret)
{
	const struct disk_report *dr = (const struct disk_report *)report;

	ret->list = ret->owned = report_disk_rank(dr, &ret->count);
	ret->bytes = sizeof(struct disk_row);
	ret->all = &dr->all_row;
	return ret->list ? 0 : -ENOMEM;
}

static int disk_summary(const struct report *report, const struct report_options *options,
			struct buffer *out)
{
	const struct disk_report *dr = (const struct disk_report *)report;

	(void)options;
	buffer_format(out, "Disks: %s requests, %s\n", amount_count(dr->all.requests).text,
		      amount_size(dr->all.bytes).text);
	return 0;
}

static void write_notes(const struct disk_report *dr, struct buffer *out)
{
	if (dr->depth.count)
		buffer_format(out, "When one was queued, %.1f waited on average, at most %s.\n",
			      (double)dr->depth.total_ns / (double)dr->depth.count,
			      amount_count(dr->depth.max_ns).text);
	if (dr->all.direct)
		buffer_format(out, "%s the driver took at once: they were never queued.\n",
			      amount_count(dr->all.direct).text);
	if (dr->times.unmatched)
		buffer_format(out, "%s stages of requests fit no other: not timed.\n",
			      amount_count(dr->times.unmatched).text);
}

static void below(const struct report *report, const struct report_options *options,
		  const struct report_rows *ranked, struct buffer *out)
{
	const struct disk_report *dr = (const struct disk_report *)report;
	const struct disk_row *list = ranked->list;
	char title[ESCAPE_FACTOR * DISK_NAME_BYTES + 64];

	write_notes(dr, out);
	latency_write_titled("in the queue, all disks", &dr->all.queue, out);
	latency_write_titled("served, all disks", &dr->all.service, out);
	for (size_t i = 0; options->histograms && i < ranked->shown; i++) {
		const char *name = list[i].disk->name;
		char *end = escape_terminal(title, name, strlen(name));

		(void)snprintf(end, 32, " %s, served", op_names[list[i].op]);
		latency_write_titled(title, &list[i].counts->service, out);
	}
}

static int disk_members(const struct report *report, const struct report_options *options,
			struct json_writer *json)
{
	const struct disk_report *dr = (const struct disk_report *)report;
	const struct report_rows all = {.owner = dr, .all = &dr->all_row};

	(void)options;
	report_row_json(&table, &all, all.all, json);
	json_writer_uint(json, "unmatched", dr->times.unmatched);
	json_writer_uint(json, "waiting_max", dr->depth.count ? dr->depth.max_ns : 0);
	json_writer_uint(json, "waiting_total", dr->depth.total_ns);
	return 0;
}

static const struct report_part parts[] = {{&table, rows, below}};

static const struct report_measure measured[] = {
	{"total", "disk.complete", "total", NULL, MEASURE_SUM | MEASURE_SPREAD | MEASURE_MAX},
	{"bytes", "disk.complete", "bytes", NULL, MEASURE_SUM},
};

static const struct report_measures measures = {
	.events = "disk.complete",
	.counts = "requests",
	.list = measured,
	.count = sizeof(measured) / sizeof(measured[0]),
};

const struct report_kind report_kind_disk = {
	.name = "disk",
	.events = "disk.queue, disk.issue and disk.complete",
	.group = "disk.",
	.new = report_disk_new,
	.summary = disk_summary,
	.members = disk_members,
	.measures = &measures,
	.parts = parts,
	.part_count = 1,
};
