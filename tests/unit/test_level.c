// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* 10 for nine tenths of the time, 20 for the rest. */
static void test_of_time(void **state)
{
	struct level level = {0}, all = {0};

	(void)state;
	assert_true(level_mean(&level) == 0);
	level_add(&level, 10, 900);
	level_add(&level, 20, 100);
	level_add(&level, 1000, 0); /* for no time at all */
	assert_int_equal(latency_percentile(&level.spread, 500), 10);
	assert_int_equal(latency_percentile(&level.spread, 900), 10);
	assert_int_equal(latency_percentile(&level.spread, 901), 20);
	assert_int_equal(level.spread.max_ns, 20);
	assert_true(level_mean(&level) == 11);
	level_merge(&all, &level);
	level_add(&all, 31, 1000);
	assert_true(level_mean(&all) == 21);
	assert_int_equal(all.spread.count, 2000);
}

/* A day at 4 GB: the product is beyond 64 bits. */
static void test_mean_of_much(void **state)
{
	const uint64_t day_ns = 86400ull * 1000000000u, value = 4000000000u;
	struct level level = {0};

	(void)state;
	level_add(&level, value, day_ns);
	level_add(&level, value, day_ns);
	assert_true(level_mean(&level) == (double)value);
	assert_true(level.spread.total_ns == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_time),
		cmocka_unit_test(test_mean_of_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
