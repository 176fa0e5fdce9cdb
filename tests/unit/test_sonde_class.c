// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

static const struct sonde_class *open_and_find(void **state, const char *name)
{
	struct lib_fixture *fix = *state;
	const struct sonde_class *found;

	fixture_open(fix, 0, 0);
	found = sonde_class_find(fix->source, name);
	assert_non_null(found);
	return found;
}

static void test_classes(void **state)
{
	const struct sonde_class *all = open_and_find(state, "all");
	const struct sonde_source *source = ((struct lib_fixture *)*state)->source;
	size_t losses = 0;

	assert_string_equal(sonde_class_name(all), "all");
	assert_string_equal(sonde_class_text(all), "one of each");
	assert_null(sonde_class_text(sonde_class_find(source, "group.other")));
	assert_null(sonde_class_find(source, "group"));
	for (size_t i = 0; i < sonde_class_count(source); i++) {
		assert_int_equal(sonde_class_index(sonde_class_get(source, i)), i);
		losses += sonde_class_is_lost(sonde_class_get(source, i));
	}
	assert_int_equal(losses, 1);
	assert_null(sonde_class_get(source, sonde_class_count(source)));
}

static void test_what_a_field_is(void **state)
{
	const struct sonde_class *all = open_and_find(state, "all");
	const struct sonde_field *whole = sonde_class_field_find(all, "whole");
	const struct sonde_field *high = sonde_class_field_find(all, "high");

	assert_string_equal(sonde_field_name(whole), "whole");
	assert_string_equal(sonde_field_text(whole), "a number");
	assert_string_equal(sonde_field_unit(whole), "bytes");
	assert_string_equal(sonde_field_show(whole), "hex");
	assert_int_equal(sonde_field_scope(whole), SONDE_SCOPE_SYSTEM);
	assert_int_equal(sonde_field_type(whole), SONDE_TYPE_UNSIGNED);
	assert_int_equal(sonde_field_bits(whole), 64);
	assert_false(sonde_field_is_array(whole));
	assert_int_equal(sonde_field_type(high), SONDE_TYPE_SIGNED);
	assert_int_equal(sonde_field_bits(high), 5);
	assert_null(sonde_field_text(high));
	assert_null(sonde_field_unit(high));
	assert_string_equal(sonde_field_show(high), "decimal");
}

static void test_types(void **state)
{
	static const struct {
		const char *name;
		enum sonde_type type;
		bool is_array;
	} wanted[] = {
		{"ratio", SONDE_TYPE_DOUBLE, false}, {"state", SONDE_TYPE_UNSIGNED, false},
		{"list", SONDE_TYPE_UNSIGNED, true}, {"stack", SONDE_TYPE_UNSIGNED, true},
		{"comm", SONDE_TYPE_TEXT, false},    {"path", SONDE_TYPE_TEXT, false},
		{"ret", SONDE_TYPE_SIGNED, false},
	};
	const struct sonde_class *all = open_and_find(state, "all");

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct sonde_field *field = sonde_class_field_find(all, wanted[i].name);

		assert_int_equal(sonde_field_type(field), wanted[i].type);
		assert_int_equal(sonde_field_is_array(field), wanted[i].is_array);
	}
}

static void test_enumerates(void **state)
{
	const struct sonde_class *all = open_and_find(state, "all");
	const struct sonde_field *state_field = sonde_class_field_find(all, "state");
	int64_t first, last;

	assert_int_equal(sonde_class_field_count(all), 14);
	assert_string_equal(sonde_field_name(sonde_class_field_get(all, 0)), "whole");
	assert_string_equal(sonde_field_name(sonde_class_field_get(all, 13)), "nr");
	assert_null(sonde_class_field_get(all, 14));
	assert_null(sonde_class_field_find(all, "nothing"));
	assert_int_equal(sonde_field_label_count(state_field), 3);
	assert_string_equal(sonde_field_label_get(state_field, 2, &first, &last), "MANY");
	assert_int_equal(first, 2);
	assert_int_equal(last, 9);
	assert_null(sonde_field_label_get(state_field, 3, &first, &last));
}

static void test_classes_of_items(void **state)
{
	const struct sonde_class *shapes = open_and_find(state, "shapes");
	const struct sonde_field *pairs = sonde_class_field_find(shapes, "pairs");
	const struct sonde_class *items = sonde_field_items(pairs);

	assert_int_equal(sonde_field_type(pairs), SONDE_TYPE_LIST);
	assert_true(sonde_field_is_array(pairs));
	assert_int_equal(sonde_class_field_count(items), 2);
	assert_int_equal(sonde_class_index(items), SIZE_MAX);
	assert_string_equal(sonde_field_name(sonde_class_field_get(items, 1)), "inner");
	assert_null(sonde_field_items(sonde_class_field_find(shapes, "tag")));
	assert_true(sonde_field_is_context(sonde_class_field_find(shapes, "place")));
	assert_false(sonde_field_is_context(pairs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_classes),
		FIXTURE_TEST(test_what_a_field_is),
		FIXTURE_TEST(test_types),
		FIXTURE_TEST(test_enumerates),
		FIXTURE_TEST(test_classes_of_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
