// SPDX-License-Identifier: BSD-2-Clause
#include "graph/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void formats(const char *name, double value, const char *expected)
{
	struct unit unit = unit_find(name);
	char text[48];

	unit_format(&unit, value * unit.factor, 4, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void amounts_are_told_in_the_step_that_suits(void **state)
{
	(void)state;
	formats("bytes", 0, "0 B");
	formats("bytes", 1023, "1023 B");
	formats("bytes", 1536, "1.5 KiB");
	formats("bytes", -3 * 1048576.0, "-3 MiB");
	formats("ns", 1234567, "1.235 ms");
	formats("ns", 90e9, "1.5 min");
	formats("segments", 12, "12 segments");
	formats(NULL, 0.5, "0.5");
}

static void the_kernel_s_times_become_ns(void **state)
{
	(void)state;
	formats("us/8", 8000, "1 ms");
	formats("us/4", 4, "1 \u00b5s");
	formats("us", 1500, "1.5 ms");
}

static void axes_are_shared_by_what_is_measured_alike(void **state)
{
	struct unit ns = unit_find("ns"), srtt = unit_find("us/8"), bytes = unit_find("bytes");
	struct unit segments = unit_find("segments"), packets = unit_find("packets");
	struct unit none = unit_find(NULL);

	(void)state;
	assert_true(unit_same(&ns, &srtt));
	assert_false(unit_same(&ns, &bytes));
	assert_true(unit_same(&segments, &segments));
	assert_false(unit_same(&segments, &packets));
	assert_false(unit_same(&segments, &none));
	assert_false(unit_same(&none, &bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_are_told_in_the_step_that_suits),
		cmocka_unit_test(the_kernel_s_times_become_ns),
		cmocka_unit_test(axes_are_shared_by_what_is_measured_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
