// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/latency.h"

/* Many keys that begin alike, some of which are beginnings of others: each has a row of its own. */
static void test_keys(void **state)
{
	char key[64];
	struct tally tally;

	(void)state;
	assert_int_equal(tally_init(&tally, 1), 0);
	memset(key, 'k', sizeof(key));
	for (int round = 1; round <= 3; round++) {
		for (uint32_t i = 0; i < 5000; i++) {
			struct tally_row *row;

			memcpy(key + 8, &i, sizeof(i));
			row = tally_at(&tally, key, 12 + i % 40);
			assert_int_equal(row->events, round - 1);
			row->events++;
			tally_add(&tally, &row->sums[0], i, false);
		}
	}
	assert_int_equal(tally.count, 5000);
	assert_null(tally_others(&tally));
	for (uint32_t i = 0; i < 5000; i++) {
		const struct tally_row *row = tally.rows[i];

		assert_int_equal(row->key_bytes, 12 + i % 40);
		assert_memory_equal(row->key + 8, &i, sizeof(i));
		assert_true(row->sums[0].sum == 3.0L * i);
		assert_int_equal(row->sums[0].count, 3);
	}
	tally_fini(&tally);
}

/* No number is lost in a sum: the largest 32 bits often, and one more. */
static void test_sums(void **state)
{
	struct tally_sum *sum;
	struct tally tally;

	(void)state;
	assert_int_equal(tally_init(&tally, 1), 0);
	sum = tally_at(&tally, "", 0)->sums;
	tally_add(&tally, sum, 1ull << 62, true);
	tally_add(&tally, sum, 1, true);
	tally_add(&tally, sum, -7, true);
	assert_true((uint64_t)sum->sum == (1ull << 62) - 6);
	assert_true(sum->min == -7);
	assert_true(sum->max == 1ull << 62);
	assert_int_equal(sum->count, 3);
	assert_int_equal(sum->below_zero, 1);
	assert_int_equal(sum->spread->count, 2);
	tally_fini(&tally);
}

/* Keys beyond the limit are counted together. */
static void test_limit(void **state)
{
	struct tally tally;

	(void)state;
	assert_int_equal(tally_init(&tally, 1), 0);
	for (uint32_t i = 0; i < TALLY_ROWS_MAX + 10; i++) {
		struct tally_row *row = tally_at(&tally, &i, sizeof(i));

		row->events++;
		tally_add(&tally, &row->sums[0], 2, true);
	}
	assert_int_equal(tally.count, TALLY_ROWS_MAX);
	assert_non_null(tally_others(&tally));
	assert_int_equal(tally_others(&tally)->events, 10);
	assert_true(tally_others(&tally)->sums[0].sum == 20);
	assert_null(tally_others(&tally)->key);
	assert_int_equal(tally.spreads, TALLY_SPREADS_MAX);
	tally_fini(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
