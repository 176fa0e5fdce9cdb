/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_layers_json: what report_layers found, as one JSON object.
 */
#ifndef SONDE_VIEW_REPORT_LAYERS_JSON_H
#define SONDE_VIEW_REPORT_LAYERS_JSON_H

struct buffer;
struct report;
struct report_options;

/* As report_ops.json. */
int report_layers_json(const struct report *report, const struct report_options *options,
		       struct buffer *out);

#endif /* SONDE_VIEW_REPORT_LAYERS_JSON_H */
