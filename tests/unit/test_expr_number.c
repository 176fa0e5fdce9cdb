// SPDX-License-Identifier: BSD-2-Clause
#include "schema/expr_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

/* The whole of @text is this number of @unit_ns, exactly. */
static void expect(const char *text, uint64_t want, uint64_t unit_ns)
{
	struct expr_number number;
	bool exact;

	assert_int_equal(expr_number_parse(text, strlen(text), &number, NULL), strlen(text));
	assert_int_equal(expr_number_floor(&number, unit_ns, &exact), want);
	assert_true(exact);
}

static void expect_bad(const char *text, uint64_t at)
{
	struct expr_number number;
	struct diag diag = {0};

	assert_true(expr_number_parse(text, strlen(text), &number, &diag) < 0);
	assert_int_equal(diag.offset, at);
	assert_true(diag.text[0]);
}

static void bases(void **state)
{
	(void)state;
	expect("0", 0, 1);
	expect("007", 7, 1);
	expect("0x1f", 31, 1);
	expect("0o17", 15, 1);
	expect("0b101", 5, 1);
	expect("18446744073709551615", UINT64_MAX, 1);
	expect("0xffffffffffffffff", UINT64_MAX, 1);
	expect_bad("18446744073709551616", 0);
	expect_bad("0x10000000000000000", 0);
}

static void units(void **state)
{
	(void)state;
	expect("100ms", 100000000, 1);
	expect("100ms", 100000, 1000);
	expect("1.5s", 1500000000, 1);
	expect("2m", 120000000000, 1);
	expect("1h", 3600, 1000000000);
	expect("64K", 65536, 1);
	expect("64k", 65536, 1);
	expect("64KB", 65536, 1);
	expect("64KiB", 65536, 1);
	expect("1.5M", 1572864, 1);
	expect("2G", 2147483648, 1);
	expect("1T", 1ull << 40, 1);
	expect_bad("5parsec", 1);
	expect_bad("5msB", 1);
	expect("5Ki", 5120, 1);
	expect("1Mi", 1048576, 1);
	expect_bad("5Kb", 1);
	expect_bad("5KiBs", 1);
	expect_bad("5Kib", 1);
	expect_bad("0x", 1);
}

static void percent(void **state)
{
	struct expr_number number;

	(void)state;
	assert_int_equal(expr_number_parse("2.5%", 4, &number, NULL), 4);
	assert_true(number.is_percent);
	assert_int_equal(number.value, 25);
	assert_int_equal(number.parts, 10);
	assert_int_equal(expr_number_parse("5 %", 3, &number, NULL), 1);
	assert_false(number.is_percent);
}

static void what_is_no_part_is_left(void **state)
{
	struct expr_number number;

	(void)state;
	assert_int_equal(expr_number_parse("10..20", 6, &number, NULL), 2);
	assert_int_equal(expr_number_parse("10ms..20ms", 10, &number, NULL), 4);
	assert_true(number.is_time);
	assert_int_equal(expr_number_parse("12)", 3, &number, NULL), 2);
	assert_int_equal(expr_number_parse("123", 2, &number, NULL), 2);
	assert_int_equal(number.value, 12);
	assert_int_equal(expr_number_parse("1.", 2, &number, NULL), 1);
	assert_false(number.is_time);
}

static void nothing_is_rounded(void **state)
{
	struct expr_number number;
	bool exact;

	(void)state;
	assert_int_equal(expr_number_parse("100ns", 5, &number, NULL), 5);
	assert_int_equal(expr_number_floor(&number, 125, &exact), 0);
	assert_false(exact);
	assert_int_equal(expr_number_parse("0.1", 3, &number, NULL), 3);
	assert_int_equal(expr_number_floor(&number, 1, &exact), 0);
	assert_false(exact);
	number.value = -number.value;
	assert_int_equal(expr_number_floor(&number, 1, &exact), -1);
	assert_false(exact);
	number = (struct expr_number){.value = -3000, .parts = 1, .is_time = true};
	assert_int_equal(expr_number_floor(&number, 1000, &exact), -3);
	assert_true(exact);
	assert_true(expr_number_double(&number, 1000) == -3.0);
}

static void the_longest_do_not_wrap(void **state)
{
	struct expr_number number;
	bool exact;

	(void)state;
	assert_int_equal(expr_number_parse("18446744073709551615h", 21, &number, NULL), 21);
	assert_true(expr_number_floor(&number, 1, &exact) > UINT64_MAX);
	expect_bad("0.1234567890123456789", 0);
	expect_bad("1.99999999999999999999", 0);
}

static void units_of_fields(void **state)
{
	(void)state;
	assert_int_equal(expr_unit_ns("ns"), 1);
	assert_int_equal(expr_unit_ns("us"), 1000);
	assert_int_equal(expr_unit_ns("us/8"), 125);
	assert_int_equal(expr_unit_ns("us/4"), 250);
	assert_int_equal(expr_unit_ns("s"), 1000000000);
	assert_int_equal(expr_unit_ns("bytes"), 0);
	assert_int_equal(expr_unit_ns(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bases),
		cmocka_unit_test(units),
		cmocka_unit_test(percent),
		cmocka_unit_test(what_is_no_part_is_left),
		cmocka_unit_test(nothing_is_rounded),
		cmocka_unit_test(the_longest_do_not_wrap),
		cmocka_unit_test(units_of_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
