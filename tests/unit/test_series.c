// SPDX-License-Identifier: BSD-2-Clause
#include "graph/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE 1700000000000000000ll

static void add(struct series *series, int64_t ns, double value)
{
	assert_int_equal(series_add(series, BASE + ns, value), 0);
}

static void few_points_stay_as_they_came(void **state)
{
	struct series series = {0};

	(void)state;
	for (int i = 0; i < 1000; i++)
		add(&series, i * 977, i % 7);
	assert_int_equal(series.count, 1000);
	for (uint32_t i = 0; i < series.count; i++) {
		assert_true(series_is_point(&series.bins[i]));
		assert_int_equal(series.bins[i].first_ns, BASE + i * 977);
		assert_true(series.bins[i].first == i % 7);
	}
	series_fini(&series);
}

/* One value out of ten million that is higher than all others, and one that is lower. */
static void no_spike_is_lost(void **state)
{
	struct series series = {0};
	bool high = false, low = false;

	(void)state;
	for (int64_t i = 0; i < 10000000; i++)
		add(&series, i * 1000, i == 7654321 ? 99 : i == 2345678 ? -3 : (double)(i & 1));
	assert_true(series.count <= SERIES_BINS);
	assert_true(series.count > SERIES_BINS / 4);
	assert_int_equal(series.points, 10000000);
	assert_true(series.low == -3 && series.high == 99 && series.positive == 1);
	for (uint32_t i = 0; i < series.count; i++) {
		const struct series_bin *bin = &series.bins[i];

		high |= bin->high == 99 && bin->first_ns <= BASE + 7654321000 &&
			bin->last_ns >= BASE + 7654321000;
		low |= bin->low == -3 && bin->first_ns <= BASE + 2345678000 &&
		       bin->last_ns >= BASE + 2345678000;
		assert_true(!i || series.bins[i - 1].last_ns < bin->first_ns);
	}
	assert_true(high && low);
	series_fini(&series);
}

static void assert_same(const struct series *a, const struct series *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->shift, b->shift);
	assert_int_equal(a->points, b->points);
	assert_memory_equal(a->bins, b->bins, a->count * sizeof(*a->bins));
	assert_true(a->low == b->low && a->high == b->high && a->positive == b->positive);
}

/* As several threads read: each takes turns of some length. */
static void parts_add_up_to_the_whole(void **state)
{
	struct series whole = {0}, parts[3] = {{0}};
	uint32_t random = 1;
	int64_t at = 0;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		random = random * 1664525u + 1013904223u;
		at += random >> 12; /* and now and then a long pause */
		at += random % 1000 ? 0 : 1000000000;
		add(&whole, at, random % 977);
		add(&parts[i / 700 % 3], at, random % 977);
	}
	assert_int_equal(series_merge(&parts[2], &parts[0]), 0);
	assert_int_equal(series_merge(&parts[2], &parts[1]), 0);
	assert_same(&parts[2], &whole);
	series_fini(&whole);
	for (int i = 0; i < 3; i++)
		series_fini(&parts[i]);
}

static void what_comes_late_finds_its_place(void **state)
{
	struct series series = {0};

	(void)state;
	add(&series, 300, 3);
	add(&series, 100, 1);
	add(&series, 200, 2);
	add(&series, 200, 5);
	assert_int_equal(series.count, 3);
	assert_true(series.bins[0].first == 1 && series.bins[2].last == 3);
	assert_true(series.bins[1].first == 2 && series.bins[1].last == 5);
	series_fini(&series);
}

static void what_is_no_number_is_left_out(void **state)
{
	struct series series = {0};

	(void)state;
	add(&series, 0, NAN);
	add(&series, 1, INFINITY);
	assert_int_equal(series.points, 0);
	assert_int_equal(series.count, 0);
	series_fini(&series);
}

static void any_time_fits(void **state)
{
	static const int64_t times[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
	struct series series = {0};

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(series_add(&series, times[i], (double)i), 0);
	assert_int_equal(series.count, 5);
	series_shrink(&series, 2);
	assert_int_equal(series.count, 2);
	assert_true(series.bins[0].last == 1 && series.bins[1].first == 2);
	series_fini(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_points_stay_as_they_came),
		cmocka_unit_test(no_spike_is_lost),
		cmocka_unit_test(parts_add_up_to_the_whole),
		cmocka_unit_test(what_comes_late_finds_its_place),
		cmocka_unit_test(what_is_no_number_is_left_out),
		cmocka_unit_test(any_time_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
