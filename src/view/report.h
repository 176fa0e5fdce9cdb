/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report: facts that follow from several events each: how long calls took, how long tasks waited.
 * A sink that hands all events to each report that was asked for, and writes what they found.
 */
#ifndef SONDE_VIEW_REPORT_H
#define SONDE_VIEW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/origin.h"
#include "schema/source.h"

struct buffer;
struct report_kind;
struct view;
struct where;

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

/* The kinds of report by number: NULL behind the last one. */
const struct report_kind *report_kind_get(size_t i);

/* NULL: no memory. Borrows @view. */
struct event_sink *report_new(const struct view *view, const struct report_options *options);
/* Whether there were events for the report of number @i, once all were seen. */
bool report_has(const struct event_sink *sink, size_t i);
/* Whether there were events of the group that it is made of, even if it was not asked for. */
bool report_could(const struct event_sink *sink, size_t i);
/* The names of the events that came, not all if they are many, with a NUL; "" = none. */
void report_seen(const struct event_sink *sink, struct buffer *out);

static inline size_t report_rows(const struct report_options *options, size_t count)
{
	return options->rows && count > options->rows ? options->rows : count;
}

#endif /* SONDE_VIEW_REPORT_H */
