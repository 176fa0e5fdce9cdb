// SPDX-License-Identifier: BSD-2-Clause
#include "source/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_each_is_found_by_name_and_extension(void **state)
{
	const struct format *format;
	size_t i;

	(void)state;
	for (i = 0; (format = format_get(i)); i++) {
		char path[64] = "a/b.c/out";

		assert_ptr_equal(format_find(format->name), format);
		assert_true(*format->text);
		assert_non_null(format->make_sink);
		if (!format->extension)
			continue;
		strcat(path, format->extension);
		assert_ptr_equal(format_of_path(path), format);
	}
	assert_true(i >= 4);
}

static void test_what_is_none(void **state)
{
	(void)state;
	assert_null(format_find("jso"));
	assert_null(format_find(""));
	assert_null(format_of_path("trace"));
	assert_null(format_of_path("json"));
	assert_null(format_of_path(".json")); /* the whole of a name is no extension */
	assert_null(format_of_path(""));
	assert_null(format_of_path("a.json/trace"));
}

/* print shows the first unless told, and lists those that can go to a pipe up to the first that
 * cannot. */
static void test_order(void **state)
{
	const struct format *format;
	bool directory = false;

	(void)state;
	assert_string_equal(format_get(0)->name, "text");
	for (size_t i = 0; (format = format_get(i)); i++) {
		assert_true(format->directory || !directory);
		directory = format->directory;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_found_by_name_and_extension),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
