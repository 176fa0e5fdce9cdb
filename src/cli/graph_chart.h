/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph_chart: the pictures of the verb graph that are not lines over time: which of them was asked for, of
 * what, and what is to be said where there is nothing to draw.
 */
#ifndef SONDE_CLI_GRAPH_CHART_H
#define SONDE_CLI_GRAPH_CHART_H

#include <stdbool.h>

#include "graph/chart.h"

struct buffer;
struct diag;
struct event_sink;
struct read_session;
struct reading;

struct graph_chart {
	bool wanted; /* one was asked for */
	bool linear; /* --log none */
	bool log_x, log_y;
	struct chart_options options;
	struct field_pick pick;
	const char *conn_name; /* the first that was asked for, as it was typed; NULL = none */
};

/* The user asked for a chart; @field: the measured field, or NULL. 0 or -EINVAL. */
int graph_chart_choose(struct graph_chart *chart, enum chart_kind kind, const char *field,
		       struct diag *diag);
/* Once all options are taken, and the connections, the groups and the picture are in the options. 0 or
 * -EINVAL. */
int graph_chart_settle(struct graph_chart *chart, struct reading *reading, struct diag *diag);
/* As reading_verb.check, make_sink and conclude. */
int graph_chart_check(struct graph_chart *chart, const struct read_session *session,
		      struct diag *diag);
struct event_sink *graph_chart_sink(struct graph_chart *chart, struct read_session *session,
				    struct buffer *out);
int graph_chart_conclude(const struct graph_chart *chart, const struct reading *reading,
			 const struct event_sink *sink);

#endif /* SONDE_CLI_GRAPH_CHART_H */
