// SPDX-License-Identifier: BSD-2-Clause
#include "output/names.h"

#include <stdlib.h>

#include "view_fixture.h"

static void test_calls_and_errors(void **state)
{
	struct names *names;
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	names = names_new(&f.info, escape_terminal);
	assert_non_null(names);
	assert_string_equal(names_call(names, false, 110)->text, "getppid");
	assert_string_equal(names_call(names, true, 20)->text, "getpid");
	assert_null(names_call(names, true, 110));
	assert_null(names_call(names, false, -1));
	assert_null(names_call(names, false, INT64_MAX));
	assert_string_equal(names_error(names, -2)->text, "ENOENT");
	assert_string_equal(names_error(names, -512)->text, "ERESTARTSYS");
	assert_null(names_error(names, 2));
	assert_null(names_error(names, -4095));
	assert_null(names_error(names, INT64_MIN));
	names_free(names);
	fixture_fini(&f);
}

static void check(const struct label_names *labels, int64_t value, const char *expected)
{
	const struct name *name = label_names_get(labels, value);

	if (!expected) {
		assert_null(name);
		return;
	}
	assert_non_null(name);
	assert_string_equal(name->text, expected);
	assert_int_equal(name->len, strlen(expected));
}

static void test_labels(void **state)
{
	static const struct field_label near[] = {{-1, -1, "MINUS"}, {2, 4, "RANGE"}};
	static const struct field_label spread[] = {{0, 0, "ZERO"}, {1 << 20, 1 << 20, "\x1b"}};
	static const struct field_label wide[] = {
		{0, 0, "NONE"},
		{1, -1, "SOME, which takes all the others, of which there are many"},
	};
	struct field field = {.name = "x", .labels = near, .label_count = 2};
	struct label_names labels;

	(void)state;
	assert_int_equal(label_names_init(&labels, &field, escape_terminal), 0);
	check(&labels, -1, "MINUS");
	check(&labels, 0, NULL);
	check(&labels, 3, "RANGE");
	check(&labels, 5, NULL);
	check(&labels, INT64_MIN, NULL);
	label_names_fini(&labels);

	field.labels = spread;
	assert_int_equal(label_names_init(&labels, &field, escape_terminal), 0);
	check(&labels, 0, "ZERO");
	check(&labels, 1 << 20, "\\x1b");
	check(&labels, 1, NULL);
	label_names_fini(&labels);

	field.labels = wide;
	assert_int_equal(label_names_init(&labels, &field, escape_terminal), 0);
	check(&labels, 0, "NONE");
	check(&labels, 1, "SOME, which takes all the others, of which there are many");
	check(&labels, -1, "SOME, which takes all the others, of which there are many");
	label_names_fini(&labels);

	field.label_count = 0;
	assert_int_equal(label_names_init(&labels, &field, escape_terminal), 0);
	check(&labels, 0, NULL);
	label_names_fini(&labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_and_errors),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
