// SPDX-License-Identifier: BSD-2-Clause
#include "base/emit.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define ROOM (128 + EMIT_SLACK_BYTES)

static char text[ROOM];

#define CHECK(call, expected)                          \
	do {                                           \
		*(call) = '\0';                        \
		assert_string_equal(text, (expected)); \
	} while (0)

static void test_integers_agree_with_printf(void **state)
{
	uint64_t value = 1;
	char expected[64];
	int i;

	(void)state;
	for (i = 0; i < 4000; i++) {
		snprintf(expected, sizeof(expected), "%" PRIu64, value);
		CHECK(emit_uint(text, value), expected);
		snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)value);
		CHECK(emit_int(text, (int64_t)value), expected);
		snprintf(expected, sizeof(expected), "0x%" PRIx64, value);
		CHECK(emit_hex(text, value), expected);
		snprintf(expected, sizeof(expected), "%09" PRIu64, value % 1000000000);
		CHECK(emit_nine(text, (uint32_t)(value % 1000000000)), expected);
		/* All lengths: a pseudo-random walk, now and then shifted. */
		value = value * 6364136223846793005u + 1442695040888963407u;
		if (i & 1)
			value >>= i % 64;
	}
}

static void check_length(uint64_t value)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	CHECK(emit_uint(text, value), expected);
}

static void test_edges(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (int i = 0; i < 20; i++, power *= 10) {
		check_length(power - 1);
		check_length(power);
		check_length(power + 1);
	}
	CHECK(emit_uint(text, 0), "0");
	CHECK(emit_uint(text, UINT64_MAX), "18446744073709551615");
	CHECK(emit_int(text, INT64_MIN), "-9223372036854775808");
	CHECK(emit_hex(text, 0), "0x0");
	CHECK(emit_octal(text, 0644), "0644");
	CHECK(emit_binary(text, 0), "0b0");
	CHECK(emit_binary(text, 10), "0b1010");
}

static void test_floats(void **state)
{
	(void)state;
	CHECK(emit_float(text, 0.1, 64), "0.1");
	CHECK(emit_float(text, 1.0 / 3, 64), "0.3333333333333333");
	CHECK(emit_float(text, (double)0.1f, 32), "0.1");
	CHECK(emit_float(text, -1.7976931348623157e308, 64), "-1.7976931348623157e+308");
	CHECK(emit_float(text, 5e-324, 64), "5e-324");
	CHECK(emit_float(text, 0.0, 64), "0");
	CHECK(emit_float(text, -0.0, 64), "-0");
	CHECK(emit_float(text, 1.0, 64), "1");
	CHECK(emit_float(text, -12.5, 64), "-12.5");
	CHECK(emit_float(text, 0.5, 64), "0.5");
	CHECK(emit_float(text, 0.00012, 64), "0.00012");
	CHECK(emit_float(text, 0.000012, 64), "1.2e-05");
	CHECK(emit_float(text, 1e14, 64), "100000000000000");
	CHECK(emit_float(text, 1e15, 64), "1e+15");
	CHECK(emit_float(text, 1e22, 64), "1e+22");
	CHECK(emit_float(text, 1e100, 64), "1e+100");
	CHECK(emit_float(text, 1234567890123456.0, 64), "1234567890123456");
	CHECK(emit_float(text, 9007199254740993.0, 64), "9007199254740992");
	CHECK(emit_float(text, 16777216, 32), "16777216");
	CHECK(emit_float(text, 1e6, 32), "1e+06");
	CHECK(emit_float(text, (double)1e-45f, 32), "1e-45");
	CHECK(emit_float(text, NAN, 64), "nan");
	CHECK(emit_float(text, -INFINITY, 64), "-inf");
}

static void test_addresses(void **state)
{
	const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, 192, 168, 0, 255};
	const uint8_t six[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};

	(void)state;
	CHECK(emit_address(text, mapped, 1), "192.168.0.255");
	CHECK(emit_address(text, six, 0), "2001:db8::1");
	CHECK(emit_address(text, six, 1), "[2001:db8::1]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers_agree_with_printf),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
