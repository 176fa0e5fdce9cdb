/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_plot: a sink that makes a picture of numbers over time: collects them (series_set), chooses which series
 * are drawn, names them, and draws the plot when all has been seen.
 */
#ifndef SONDE_GRAPH_TIME_PLOT_H
#define SONDE_GRAPH_TIME_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/picture.h"
#include "graph/plot.h"
#include "graph/series_draw.h"
#include "graph/series_set.h"

struct buffer;
struct event_sink;
struct analysis;
struct where;

#define TIME_PLOT_LINES 64u /* in one picture at most */

struct time_plot_options {
	struct series_request request;
	size_t top; /* lines at most, where no connections are asked for */
	bool has_style; /* else: dots of durations, which are each event's own, steps of connections, lines of the rest */
	enum series_style style;
	bool log_x, log_y;
	bool facets; /* a plot for each line, one below the other */
	struct plot_limit ymax;
	struct picture picture;
	/* To be asked of each event here, since what follows from several events follows from those, too,
	 * that do not satisfy it. NULL: nothing is to be asked. */
	struct where *where;
};

/* What became of it. */
struct time_plot_told {
	size_t drawn; /* lines */
	size_t series; /* in all */
	uint64_t left_out; /* events of more groups than are kept */
	uint64_t limitless; /* values of what is drawn that stand for no limit, and are not drawn */
	const struct series_set *set; /* borrowed until the sink is freed */
};

/*
 * NULL: no memory. Borrows @analysis, and what @options point to; @out gets the picture when the sink is
 * finished, and stays empty where there is nothing to draw.
 */
struct event_sink *time_plot_new(const struct analysis *analysis,
				 const struct time_plot_options *options, struct buffer *out);
/* For cli/slices. */
bool time_plot_can_add(const struct event_sink *sink);
bool time_plot_add(struct event_sink *into, const struct event_sink *from);
/* Once it is finished. */
void time_plot_tell(const struct event_sink *sink, struct time_plot_told *ret);

#endif /* SONDE_GRAPH_TIME_PLOT_H */
