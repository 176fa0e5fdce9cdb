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

static void test_traces_of_one_source(void **state)
{
	static const struct trace_stream streams[] = {
		{.trace = 1}, {.trace = 3}, {.trace = TRACE_INFO_TRACES}};
	const struct trace_info several = {.stream_count = 3, .streams = streams};
	const struct trace_info none = {0};

	(void)state;
	assert_int_equal(trace_info_traces(&several), 4);
	assert_int_equal(trace_info_trace(&several, 0), 1);
	assert_int_equal(trace_info_trace(&several, 1), 3);
	assert_int_equal(trace_info_trace(&several, 2), 0);
	assert_int_equal(trace_info_trace(&several, 3), 0);
	assert_int_equal(trace_info_traces(&none), 1);
	assert_int_equal(trace_info_trace(&none, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_env_is_found_by_name),
		cmocka_unit_test(test_traces_of_one_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
