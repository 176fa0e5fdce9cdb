/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heat: how many values there were of which size, when: while they are collected. heat_draw makes the
 * picture.
 *
 * Its memory is bounded whatever comes: columns are of time, as short as HEAT_COLUMNS of them allow, and
 * become twice as long when there are more; rows are of values, 32 for each power of two, fewer where
 * more than HEAT_ROWS would be needed. There are up to HEAT_GROUPS groups, a map for each.
 */
#ifndef SONDE_GRAPH_HEAT_H
#define SONDE_GRAPH_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/hist.h"
#include "graph/spread.h"

#define HEAT_COLUMNS 1024u /* several for each column that a picture has room for */
#define HEAT_ROWS 4096u
#define HEAT_SUB_BITS 5u
#define HEAT_BUCKETS (SPREAD_POWERS << HEAT_SUB_BITS)

/* Zeros are an empty one. */
struct heat_grid {
	uint64_t *counts; /* row_room for each of HEAT_COLUMNS */
	size_t row_count, row_room;
	size_t row_max; /* 0 = HEAT_ROWS */
	uint32_t buckets[HEAT_ROWS]; /* of values, by row; in no order */
	uint16_t *rows; /* 1 + the row, by bucket; 0 = none yet */
	unsigned int coarse; /* bits less than HEAT_SUB_BITS */
	int64_t first; /* a column's time >> shift, of the first */
	size_t column_count;
	unsigned int shift;
};

#define HEAT_GROUPS 64u
#define HEAT_GROUP_ROWS 256u /* of each but the first, which may be all: 2 MiB */

struct heat {
	struct hist hist; /* the groups, with how their values are spread */
	struct heat_grid *grids[HEAT_GROUPS]; /* of each group, by its number */
	unsigned int shift; /* once ended: of all grids */
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

/* 0 or -ENOMEM; heat_fini is due in both cases. Borrows @analysis. If the request says not by what, all are one group. */
int heat_init(struct heat *heat, const struct analysis *analysis,
	      const struct measure_request *request);
void heat_fini(struct heat *heat);
/* As measure_take. 0 or -ENOMEM. */
int heat_take(struct heat *heat, const struct event *event, bool shown);
/* As hist_merge. */
int heat_merge(struct heat *into, const struct heat *from);
/* No more will be taken. */
void heat_end(struct heat *heat);

#endif /* SONDE_GRAPH_HEAT_H */
