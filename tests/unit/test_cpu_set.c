// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/cpu_set.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"

static void check(const struct cpu_set *set, const char *expected)
{
	struct buffer out;

	buffer_init(&out);
	cpu_set_write(set, &out);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buffer_fini(&out);
}

static void test_ranges(void **state)
{
	struct cpu_set set = {0};

	(void)state;
	check(&set, "");
	cpu_set_add(&set, -1);
	check(&set, "");
	cpu_set_add(&set, 3);
	cpu_set_add(&set, 0);
	cpu_set_add(&set, 1);
	cpu_set_add(&set, 1);
	check(&set, "0-1,3");
	cpu_set_add(&set, 2);
	check(&set, "0-3");
	assert_null(set.high);
	cpu_set_fini(&set);
}

static void test_high(void **state)
{
	struct cpu_set set = {0}, other = {0};

	(void)state;
	cpu_set_add(&set, 63);
	cpu_set_add(&set, 64);
	cpu_set_add(&set, 8191);
	cpu_set_add(&set, 8192); /* none has that many */
	check(&set, "63-64,8191");
	cpu_set_add(&other, 0);
	cpu_set_merge(&other, &set);
	check(&other, "0,63-64,8191");
	assert_int_equal(cpu_set_next(&other, 64), 8191);
	assert_int_equal(cpu_set_next(&other, 8191), -1);
	cpu_set_fini(&set);
	cpu_set_fini(&other);
}

static void parse(const char *text, int err, const char *expected)
{
	struct cpu_set set = {0};

	assert_int_equal(cpu_set_parse(&set, text), err);
	if (!err)
		check(&set, expected);
	cpu_set_fini(&set);
}

static void test_parse(void **state)
{
	(void)state;
	parse("0", 0, "0");
	parse("0,2-5", 0, "0,2-5");
	parse("5,3,4,63-65", 0, "3-5,63-65");
	parse("7-7,8191", 0, "7,8191");
	parse("", -EINVAL, NULL);
	parse("a", -EINVAL, NULL);
	parse("1,", -EINVAL, NULL);
	parse(",1", -EINVAL, NULL);
	parse("1-", -EINVAL, NULL);
	parse("-1", -EINVAL, NULL);
	parse("5-2", -EINVAL, NULL);
	parse("1-2-3", -EINVAL, NULL);
	parse("1 2", -EINVAL, NULL);
	parse("8192", -ERANGE, NULL);
	parse("0-8192", -ERANGE, NULL);
	parse("99999999999999999999", -ERANGE, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_high),
		cmocka_unit_test(test_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
