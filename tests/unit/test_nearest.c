// SPDX-License-Identifier: BSD-2-Clause
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *find(const char *wanted)
{
	static const char *const names[] = {
		"list", "doctor", "record", "print", "stats", "format", "from",
	};
	struct nearest near;
	size_t i;

	nearest_init(&near, wanted);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		nearest_offer(&near, names[i]);
	return near.name;
}

static void test_finds_what_was_meant(void **state)
{
	(void)state;
	assert_string_equal(find("recrod"), "record");
	assert_string_equal(find("rec"), "record");
	assert_string_equal(find("recordd"), "record");
	assert_string_equal(find("lst"), "list");
	assert_string_equal(find("fron"), "from");
	assert_string_equal(find("list"), "list");
}

static void test_nothing_is_near(void **state)
{
	(void)state;
	assert_null(find("xyzzy"));
	assert_null(find(""));
	assert_null(find("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_what_was_meant),
		cmocka_unit_test(test_nothing_is_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
