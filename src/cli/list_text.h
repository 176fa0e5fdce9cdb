/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * list_text: the measurements of `sonde list` as a table for people.
 */
#ifndef SONDE_CLI_LIST_TEXT_H
#define SONDE_CLI_LIST_TEXT_H

#include <stdbool.h>

struct buffer;
struct measurement;
struct running;

/* The titles of the columns; those of tracepoints are others than those of measurements. */
void list_text_head(const struct measurement *m, struct buffer *out);
/* A line; with @verbose its hooks, cost and fields too. @running may be NULL. */
void list_text_item(const struct measurement *m, const struct running *running, bool verbose,
		    struct buffer *out);

#endif /* SONDE_CLI_LIST_TEXT_H */
