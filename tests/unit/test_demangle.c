// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_of_cpp_and_rust_become_readable(void **state)
{
	static const struct {
		const char *mangled, *plain;
	} cases[] = {
		{"_ZNSt6vectorIiSaIiEE9push_backERKi",
		 "std::vector<int, std::allocator<int> >::push_back"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *plain = demangle(cases[i].mangled);

		assert_non_null(plain);
		assert_string_equal(plain, cases[i].plain);
		free(plain);
	}
}

static void other_names_stay_as_they_are(void **state)
{
	static const char *const names[] = {"", "_", "_Z", "_R", "main", "_Zebra", "runtime.mcall"};
	char longest[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_null(demangle(names[i]));
	memset(longest, 'P', sizeof(longest));
	memcpy(longest, "_Z1f", 4);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(demangle(longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_cpp_and_rust_become_readable),
		cmocka_unit_test(other_names_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
