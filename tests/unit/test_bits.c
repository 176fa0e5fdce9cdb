// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint8_t bytes[] = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x11};

static void little_takes_low_bits_first(void **state)
{
	(void)state;
	assert_int_equal(bits_get(bytes, 0, 8, false), 0x12);
	assert_int_equal(bits_get(bytes, 4, 8, false), 0x41);
	assert_int_equal(bits_get(bytes, 0, 10, false), 0x12);
	assert_true(bits_get(bytes, 0, 64, false) == 0xf0debc9a78563412);
	assert_true(bits_get(bytes, 4, 64, false) == 0x1f0debc9a7856341);
}

static void big_takes_high_bits_first(void **state)
{
	(void)state;
	assert_int_equal(bits_get(bytes, 4, 8, true), 0x23);
	assert_int_equal(bits_get(bytes, 3, 2, true), 2);
	assert_true(bits_get(bytes, 0, 64, true) == 0x123456789abcdef0);
	assert_true(bits_get(bytes, 4, 64, true) == 0x23456789abcdef01);
}

static void clocks_carry_where_lower_bits_wrap(void **state)
{
	(void)state;
	assert_true(bits_clock(0x1fffffff0, 0x10, 32) == 0x200000010);
	assert_true(bits_clock(0x100000010, 0x20, 32) == 0x100000020);
	assert_true(bits_clock(0x123, 0x23, 8) == 0x123);
	assert_true(bits_clock(5, 4, 64) == 4);
	assert_true((int64_t)bits_sign(0x1f, 5) == -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(little_takes_low_bits_first),
		cmocka_unit_test(big_takes_high_bits_first),
		cmocka_unit_test(clocks_carry_where_lower_bits_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
