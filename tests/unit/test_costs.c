// SPDX-License-Identifier: BSD-2-Clause
#include "probe/run_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void what_was_never_measured_is_zero(void **state)
{
	(void)state;
	assert_int_equal(cost_of("no.such"), 0);
	assert_int_equal(cost_of(""), 0);
	assert_int_equal(cost_of("sys"), 0); /* the beginning of a name is not the name */
	assert_int_equal(cost_of("#"), 0);
}

static void what_was_measured_is_some_nanoseconds(void **state)
{
	(void)state;
	assert_in_range(cost_of("sys.enter"), 0, 10000);
}

static void the_machine_is_named_in_one_line(void **state)
{
	char text[128], little[4];

	(void)state;
	cost_machine(text, sizeof(text));
	assert_non_null(strstr(text, "CPUs"));
	assert_null(strpbrk(text, "#\n"));
	cost_machine(little, sizeof(little));
	assert_memory_equal(little, text, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_never_measured_is_zero),
		cmocka_unit_test(what_was_measured_is_some_nanoseconds),
		cmocka_unit_test(the_machine_is_named_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
