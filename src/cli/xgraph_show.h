/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xgraph_show: the plotting program of the original pmgraph, where it is installed and there is a
 * display: one window for each graph.
 */
#ifndef SONDE_CLI_XGRAPH_SHOW_H
#define SONDE_CLI_XGRAPH_SHOW_H

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct pmgraph_data;

/* Whether it can be called. */
bool xgraph_can_show(void);
/* A new directory for its files: *@base is the begin of their names, to be freed. 0 or -errno. */
int xgraph_show_prepare(char **base);
/* Shows the graphs and waits until all windows are closed. 0, or -errno with the diag. */
int xgraph_show(const struct pmgraph_data *data, const char *title, struct diag *diag);
/* Removes the files of @data and the directory. NULL is fine. */
void xgraph_show_clean(const struct pmgraph_data *data, char *base);

#endif /* SONDE_CLI_XGRAPH_SHOW_H */
