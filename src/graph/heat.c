// SPDX-License-Identifier: BSD-2-Clause
#include "graph/heat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUB_SHIFT (52u - HEAT_SUB_BITS)
#define SIGN (HEAT_BUCKETS / 2)
#define FIRST_ROWS 64u
#define SMALLEST 2.2250738585072014e-308 /* what is nearer to 0 has no exponent: taken for 0 */

static uint32_t bucket_of(const struct heat_grid *grid, double value)
{
	uint64_t bits;

	value = fabs(value) < SMALLEST ? 0 : value;
	memcpy(&bits, &value, sizeof(bits));
	return (uint32_t)(bits >> SUB_SHIFT) >> grid->coarse;
}

static double edge_of(const struct heat_grid *grid, uint64_t bucket)
{
	uint64_t bits = bucket << (SUB_SHIFT + grid->coarse);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

void heat_grid_row(const struct heat_grid *grid, size_t row, double *from, double *to)
{
	uint32_t bucket = grid->buckets[row];
	double a = edge_of(grid, bucket), b = edge_of(grid, bucket + 1ull);

	*from = fmin(a, b);
	*to = fmax(a, b);
}

void heat_grid_fini(struct heat_grid *grid)
{
	free(grid->counts);
	free(grid->rows);
	*grid = (struct heat_grid){0};
}

static int make_room(struct heat_grid *grid)
{
	size_t room = grid->row_room ? 2 * grid->row_room : FIRST_ROWS;
	uint64_t *counts;

	if (!grid->rows)
		grid->rows = calloc(HEAT_BUCKETS, sizeof(*grid->rows));
	counts = calloc(HEAT_COLUMNS * room, sizeof(*counts));
	if (!counts || !grid->rows) {
		free(counts);
		return -ENOMEM;
	}
	for (size_t i = 0; i < grid->column_count; i++)
		memcpy(counts + i * room, grid->counts + i * grid->row_room,
		       grid->row_count * sizeof(*counts));
	free(grid->counts);
	grid->counts = counts;
	grid->row_room = room;
	return 0;
}

/* The counts of @from are added to those of @to. */
static void join_rows(struct heat_grid *grid, size_t to, size_t from)
{
	for (size_t i = 0; i < grid->column_count; i++) {
		uint64_t *counts = grid->counts + i * grid->row_room;
		uint64_t count = counts[from];

		counts[from] = 0;
		counts[to] += count;
	}
}

/* Rows of twice as many values. */
static void coarsen(struct heat_grid *grid)
{
	size_t old = grid->row_count;

	memset(grid->rows, 0, HEAT_BUCKETS * sizeof(*grid->rows));
	grid->coarse++;
	grid->row_count = 0;
	for (size_t i = 0; i < old; i++) {
		uint32_t bucket = grid->buckets[i] >> 1;
		size_t row = grid->rows[bucket];

		if (!row) {
			grid->buckets[grid->row_count] = bucket;
			grid->rows[bucket] = (uint16_t)(row = ++grid->row_count);
		}
		if (row - 1 != i)
			join_rows(grid, row - 1, i);
	}
}

/* The row of @value, made if missing: 0 or -ENOMEM. */
static int row_at(struct heat_grid *grid, double value, size_t *ret)
{
	uint32_t bucket = bucket_of(grid, value);

	if (__builtin_expect(!grid->rows || !grid->rows[bucket], 0)) {
		while (grid->row_count == (grid->row_max ?: HEAT_ROWS)) {
			coarsen(grid);
			bucket = bucket_of(grid, value);
		}
		if (grid->row_count == grid->row_room && make_room(grid))
			return -ENOMEM;
		if (!grid->rows[bucket]) {
			grid->buckets[grid->row_count] = bucket;
			grid->rows[bucket] = (uint16_t)++grid->row_count;
		}
	}
	*ret = grid->rows[bucket] - 1u;
	return 0;
}

/* Columns that are 2^@by times as long. */
static void lengthen(struct heat_grid *grid, unsigned int by)
{
	int64_t first = grid->first >> by;
	size_t room = grid->row_room, count = 0;

	for (size_t i = 0; i < grid->column_count; i++) {
		size_t to = (size_t)(((grid->first + (int64_t)i) >> by) - first);
		uint64_t *from = grid->counts + i * room;

		count = to + 1;
		if (to == i)
			continue;
		for (size_t k = 0; k < grid->row_count; k++) {
			grid->counts[to * room + k] += from[k];
			from[k] = 0;
		}
	}
	grid->first = first;
	grid->column_count = count;
	grid->shift += by;
}

/* Whether one that is @by longer leaves room for the time. */
static bool has_room(const struct heat_grid *grid, int64_t slot, unsigned int by)
{
	int64_t first = grid->first, last = first + (int64_t)grid->column_count - 1;

	first = slot < first ? slot : first;
	last = slot > last ? slot : last;
	return (uint64_t)(last >> by) - (uint64_t)(first >> by) < HEAT_COLUMNS;
}

static size_t column_at(struct heat_grid *grid, int64_t time_ns)
{
	int64_t slot = time_ns >> grid->shift;
	unsigned int by = 0;
	size_t before, bytes = grid->row_room * sizeof(*grid->counts);

	if (!grid->column_count) {
		grid->first = slot;
		grid->column_count = 1;
	}
	if (__builtin_expect((uint64_t)slot - (uint64_t)grid->first < grid->column_count, 1))
		return (size_t)(slot - grid->first);
	while (!has_room(grid, slot, by))
		by++;
	if (by)
		lengthen(grid, by);
	slot >>= by;
	if (slot < grid->first) {
		before = (size_t)(grid->first - slot);
		memmove((char *)grid->counts + before * bytes, grid->counts,
			grid->column_count * bytes);
		memset(grid->counts, 0, before * bytes);
		grid->first = slot;
		grid->column_count += before;
	}
	if ((size_t)(slot - grid->first) >= grid->column_count)
		grid->column_count = (size_t)(slot - grid->first) + 1;
	return (size_t)(slot - grid->first);
}

int heat_grid_add(struct heat_grid *grid, int64_t time_ns, double value)
{
	size_t row;
	int err = row_at(grid, value + 0.0, &row); /* there are two zeros */

	if (!err)
		grid->counts[column_at(grid, time_ns) * grid->row_room + row]++;
	return err;
}

/* Columns as long as those of @from at least, and rows as high: its own fall into them whole. */
static void match(struct heat_grid *grid, const struct heat_grid *from)
{
	if (!grid->column_count)
		grid->shift = from->shift;
	else if (grid->shift < from->shift)
		lengthen(grid, from->shift - grid->shift);
	while (grid->row_count && grid->coarse < from->coarse)
		coarsen(grid);
	if (!grid->row_count)
		grid->coarse = from->coarse;
}

static int64_t column_ns(const struct heat_grid *grid, size_t column)
{
	return (int64_t)((uint64_t)(grid->first + (int64_t)column) << grid->shift);
}

int heat_grid_merge(struct heat_grid *grid, const struct heat_grid *from)
{
	match(grid, from);
	for (size_t i = 0; i < from->row_count; i++) {
		size_t row;
		int err = row_at(grid, edge_of(from, from->buckets[i]), &row);

		if (err)
			return err;
		for (size_t column = 0; column < from->column_count; column++) {
			uint64_t count = heat_grid_count(from, column, i);

			if (count)
				grid->counts[column_at(grid, column_ns(from, column)) *
						     grid->row_room +
					     row] += count;
		}
	}
	return 0;
}

int heat_init(struct heat *heat, const struct analysis *analysis,
	      const struct measure_request *request)
{
	struct measure_request one = *request;

	if (one.by.by == GROUP_AUTO)
		one.by.by = GROUP_NONE;
	*heat = (struct heat){0};
	return hist_init(&heat->hist, analysis, &one, HEAT_GROUPS);
}

void heat_fini(struct heat *heat)
{
	for (size_t i = 0; i < HEAT_GROUPS; i++) {
		if (heat->grids[i])
			heat_grid_fini(heat->grids[i]);
		free(heat->grids[i]);
	}
	hist_fini(&heat->hist);
}

/* NULL: no memory. */
static struct heat_grid *grid_of(struct heat *heat, const struct hist_group *group)
{
	struct heat_grid **grid = &heat->grids[group->number];

	if (*grid)
		return *grid;
	*grid = calloc(1, sizeof(**grid));
	if (*grid && group->number)
		(*grid)->row_max = HEAT_GROUP_ROWS;
	return *grid;
}

int heat_take(struct heat *heat, const struct event *event, bool shown)
{
	double value = NAN;
	int err = hist_take(&heat->hist, event, shown, &value);
	struct heat_grid *grid;

	if (err || isnan(value))
		return err;
	grid = grid_of(heat, heat->hist.last);
	return grid ? heat_grid_add(grid, event->time_ns, value) : -ENOMEM;
}

int heat_merge(struct heat *into, const struct heat *from)
{
	int err = hist_merge(&into->hist, &from->hist);

	for (size_t i = 0; i < from->hist.group_count && !err; i++) {
		const struct hist_group *group = from->hist.groups[i];
		struct heat_grid *grid = grid_of(into, hist_find(&into->hist, &group->key));

		err = grid ? heat_grid_merge(grid, from->grids[group->number]) : -ENOMEM;
	}
	return err;
}

void heat_end(struct heat *heat)
{
	for (size_t i = 0; i < heat->hist.group_count; i++)
		heat->shift = heat->grids[i]->shift > heat->shift ? heat->grids[i]->shift :
								    heat->shift;
	for (size_t i = 0; i < heat->hist.group_count; i++)
		lengthen(heat->grids[i], heat->shift - heat->grids[i]->shift);
	hist_end(&heat->hist);
}
