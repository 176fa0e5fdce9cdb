// SPDX-License-Identifier: BSD-2-Clause
#include "schema/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_labels_are_ranges(void **state)
{
	static const struct field_label labels[] = {
		{1, 1, "ESTABLISHED"}, {-5, -2, "below"}, {10, INT64_MAX, "above"}};
	const struct field field = {.name = "f", .labels = labels, .label_count = 3};

	(void)state;
	assert_string_equal(field_label(&field, 1), "ESTABLISHED");
	assert_string_equal(field_label(&field, -5), "below");
	assert_string_equal(field_label(&field, -2), "below");
	assert_string_equal(field_label(&field, INT64_MAX), "above");
	assert_null(field_label(&field, 0));
	assert_null(field_label(&field, 9));
}

static void test_every_show_has_a_name_of_its_own(void **state)
{
	int show;

	(void)state;
	for (show = 0; show < FIELD_SHOW_COUNT; show++) {
		const char *name = field_show_name((enum field_show)show);

		assert_non_null(name);
		assert_int_equal(field_show_parse(name, strlen(name)), show);
	}
	assert_int_equal(field_show_parse("hexes", 3), FIELD_SHOW_HEX);
	assert_int_equal(field_show_parse("hexes", 5), FIELD_SHOW_DECIMAL);
	assert_int_equal(field_show_parse("", 0), FIELD_SHOW_DECIMAL);
}

static void test_scopes(void **state)
{
	(void)state;
	assert_string_equal(field_scope_name(FIELD_SCOPE_MONITOR), "monitor");
	assert_string_equal(field_scope_name(FIELD_SCOPE_SYSTEM), "system");
	assert_string_equal(field_scope_name(FIELD_SCOPE_OBJECT), "object");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels_are_ranges),
		cmocka_unit_test(test_every_show_has_a_name_of_its_own),
		cmocka_unit_test(test_scopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
