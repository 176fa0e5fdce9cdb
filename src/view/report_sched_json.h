/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched_json: what report_sched found, as one JSON object for programs.
 */
#ifndef SONDE_VIEW_REPORT_SCHED_JSON_H
#define SONDE_VIEW_REPORT_SCHED_JSON_H

struct buffer;
struct report;
struct report_options;

/* As report_ops.json. */
int report_sched_json(const struct report *report, const struct report_options *options,
		      struct buffer *out);

#endif /* SONDE_VIEW_REPORT_SCHED_JSON_H */
