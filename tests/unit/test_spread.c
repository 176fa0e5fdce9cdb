// SPDX-License-Identifier: BSD-2-Clause
#include "graph/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add(struct spread *spread, double value)
{
	assert_int_equal(spread_add(spread, value), 0);
}

static void test_integers_have_a_bucket_each(void **state)
{
	struct spread spread = {0};
	struct spread_bucket bucket;
	size_t at = 0;

	(void)state;
	for (int i = 0; i < 256; i++)
		add(&spread, i);
	for (int i = 0; i < 256; i++) {
		assert_true(spread_next(&spread, &at, &bucket));
		assert_true(bucket.from <= i && i < bucket.to);
		assert_int_equal(bucket.count, 1);
	}
	assert_false(spread_next(&spread, &at, &bucket));
	assert_true(spread_percentile(&spread, 500, 1) == 127);
	assert_true(spread_percentile(&spread, 990, 1) == 253);
	assert_true(spread_percentile(&spread, 1000, 1) == 255);
	assert_int_equal(spread.above, 255);
	assert_true(spread.positive == 1);
	spread_fini(&spread);
}

static void test_all_signs_and_sizes_come_in_order(void **state)
{
	const double values[] = {-1e307, -1e9, -1, -1e-300, 0, 1e-300, 0.5, 3, 1e300, 1e307};
	const size_t count = sizeof(values) / sizeof(*values);
	struct spread spread = {0};
	struct spread_bucket bucket;
	size_t at = 0;

	(void)state;
	for (size_t i = count; i-- > 0;)
		add(&spread, values[i]);
	for (size_t i = 0; i < count; i++) {
		assert_true(spread_next(&spread, &at, &bucket));
		assert_true(bucket.from <= values[i] && values[i] <= bucket.to);
		assert_true(bucket.to - bucket.from <= fabs(values[i]) / 64 || values[i] == 0);
	}
	assert_false(spread_next(&spread, &at, &bucket));
	assert_true(spread.low == -1e307 && spread.high == 1e307);
	assert_true(spread.positive == 1e-300);
	spread_fini(&spread);
}

static void test_odd_numbers(void **state)
{
	struct spread spread = {0};
	struct spread_bucket bucket;
	size_t at = 0;

	(void)state;
	add(&spread, NAN);
	add(&spread, INFINITY);
	add(&spread, -INFINITY);
	assert_int_equal(spread.count, 0);
	assert_true(spread_percentile(&spread, 500, 0) == 0);
	assert_false(spread_next(&spread, &at, &bucket));
	/* Both zeros, and what is nearly 0, are one. */
	add(&spread, 0.0);
	add(&spread, -0.0);
	add(&spread, 5e-324);
	add(&spread, -5e-324);
	at = 0;
	assert_true(spread_next(&spread, &at, &bucket));
	assert_int_equal(bucket.count, 4);
	assert_true(bucket.from == 0);
	assert_int_equal(spread.above, 0);
	spread_fini(&spread);
}

/* Never too small, and too large by less than 1/128. */
static void test_percentiles(void **state)
{
	struct spread spread = {0};

	(void)state;
	for (int i = 1; i <= 100000; i++)
		add(&spread, i * 0.37);
	for (unsigned int p = 1; p <= 1000; p++) {
		double exact = p * 100 * 0.37, got = spread_percentile(&spread, p, 0);

		assert_true(got >= exact && got < exact * (1 + 1.0 / 127));
	}
	spread_fini(&spread);
}

static void test_merged(void **state)
{
	struct spread a = {0}, b = {0}, both = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		add(i % 3 ? &a : &b, i * i - 500);
		add(&both, i * i - 500);
	}
	assert_int_equal(spread_merge(&a, &b), 0);
	assert_int_equal(a.count, both.count);
	assert_int_equal(a.above, both.above);
	assert_true(a.low == both.low && a.high == both.high && a.positive == both.positive);
	for (unsigned int p = 0; p <= 1000; p += 50)
		assert_true(spread_percentile(&a, p, 0) == spread_percentile(&both, p, 0));
	spread_fini(&a);
	spread_fini(&b);
	spread_fini(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers_have_a_bucket_each),
		cmocka_unit_test(test_all_signs_and_sizes_come_in_order),
		cmocka_unit_test(test_odd_numbers),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
