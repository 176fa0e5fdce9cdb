/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers_text: what report_layers found, as tables for people, and ways line by line.
 */
#ifndef SONDE_VIEW_REPORT_LAYERS_TEXT_H
#define SONDE_VIEW_REPORT_LAYERS_TEXT_H

struct buffer;
struct report;
struct report_options;

/* As report_ops.text. */
int report_layers_text(const struct report *report, const struct report_options *options,
		       struct buffer *out);

#endif /* SONDE_VIEW_REPORT_LAYERS_TEXT_H */
