// SPDX-License-Identifier: BSD-2-Clause
#include "schema/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schema/event.h"

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

/* What earlier versions recorded in eighths is read in whole units, in either byte order. */
static void test_fractions_are_cut_off(void **state)
{
	static const uint8_t little[] = {0xd8, 0x02, 0, 0}, big[] = {0, 0, 0x02, 0xd8}; /* 728 */
	struct field field = {.name = "srtt_us", .bits = 32, .count = 1, .unit = "us/8"};
	struct event_class class = {.fields = &field, .field_count = 1};
	struct event event = {.class = &class, .payload = little, .offsets = &field.offset_bits};

	(void)state;
	field_cut_fraction(&field);
	assert_string_equal(field.unit, "us");
	assert_int_equal(event_uint(&event, 0), 91);
	field_cut_fraction(&field); /* now it is whole */
	assert_int_equal(event_uint(&event, 0), 91);
	field = (struct field){
		.name = "mdev_us", .bits = 32, .count = 1, .unit = "us/4", .big_endian = true};
	event.payload = big;
	field_cut_fraction(&field);
	assert_int_equal(event_uint(&event, 0), 182);
	field = (struct field){.name = "rto_us", .bits = 32, .count = 1, .unit = "us"};
	event.payload = little;
	field_cut_fraction(&field);
	assert_int_equal(event_uint(&event, 0), 728);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels_are_ranges),
		cmocka_unit_test(test_every_show_has_a_name_of_its_own),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_fractions_are_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
