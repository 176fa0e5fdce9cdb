/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heat: how many values there were of which size, when: while they are collected. heat_draw makes the
 * picture.
 *
 * Its memory is bounded whatever comes: columns are of time, as short as HEAT_COLUMNS of them allow, and
 * become twice as long when there are more; rows are of values, 32 for each power of two, fewer where
 * more than HEAT_ROWS would be needed.
 */
#ifndef SONDE_GRAPH_HEAT_H
#define SONDE_GRAPH_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/measure.h"
#include "graph/spread.h"

#define HEAT_COLUMNS 1024u /* several for each column that a picture has room for */
#define HEAT_ROWS 4096u
#define HEAT_SUB_BITS 5u
#define HEAT_BUCKETS (SPREAD_POWERS << HEAT_SUB_BITS)

/* Zeros are an empty one. */
struct heat_grid {
	uint64_t *counts; /* row_room for each of HEAT_COLUMNS */
	size_t row_count, row_room;
	uint32_t buckets[HEAT_ROWS]; /* of values, by row; in no order */
	uint16_t *rows; /* 1 + the row, by bucket; 0 = none yet */
	unsigned int coarse; /* bits less than HEAT_SUB_BITS */
	int64_t first; /* a column's time >> shift, of the first */
	size_t column_count;
	unsigned int shift;
};

struct heat {
	struct measure measure;
	struct spread all;
	struct heat_grid grid;
};

/* @value has to be finite. 0 or -ENOMEM. */
int heat_grid_add(struct heat_grid *grid, int64_t time_ns, double value);
/* Adds the counts of @from. 0 or -ENOMEM. */
int heat_grid_merge(struct heat_grid *grid, const struct heat_grid *from);
void heat_grid_fini(struct heat_grid *grid);
/* Which values are in @row: from *@from on and below *@to. */
void heat_grid_row(const struct heat_grid *grid, size_t row, double *from, double *to);

static inline uint64_t heat_grid_count(const struct heat_grid *grid, size_t column, size_t row)
{
	return grid->counts[column * grid->row_room + row];
}

/* 0 or -ENOMEM; heat_fini is due in both cases. Borrows @analysis. */
int heat_init(struct heat *heat, const struct analysis *analysis,
	      const struct measure_request *request);
void heat_fini(struct heat *heat);
/* As measure_take. 0 or -ENOMEM. */
int heat_take(struct heat *heat, const struct event *event, bool shown);
/* Adds what @from has of another part of the same source. 0 or -ENOMEM. */
int heat_merge(struct heat *into, const struct heat *from);

#endif /* SONDE_GRAPH_HEAT_H */
