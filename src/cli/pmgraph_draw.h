/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmgraph_draw: the graphs of what pmgraph gathered: for each connection one of all parameters, or
 * for each parameter one of all connections.
 */
#ifndef SONDE_CLI_PMGRAPH_DRAW_H
#define SONDE_CLI_PMGRAPH_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/series.h"

struct diag;
struct picture_choice;
struct pmgraph_data;

#define PMGRAPH_LINES_MAX 256u /* of one graph: connections, or parameters */

/* One line of a graph, and which one it is. */
struct pmgraph_line {
	size_t conn; /* in pmgraph_data.conns */
	size_t param;
};

struct pmgraph_chart {
	char name[32]; /* "1055.5050", "snd_cwnd" */
	struct pmgraph_line lines[PMGRAPH_LINES_MAX];
	size_t count;
};

/* The @i-th graph; false behind the last. Graphs without lines are left out. */
bool pmgraph_chart_get(const struct pmgraph_data *data, size_t i, struct pmgraph_chart *ret);

/* Draws all. Where there are several, the file's name has that of the graph in it. @title: the
 * source's name. 0, or -errno with the diag. */
int pmgraph_draw(const struct pmgraph_data *data, const char *title,
		 const struct picture_choice *choice, struct diag *diag);

#endif /* SONDE_CLI_PMGRAPH_DRAW_H */
