/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched_text: what report_sched found, as tables for people.
 */
#ifndef SONDE_VIEW_REPORT_SCHED_TEXT_H
#define SONDE_VIEW_REPORT_SCHED_TEXT_H

struct buffer;
struct report;
struct report_options;

/* As report_ops.text. */
int report_sched_text(const struct report *report, const struct report_options *options,
		      struct buffer *out);

#endif /* SONDE_VIEW_REPORT_SCHED_TEXT_H */
