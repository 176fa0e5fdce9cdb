/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report: facts that follow from several events each: how long calls took, how long tasks waited.
 * A sink that hands all events to each report that was asked for, and writes what they found.
 */
#ifndef SONDE_OUTPUT_REPORT_H
#define SONDE_OUTPUT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/report_kind.h"
#include "schema/source.h"

struct buffer;
struct diag;
struct view;

/* The kinds of report by number: NULL behind the last one. */
const struct report_kind *report_kind_get(size_t i);

/* What one report says, in text or as the member of a JSON object that is open. 0 or -ENOMEM. */
int report_kind_text(const struct report_kind *kind, const struct report *report,
		     const struct report_options *options, struct buffer *out);
int report_kind_json(const struct report_kind *kind, const struct report *report,
		     const struct report_options *options, struct json_writer *json);

/* Whether the reports can be made so. -ENOENT: no event has a field that rows are grouped by, or no report that was asked
 * for has the column of options->sort: the diag has what is near, or which there are; options->rows_where names what rows do not
 * have. -EINVAL: it is no such expression. -ENOMEM. */
int report_check(const struct view *view, const struct report_options *options, struct diag *diag);
/* NULL: no memory, or what report_check says. Borrows @view and what @options point to. */
struct event_sink *report_new(const struct view *view, const struct report_options *options);
/* Whether there were events for the report of number @i, once all were seen. */
bool report_has(const struct event_sink *sink, size_t i);
/* Whether there were events of the group that it is made of, even if it was not asked for. */
bool report_could(const struct event_sink *sink, size_t i);
/* The names of the events that came, not all if they are many, with a NUL; "" = none. */
void report_seen(const struct event_sink *sink, struct buffer *out);

#endif /* SONDE_OUTPUT_REPORT_H */
