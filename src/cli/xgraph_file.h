/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xgraph_file: a data set of the plotting program xgraph, in a file of its own: its name behind a
 * double quote, then a line for each point. Never open between writes: there may be many.
 */
#ifndef SONDE_CLI_XGRAPH_FILE_H
#define SONDE_CLI_XGRAPH_FILE_H

#include <stddef.h>
#include <stdint.h>

struct diag;

struct xgraph_file;

/* NULL: no memory. An old file of that name is written over by the first write. */
struct xgraph_file *xgraph_file_new(const char *path, const char *name);
/* NULL is fine. Data that was not written is lost: call xgraph_file_end before. */
void xgraph_file_free(struct xgraph_file *file);
const char *xgraph_file_path(const struct xgraph_file *file);
/* @text is the value, in the form in which it is written. 0 or -errno, sticky. */
int xgraph_file_add(struct xgraph_file *file, int64_t since_ns, const char *text, size_t len);
int xgraph_file_end(struct xgraph_file *file);

#endif /* SONDE_CLI_XGRAPH_FILE_H */
