/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_kind: what a report is to output/report: a new one is a file that fills these, and a line in
 * the table there. Reports get every event that passes, in batches, and choose by its class, for
 * which they look up once what it means to them.
 */
#ifndef SONDE_OUTPUT_REPORT_KIND_H
#define SONDE_OUTPUT_REPORT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/origin.h"

struct buffer;
struct event;
struct json_writer;
struct report;
struct view;
struct where;

/* What was asked of all of them. */
struct report_options {
	bool json;
	bool histograms; /* one for each row too */
	bool packets_given;
	size_t packets; /* whose ways are shown one by one at most, of those that are kept */
	size_t rows; /* of each table at most; 0 = all */
	bool is_by; /* one set of reports for each host or process, as `by` says */
	enum origin_part by;
	bool folded; /* stacks, a line each, in place of all else: only with the report "cpu" */
	struct where *where; /* only events for which it holds are counted; NULL: all; borrowed */
	uint32_t kinds; /* 1 << number of each that was asked for; 0: all that have something */
};

static inline size_t report_rows(const struct report_options *options, size_t count)
{
	return options->rows && count > options->rows ? options->rows : count;
}

/* The time of the events that were shown. */
struct report_span {
	int64_t begin_ns;
	int64_t end_ns;
};

struct report_ops {
	/* Losses are among them, and must make it forget what they may have cut in two. */
	void (*batch)(struct report *report, const struct event *events, size_t count);
	/* Those that an expression does not choose: they are not counted, but what is may follow from them. NULL: nothing
	 * does. */
	void (*learn)(struct report *report, const struct event *events, size_t count);
	/* All events were seen. */
	void (*end)(struct report *report, const struct report_span *span);
	void (*free)(struct report *report); /* not NULL */
};

/* The first member of each. */
struct report {
	const struct report_ops *ops;
	const struct view *view;
	uint64_t events; /* that it is made of, without losses; 0: it has nothing to say */
};

/* What a report has found, as tables for people, at most 100 columns wide: 0 or -ENOMEM. */
typedef int report_text_fn(const struct report *report, const struct report_options *options,
			   struct buffer *out);
/* The same as members of the object that is open. */
typedef int report_json_fn(const struct report *report, const struct report_options *options,
			   struct json_writer *json);

struct report_kind {
	const char *name; /* "sched": the operand, and the key in JSON */
	const char *events; /* what it is made of, for messages */
	const char *group; /* what the names of all these begin with */
	struct report *(*new)(const struct view *view); /* NULL: no memory. Borrows @view. */
	report_text_fn *text;
	report_json_fn *json;
};

#endif /* SONDE_OUTPUT_REPORT_KIND_H */
