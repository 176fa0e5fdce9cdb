/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plot_names: the texts beside the lines of a plot: the title, each line's name in the legend, and the
 * caption, from the descriptions of fields, the groups, and the trace.
 */
#ifndef SONDE_GRAPH_PLOT_NAMES_H
#define SONDE_GRAPH_PLOT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct field_pick;
struct series_group;
struct trace_info;

#define PLOT_NAME_BYTES 256u

/* Of what lines differ; what all share is in the title. */
struct plot_naming {
	bool groups;
	bool picks;
};

/* "congestion window", "congestion window × 1448"; the field's name where the description is longer than
 * an axis. */
void plot_quantity(const struct field_pick *pick, char quantity[PLOT_NAME_BYTES]);
void plot_line_name(const struct plot_naming *naming, const struct series_group *group,
		    const struct field_pick *pick, char name[PLOT_NAME_BYTES]);
/* Of a plot with this line among others; "" where there is nothing that all share. */
void plot_title(const struct plot_naming *naming, const struct series_group *group,
		const struct field_pick *pick, char title[PLOT_NAME_BYTES]);
/* "; the trace is incomplete", for the end of a caption; "" where nothing is missing. */
const char *plot_trace_note(const struct trace_info *info);
/* "0 = 2026-11-21 22:52:21.123 UTC, on HOST; 12,345 values" */
void plot_caption(const struct trace_info *info, int64_t origin_ns, uint64_t points,
		  char caption[PLOT_NAME_BYTES]);

#endif /* SONDE_GRAPH_PLOT_NAMES_H */
