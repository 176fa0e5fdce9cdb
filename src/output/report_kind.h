/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_kind: how what a model (analyse/report_model.h) has found is shown: sentences, tables, histograms. A new
 * report is a model, a file that describes its tables, a line at the end of this header and one in output/report.c.
 */
#ifndef SONDE_OUTPUT_REPORT_KIND_H
#define SONDE_OUTPUT_REPORT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/report_events.h"
#include "analyse/report_model.h"
#include "output/report_table.h"
#include "schema/origin.h"

struct buffer;
struct diag;
struct json_writer;
struct where;

enum report_form {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
};

/* What was asked of all of them. */
struct report_options {
	enum report_form form;
	bool histograms; /* one for each row too */
	bool packets_given;
	size_t packets; /* whose ways are shown one by one at most, of those that are kept */
	size_t rows; /* of each table at most; 0 = all */
	bool is_by; /* one set of reports for each host or process, as `by` says */
	enum origin_part by;
	/* One row for each combination of values of these fields, in place of the tables of a report. */
	const char *const *group_by;
	size_t group_count; /* 0: no */
	const struct report_measures *measures; /* of "events" */
	const char *sort; /* the column that rows are sorted by; NULL: as each report does */
	bool folded; /* stacks, a line each, in place of all else: only with the report "cpu" */
	struct where *where; /* only events for which it holds are counted; NULL: all; borrowed */
	const char *
		rows_where; /* an expression over the rows of the reports that ask of these (asks_rows); NULL: none */
	uint32_t kinds; /* 1 << number of each that was asked for; 0: all that have something */
};

static inline size_t report_shown(const struct report_options *options, size_t count)
{
	return options->rows && count > options->rows ? options->rows : count;
}

/* Text for people, at most 100 columns wide: 0 or -ENOMEM. */
typedef int report_text_fn(const struct report *report, const struct report_options *options,
			   struct buffer *out);
/* Members of the object that is open. */
typedef int report_json_fn(const struct report *report, const struct report_options *options,
			   struct json_writer *json);

/* A table of a report, in the order of text. Those with a key are in JSON and CSV, too. */
struct report_part {
	const struct report_table *table;
	/* Ranks the rows, all of them: 0 or -ENOMEM. */
	int (*rows)(const struct report *report, struct report_rows *ret);
	/* What stands below the table in text; NULL: nothing. */
	void (*below)(const struct report *report, const struct report_options *options,
		      const struct report_rows *rows, struct buffer *out);
};

struct report_kind {
	const char *name; /* "sched": the operand, and the key in JSON */
	const char *events; /* what it is made of, for messages */
	const char *group; /* what the names of all these begin with */
	uint32_t needs; /* derived values without which these tell it nothing: 1 << enum derived */
	bool each; /* it wants each event with the names of its moment */
	bool only_named; /* not shown unless it was asked for */
	bool asks_rows; /* an expression is asked of its rows, such as waits, and not of the events they are made of */
	const struct report_measures *measures; /* what it shows of each group, if it groups */
	report_new_fn *new;
	/* In place of `new`: a model that groups by itself, whose report is an events_report. */
	int (*make)(const struct analysis *analysis, const struct report_grouping *grouping,
		    struct report **ret, struct diag *diag);
	const char *const *default_by; /* what it groups by if --by does not say */
	size_t default_count;
	report_text_fn *summary; /* what stands before the tables; NULL: nothing */
	report_json_fn *members; /* what is about all rows, before the tables; NULL: nothing */
	const struct report_part *parts;
	size_t part_count;
};

/* The table, the rows, what stands below them, and the members of a report that groups. */
extern const struct report_table report_events_table;
int report_events_rows(const struct report *report, struct report_rows *ret);
void report_events_below(const struct report *report, const struct report_options *options,
			 const struct report_rows *rows, struct buffer *out);
report_json_fn report_events_json;

extern const struct report_kind report_kind_cpu, report_kind_disk, report_kind_drops,
	report_kind_events, report_kind_files, report_kind_layers, report_kind_offcpu,
	report_kind_wakers, report_kind_rx, report_kind_sched, report_kind_syscalls,
	report_kind_tcp;

#endif /* SONDE_OUTPUT_REPORT_KIND_H */
