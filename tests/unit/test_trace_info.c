// SPDX-License-Identifier: BSD-2-Clause
#include "schema/trace_info.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_env_is_found_by_name(void **state)
{
	static const struct trace_env env[] = {{.name = "hostname", .text = "vm"},
					       {.name = "tracer_major", .number = 3}};
	const struct trace_info info = {.env_count = 2, .env = env};
	const struct trace_info none = {0};

	(void)state;
	assert_string_equal(trace_info_env(&info, "hostname")->text, "vm");
	assert_int_equal(trace_info_env(&info, "tracer_major")->number, 3);
	assert_null(trace_info_env(&info, "host"));
	assert_null(trace_info_env(&none, "hostname"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_env_is_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
