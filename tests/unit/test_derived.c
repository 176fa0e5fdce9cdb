// SPDX-License-Identifier: BSD-2-Clause
#include "schema/derived.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void each_is_found_by_its_event_and_name(void **state)
{
	(void)state;
	for (int i = 0; i < DERIVED_COUNT; i++) {
		assert_non_null(derived_fields[i].sources[0]);
		assert_int_equal(derived_find(derived_fields[i].event, derived_fields[i].name), i);
	}
}

static void others_have_none(void **state)
{
	(void)state;
	assert_int_equal(derived_find("sys.enter", "dur"), -1);
	assert_int_equal(derived_find("sys.exit", "service"), -1);
	assert_int_equal(derived_find("sys.exit", ""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found_by_its_event_and_name),
		cmocka_unit_test(others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
