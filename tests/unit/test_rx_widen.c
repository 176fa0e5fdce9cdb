// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void what_wraps_goes_on(void **state)
{
	struct rx_widened counters[2];

	(void)state;
	rx_widen(counters, (const uint32_t[]){0xfffffff0, 7}, 2, true);
	assert_false(rx_widen_went_back(counters, (const uint32_t[]){5, 7}, 2));
	rx_widen(counters, (const uint32_t[]){5, 7}, 2, false);
	assert_int_equal(counters[0].value, 0x100000005);
	assert_int_equal(counters[1].value, 7);
	rx_widen(counters, (const uint32_t[]){4, 9}, 2, false);
	assert_int_equal(counters[0].value, 0x200000004);
}

static void what_went_back_has_begun_anew(void **state)
{
	struct rx_widened counters[2];

	(void)state;
	rx_widen(counters, (const uint32_t[]){100, 100}, 2, true);
	assert_false(rx_widen_went_back(counters, (const uint32_t[]){100, 0x80000063}, 2));
	assert_true(rx_widen_went_back(counters, (const uint32_t[]){200, 99}, 2));
	rx_widen(counters, (const uint32_t[]){200, 99}, 2, true);
	assert_int_equal(counters[0].value, 200);
	assert_int_equal(counters[1].value, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_wraps_goes_on),
		cmocka_unit_test(what_went_back_has_begun_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
