/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph_lines: the pictures of the verb graph that are lines over time: of which numbers and connections they
 * are, and what is to be said of what is not in them.
 */
#ifndef SONDE_CLI_GRAPH_LINES_H
#define SONDE_CLI_GRAPH_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/conn_pick.h"
#include "graph/time_plot.h"

#define GRAPH_LINES_CONNS 64u

struct buffer;
struct diag;
struct event_sink;
struct picture;
struct read_session;
struct reading;

/* "FIELD=X" */
struct scale_choice {
	const char *text;
	size_t name_len;
	double factor;
};

struct graph_lines {
	struct time_plot_options plot;
	struct field_pick picks[SERIES_SET_PICKS];
	struct conn_pick conns[GRAPH_LINES_CONNS];
	const char *conn_names[GRAPH_LINES_CONNS];
	struct scale_choice scales[SERIES_SET_PICKS];
	size_t scale_count;
	bool top_given;
};

void graph_lines_init(struct graph_lines *lines);
/* The arguments of --field and --param, --conn, --scale, --style, --top: 0 or -EINVAL. */
int graph_lines_add_field(struct graph_lines *lines, const char *arg, struct diag *diag);
int graph_lines_add_conn(struct graph_lines *lines, const char *arg, struct diag *diag);
int graph_lines_add_scale(struct graph_lines *lines, const char *arg, struct diag *diag);
int graph_lines_take_style(struct graph_lines *lines, const char *arg, struct diag *diag);
int graph_lines_take_ymax(struct graph_lines *lines, const char *arg, struct diag *diag);
int graph_lines_take_top(struct graph_lines *lines, const char *arg, struct diag *diag);
/* Once all options are taken. 0 or -EINVAL. */
int graph_lines_settle(struct graph_lines *lines, struct reading *reading,
		       const struct picture *picture, struct diag *diag);
/* As reading_verb.check, make_sink and conclude. */
int graph_lines_check(struct graph_lines *lines, const struct read_session *session,
		      struct diag *diag);
struct event_sink *graph_lines_sink(struct graph_lines *lines, struct read_session *session,
				    struct buffer *out);
int graph_lines_conclude(const struct graph_lines *lines, const struct reading *reading,
			 const struct event_sink *sink);

#endif /* SONDE_CLI_GRAPH_LINES_H */
