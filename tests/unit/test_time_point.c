// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/select.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define FIRST_NS 1700000000000000000ll /* 2023-11-14T22:13:20Z */

static void check(const char *text, int64_t expected_ns)
{
	struct time_point point;

	assert_int_equal(time_point_parse(text, &point), 0);
	assert_true(time_point_resolve(&point, FIRST_NS) == expected_ns);
}

static void test_forms(void **state)
{
	(void)state;
	check("+1.5", FIRST_NS + 1500000000);
	check("+250ms", FIRST_NS + 250000000);
	check("1700000000000000123", FIRST_NS + 123);
	check("1700000000.000000123", FIRST_NS + 123);
	check("22:13:21", FIRST_NS + 1000000000);
	check("22:14", FIRST_NS + 40000000000);
	check("22:13:20.5", FIRST_NS + 500000000);
	check("00:13:20", FIRST_NS + 7200000000000); /* past midnight */
	check("2023-11-14T22:13:20.25", FIRST_NS + 250000000);
	check("2023-11-14 22:13:20", FIRST_NS);
	check("2023-11-14 22:13", FIRST_NS - 20000000000);
	check("2023-11-14T22:13+00:00", FIRST_NS - 20000000000);
	check("2023-11-15T00:13:20.000000001+02:00", FIRST_NS + 1);
}

static void test_nonsense_is_refused(void **state)
{
	static const char *const wrong[] = {"",
					    "+",
					    "soon",
					    "12:61:00",
					    "12:48:1",
					    "1:48",
					    "12:4",
					    "2023-11-14 22:1",
					    "2023-11-14 22:13:2",
					    "2023-11-14x22:13",
					    "12:00:00x",
					    "1.2.3",
					    "+-1",
					    "99999999999999999999",
					    "2023-11-14T22:13:20+xx"};
	struct time_point point;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(time_point_parse(wrong[i], &point), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_nonsense_is_refused),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
