/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_tcp_text: the report on TCP connections, as tables.
 */
#ifndef SONDE_VIEW_REPORT_TCP_TEXT_H
#define SONDE_VIEW_REPORT_TCP_TEXT_H

struct buffer;
struct report;
struct report_options;

/* As report_ops.text. */
int report_tcp_text(const struct report *report, const struct report_options *options,
		    struct buffer *out);

#endif /* SONDE_VIEW_REPORT_TCP_TEXT_H */
