// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/stream_traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "schema/trace_info.h"

static void expect(const char *text, uint32_t first, uint32_t second, uint32_t third)
{
	struct trace_stream streams[] = {{.id = 7, .trace = 9}, {.id = 0}, {.id = UINT64_MAX}};

	assert_int_equal(stream_traces_read(text, streams, 3), 0);
	assert_int_equal(streams[0].trace, first);
	assert_int_equal(streams[1].trace, second);
	assert_int_equal(streams[2].trace, third);
}

static void what_is_written_is_read(void **state)
{
	struct buffer text;

	(void)state;
	buffer_init(&text);
	stream_traces_add(&text, UINT64_MAX, 2);
	stream_traces_add(&text, 7, 1);
	stream_traces_add(&text, 0, 0);
	buffer_char(&text, '\0');
	assert_string_equal(text.data, "18446744073709551615 2,7 1,0 0");
	expect(text.data, 1, 0, 2);
	buffer_fini(&text);
}

static void what_is_not_of_the_form_ends_it(void **state)
{
	(void)state;
	expect("", 0, 0, 0);
	expect("7 1,0 2x", 1, 0, 0);
	expect("7 1, 0 2", 1, 0, 0);
	expect("7 1,-0 2", 1, 0, 0);
	expect("7 1,0", 1, 0, 0);
	expect("7 1,0 ", 1, 0, 0);
	expect("7 256,0 2", 0, 0, 0);
	expect("7 255,0 2,", 255, 2, 0);
	expect("7 1,18446744073709551616 2,0 2", 1, 0, 0);
	expect("7 1,7 3,5 4", 3, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_is_not_of_the_form_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
