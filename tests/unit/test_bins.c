// SPDX-License-Identifier: BSD-2-Clause
#include "graph/bins.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/unit.h"

static double counts[BINS_MAX];

static struct bins choose(enum scale_kind kind, double low, double high, double step,
			  const char *unit, size_t wanted)
{
	const struct bins_range range = {kind, low, high, step};
	const struct unit u = unit_find(unit);
	struct bins bins;

	memset(counts, 0, sizeof(counts));
	bins_choose(&bins, &range, &u, wanted);
	assert_in_range(bins.count, 1, BINS_MAX);
	/* As near as it can be seen. */
	assert_true(bins_edge(&bins, 0) <= low + (kind ? low : bins.step) * 1e-6);
	return bins;
}

static void assert_near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)));
}

static void test_linear(void **state)
{
	struct bins bins = choose(SCALE_LINEAR, 3, 97, 0, NULL, 25);

	(void)state;
	assert_near(bins.step, 5);
	assert_int_equal(bins.count, 20);
	assert_near(bins_edge(&bins, 0), 0);
	assert_near(bins_edge(&bins, 20), 100);
	bins_add(&bins, counts, 4, 6, 10); /* lies in two of them */
	assert_near(counts[0], 5);
	assert_near(counts[1], 5);
	bins_add(&bins, counts, 97, 97, 1);
	assert_near(counts[19], 1);
}

/* Each integer in the middle of a bin of its own. */
static void test_few_integers(void **state)
{
	struct bins bins = choose(SCALE_LINEAR, 0, 6, 1, NULL, 40);

	(void)state;
	assert_int_equal(bins.count, 7);
	assert_near(bins_edge(&bins, 0), -0.5);
	for (int i = 0; i <= 6; i++)
		bins_add(&bins, counts, i, i + 1, i + 1);
	for (int i = 0; i <= 6; i++)
		assert_near(counts[i], i + 1);
}

static void test_steps_are_of_the_values(void **state)
{
	struct bins bins = choose(SCALE_LINEAR, 125, 125000, 125, "us/8", 30);

	(void)state;
	assert_near(fmod(bins.step, 125), 0);
}

static void test_log(void **state)
{
	struct bins bins = choose(SCALE_LOG, 1000, 5e6, 0, "ns", 40);

	(void)state;
	assert_near(bins_edge(&bins, 0), 1000);
	assert_near(bins_edge(&bins, 10), 10000);
	assert_in_range(bins.count, 37, 38);
	bins_add(&bins, counts, 1000, 1100, 3);
	assert_near(counts[0], 3);
	bins_add(&bins, counts, 0, 1, 3); /* 0 is nowhere */
	bins_add(&bins, counts, -5, -4, 3);
	assert_near(counts[0], 3);
}

static void test_log_of_bytes(void **state)
{
	struct bins bins = choose(SCALE_LOG, 1, 65536, 1, "bytes", 40);

	(void)state;
	assert_near(bins_edge(&bins, 2), 2);
	assert_near(bins_edge(&bins, 20), 1024);
	bins_add(&bins, counts, 1024, 1025, 1);
	assert_near(counts[20], 1);
}

static void test_nothing_is_lost(void **state)
{
	struct bins bins = choose(SCALE_LOG, 0.001, 1e12, 0, NULL, 60);
	double sum = 0;

	(void)state;
	for (double from = 0.001; from < 1e12; from *= 1.37)
		bins_add(&bins, counts, from, from * 1.37, 1);
	for (size_t i = 0; i < bins.count; i++)
		sum += counts[i];
	assert_near(sum, ceil(log(1e15) / log(1.37)));
}

static void test_hostile_ranges(void **state)
{
	const double ends[] = {-1e300, -1e-5, -1, 0, 1e-300, 1, 1e300};
	const size_t count = sizeof(ends) / sizeof(*ends);

	(void)state;
	for (size_t a = 0; a < count; a++) {
		for (size_t b = a; b < count; b++) {
			struct bins bins =
				choose(SCALE_LINEAR, ends[a], ends[b], (double)(a % 2), NULL, 50);

			bins_add(&bins, counts, ends[a], ends[b], 1);
			bins_add(&bins, counts, ends[b], ends[b], 1);
			if (!(ends[a] > 0))
				continue;
			bins = choose(SCALE_LOG, ends[a], ends[b], (double)(a % 2), NULL, 50);
			bins_add(&bins, counts, ends[a], ends[b], 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),
		cmocka_unit_test(test_few_integers),
		cmocka_unit_test(test_steps_are_of_the_values),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_log_of_bytes),
		cmocka_unit_test(test_nothing_is_lost),
		cmocka_unit_test(test_hostile_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
