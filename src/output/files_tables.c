// SPDX-License-Identifier: BSD-2-Clause
/*
 * files_tables: the report "files", what system calls did with files. Its rows are those of events_tables.
 */
#include "analyse/report_files.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/json_writer.h"
#include "output/report_kind.h"
#include "schema/derived.h"

static const char *const files_by[] = {"file"};

static const struct report_measure measured[FILES_MEASURES] = {
	[FILES_OPENS] = {.name = "opens", .field = "opens", .shows = MEASURE_SUM},
	[FILES_READ] = {.name = "read", .field = "read", .shows = MEASURE_SUM},
	[FILES_WRITTEN] = {.name = "written", .field = "written", .shows = MEASURE_SUM},
	[FILES_DUR] = {.name = "dur",
		       .field = "dur",
		       .shows = MEASURE_SUM | MEASURE_MAX | MEASURE_RANKS},
	[FILES_LOOKUPS] = {.name = "lookups", .field = "lookups", .shows = MEASURE_SUM},
	[FILES_FILLS] = {.name = "fills", .field = "fills", .shows = MEASURE_SUM},
};

static const struct report_measures measures = {
	.counts = "calls",
	.list = measured,
	.count = FILES_MEASURES,
};

static int files_summary(const struct report *report, const struct report_options *options,
			 struct buffer *out)
{
	const struct files_report *files = (const struct files_report *)report;

	(void)options;
	buffer_format(out, "Files: %s calls in %s; %s read, %s written\n",
		      amount_count(files->all_calls).text, amount_time(files->dur_ns).text,
		      amount_size(files->bytes_read).text, amount_size(files->bytes_written).text);
	return 0;
}

static int files_members(const struct report *report, const struct report_options *options,
			 struct json_writer *json)
{
	const struct files_report *files = (const struct files_report *)report;

	json_writer_uint(json, "calls", files->all_calls);
	json_writer_uint(json, "dur_ns", files->dur_ns);
	json_writer_uint(json, "bytes_read", files->bytes_read);
	json_writer_uint(json, "bytes_written", files->bytes_written);
	return report_events_json(report, options, json);
}

static const struct report_part parts[] = {
	{&report_events_table, report_events_rows, report_events_below}};

const struct report_kind report_kind_files = {
	.name = "files",
	.events = "sys.exit or fs.read",
	.group = "sys.",
	.needs = 1u << DERIVED_FILE,
	.only_named = true,
	.make = report_files_make,
	.default_by = files_by,
	.default_count = sizeof(files_by) / sizeof(files_by[0]),
	.measures = &measures,
	.summary = files_summary,
	.members = files_members,
	.parts = parts,
	.part_count = 1,
};
