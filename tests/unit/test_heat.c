// SPDX-License-Identifier: BSD-2-Clause
#include "graph/heat.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t total(const struct heat_grid *grid)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < grid->column_count; i++)
		for (size_t k = 0; k < grid->row_count; k++)
			sum += heat_grid_count(grid, i, k);
	return sum;
}

/* How many values like @value were in the column of @time_ns. */
static uint64_t count_at(const struct heat_grid *grid, int64_t time_ns, double value)
{
	size_t column = (size_t)((time_ns >> grid->shift) - grid->first);
	double from, to;

	for (size_t i = 0; i < grid->row_count; i++) {
		heat_grid_row(grid, i, &from, &to);
		if (from <= value && value < to)
			return heat_grid_count(grid, column, i);
	}
	return 0;
}

static void add(struct heat_grid *grid, int64_t time_ns, double value)
{
	assert_int_equal(heat_grid_add(grid, time_ns, value), 0);
}

static void test_columns_grow_with_the_range(void **state)
{
	struct heat_grid grid = {0};

	(void)state;
	for (int64_t i = 0; i < 100000; i++)
		add(&grid, 1700000000000000000 + i * 1000, 7);
	assert_in_range(grid.column_count, HEAT_COLUMNS / 2, HEAT_COLUMNS);
	assert_int_equal(grid.row_count, 1);
	assert_int_equal(total(&grid), 100000);
	/* Each column is 2^17 ns, and has so many of them. */
	assert_int_equal(grid.shift, 17);
	assert_in_range(count_at(&grid, 1700000000050000000, 7), 131, 132);
	heat_grid_fini(&grid);
}

static void test_time_may_go_back(void **state)
{
	struct heat_grid grid = {0};

	(void)state;
	add(&grid, 1000, 1);
	add(&grid, 400, 2);
	add(&grid, 900, 3);
	add(&grid, -500, 4);
	assert_int_equal(count_at(&grid, 1000, 1), 1);
	assert_int_equal(count_at(&grid, 400, 2), 1);
	assert_int_equal(count_at(&grid, 900, 3), 1);
	assert_int_equal(count_at(&grid, -500, 4), 1);
	assert_int_equal(total(&grid), 4);
	heat_grid_fini(&grid);
}

static void test_the_whole_of_time(void **state)
{
	struct heat_grid grid = {0};

	(void)state;
	add(&grid, 0, 1);
	add(&grid, INT64_MAX, 1);
	add(&grid, INT64_MIN, 1);
	add(&grid, 1, 1);
	assert_int_equal(total(&grid), 4);
	assert_in_range(grid.column_count, 1, HEAT_COLUMNS);
	assert_int_equal(count_at(&grid, INT64_MIN, 1), 1);
	heat_grid_fini(&grid);
}

/* Values of all sizes need more rows than there are: then rows are of more values. */
static void test_rows_are_bounded(void **state)
{
	struct heat_grid grid = {0};
	uint64_t added = 0;

	(void)state;
	for (double value = 1e-300; value < 1e300; value *= 1.01) {
		add(&grid, (int64_t)(added % 7), value);
		add(&grid, (int64_t)(added % 7), -value);
		added += 2;
	}
	add(&grid, 0, DBL_MAX);
	add(&grid, 0, 0);
	add(&grid, 0, -0.0);
	assert_int_equal(total(&grid), added + 3);
	assert_in_range(grid.row_count, 1, HEAT_ROWS);
	assert_int_equal(count_at(&grid, 0, 0), 2);
	heat_grid_fini(&grid);
}

/* A number that looks random, and the same in each run. */
static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void assert_same(const struct heat_grid *a, const struct heat_grid *b)
{
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(a->coarse, b->coarse);
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->column_count, b->column_count);
	assert_int_equal(a->row_count, b->row_count);
	for (size_t row = 0; row < a->row_count; row++) {
		size_t other = 0;

		while (other < b->row_count && b->buckets[other] != a->buckets[row])
			other++;
		assert_true(other < b->row_count);
		for (size_t i = 0; i < a->column_count; i++)
			assert_int_equal(heat_grid_count(a, i, row), heat_grid_count(b, i, other));
	}
}

/* Parts of the same, in whichever order, are the whole: of @span ns, with values up to 2^@powers. */
static void check_merge(int64_t span, unsigned int powers)
{
	struct heat_grid whole = {0}, parts[3] = {{0}}, all = {0};
	uint64_t state = (uint64_t)span + powers;

	for (int i = 0; i < 20000; i++) {
		int64_t time_ns = (int64_t)(draw(&state) % (uint64_t)span) * (i & 1 ? 1 : -1);
		double value = (double)draw(&state);

		for (uint64_t k = draw(&state) % (powers + 1); k; k--)
			value *= k & 1 ? 2 : 1.5;
		if (draw(&state) % 5 == 0)
			value = -value;
		add(&whole, time_ns, value);
		add(&parts[time_ns < -span / 2 ? 0 : 1 + (time_ns > 0)], time_ns, value);
	}
	for (int i = 2; i >= 0; i--)
		assert_int_equal(heat_grid_merge(&all, &parts[i]), 0);
	assert_same(&whole, &all);
	assert_int_equal(heat_grid_merge(&parts[1], &parts[0]), 0);
	assert_int_equal(heat_grid_merge(&parts[1], &parts[2]), 0);
	assert_same(&whole, &parts[1]);
	for (int i = 0; i < 3; i++)
		heat_grid_fini(&parts[i]);
	heat_grid_fini(&whole);
	heat_grid_fini(&all);
}

static void test_merge(void **state)
{
	struct heat_grid grid = {0}, nothing = {0};

	(void)state;
	check_merge(900, 3);
	check_merge(1000000000, 10);
	check_merge(1ll << 31, 900); /* rows of more values */
	add(&grid, 5, 1);
	assert_int_equal(heat_grid_merge(&grid, &nothing), 0);
	assert_int_equal(total(&grid), 1);
	heat_grid_fini(&grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_grow_with_the_range),
		cmocka_unit_test(test_time_may_go_back),
		cmocka_unit_test(test_the_whole_of_time),
		cmocka_unit_test(test_rows_are_bounded),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
