/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table: a text table: columns as wide as they need, the first to the left, numbers to the right.
 *
 * A first cell that would make the table too wide stands on a line of its own above its row, so
 * that nothing is cut off.
 */
#ifndef SONDE_OUTPUT_TABLE_H
#define SONDE_OUTPUT_TABLE_H

#include <stddef.h>

#include "base/buffer.h"

#define TABLE_COLUMNS 64u
#define TABLE_WIDTH 100u

struct table {
	const char *titles[TABLE_COLUMNS]; /* borrowed */
	size_t columns;
	struct buffer cells; /* each ends with a NUL, row after row */
	size_t count;
};

/* @titles: NULL at the end, at most TABLE_COLUMNS. */
void table_init(struct table *table, const char *const *titles);
void table_fini(struct table *table);
/* The next cell. Text of unknown origin is to be escaped before. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends it to @out; an unfinished row is left out. */
void table_write(const struct table *table, struct buffer *out);
/* The same behind an empty line, and below it how many rows there are beyond the @shown ones; frees
 * what the table holds. */
void table_finish(struct table *table, struct buffer *out, size_t shown, size_t count);

#endif /* SONDE_OUTPUT_TABLE_H */
