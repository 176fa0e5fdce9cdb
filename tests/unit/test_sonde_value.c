// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

#include <math.h>

static const struct sonde_event *open_all(void **state)
{
	struct lib_fixture *fix = *state;

	fixture_add_all(fix);
	fixture_open(fix, 0, 0);
	return fixture_next(fix);
}

static void test_whole_numbers(void **state)
{
	const struct sonde_event *event = open_all(state);

	assert_int_equal(sonde_event_uint(event, "whole"), UINT64_MAX - 1);
	assert_int_equal(sonde_event_int(event, "whole"), -2);
	assert_true(sonde_event_double(event, "whole") > 1.8e19);
	assert_int_equal(sonde_event_int(event, "small"), -5);
	assert_int_equal(sonde_event_uint(event, "small"), (uint64_t)-5);
	assert_true(sonde_event_double(event, "small") == -5.0);
	assert_int_equal(sonde_event_uint(event, "low"), 6);
	assert_int_equal(sonde_event_int(event, "high"), -3);
}

static void test_double(void **state)
{
	const struct sonde_event *event = open_all(state);

	assert_true(sonde_event_double(event, "ratio") == -2.5);
	assert_int_equal(sonde_event_int(event, "ratio"), -2);
	assert_int_equal(sonde_event_uint(event, "ratio"), 0);
}

static void test_arrays(void **state)
{
	const struct sonde_event *event = open_all(state);
	const struct sonde_field *list = sonde_event_field(event, "list");
	const struct sonde_field *stack = sonde_event_field(event, "stack");

	assert_int_equal(sonde_value_count(event, list), 3);
	assert_int_equal(sonde_value_uint_at(event, list, 0), 0x0001);
	assert_int_equal(sonde_value_uint_at(event, list, 1), 0x0203);
	assert_int_equal(sonde_value_int_at(event, list, 2), 0xffff);
	assert_int_equal(sonde_value_uint_at(event, list, 3), 0);
	assert_int_equal(sonde_value_count(event, stack), 2);
	assert_int_equal(sonde_value_uint_at(event, stack, 0), 70000);
	assert_true(sonde_value_double_at(event, stack, 1) == 8.0);
	assert_int_equal(sonde_value_uint_at(event, stack, SIZE_MAX), 0);
	assert_int_equal(sonde_value_uint_at(event, stack, (size_t)UINT32_MAX + 2), 0);
}

static void test_texts(void **state)
{
	const struct sonde_event *event = open_all(state);
	const struct sonde_field *comm = sonde_event_field(event, "comm");
	size_t len;

	assert_memory_equal(sonde_value_text(event, comm, &len), "four", 4);
	assert_int_equal(len, 4);
	assert_int_equal(sonde_value_count(event, comm), 1);
	assert_int_equal(sonde_value_uint(event, comm), 0);
	assert_string_equal(sonde_event_text(event, "path", NULL), "/tmp/file");
	assert_memory_equal(sonde_value_bytes(event, comm, &len), "four", 4);
	assert_int_equal(len, 4);
}

static void test_bytes(void **state)
{
	const struct sonde_event *event = open_all(state);
	const struct sonde_field *peer = sonde_event_field(event, "peer");
	const uint8_t *bytes;
	size_t len;

	bytes = sonde_value_bytes(event, peer, &len);
	assert_int_equal(len, 16);
	assert_int_equal(bytes[12], 192);
	assert_null(sonde_value_bytes(event, sonde_event_field(event, "list"), &len));
	assert_int_equal(len, 0);
	assert_null(sonde_value_bytes(event, sonde_event_field(event, "ratio"), &len));
	bytes = sonde_value_bytes(event, sonde_event_field(event, "small"), &len);
	assert_int_equal(len, 1);
	assert_int_equal(bytes[0], 256 - 5);
}

/* What an event does not have is nothing, and never somebody else's. */
static void test_handles_of_others(void **state)
{
	const struct sonde_event *event = open_all(state);
	const struct sonde_class *other =
		sonde_class_find(((struct lib_fixture *)*state)->source, "group.other");
	const struct sonde_field *field = sonde_class_field_find(other, "value");
	size_t len = 7;

	assert_non_null(field);
	assert_false(sonde_value_is_present(event, field));
	assert_int_equal(sonde_value_uint(event, field), 0);
	assert_int_equal(sonde_value_count(event, field), 0);
	assert_null(sonde_value_text(event, field, &len));
	assert_int_equal(len, 0);
	assert_null(sonde_value_bytes(event, field, &len));
	assert_null(sonde_value_label(event, field));
	assert_false(sonde_value_is_present(event, NULL));
	assert_int_equal(sonde_value_uint(event, NULL), 0);
	assert_null(sonde_event_field(event, "value"));
	assert_int_equal(sonde_event_int(event, "value"), 0);
	assert_null(sonde_event_text(event, "whole", &len));
	assert_null(sonde_event_label(event, "value"));
}

static void test_labels(void **state)
{
	const struct sonde_event *event = open_all(state);

	assert_string_equal(sonde_event_label(event, "state"), "MANY");
	assert_string_equal(sonde_event_label(event, "peer"), "192.0.2.9");
	assert_string_equal(sonde_event_label(event, "ret"), "ENOENT");
	assert_string_equal(sonde_event_label(event, "nr"), "write");
	assert_null(sonde_event_label(event, "whole"));
	assert_null(sonde_event_label(event, "path"));
	assert_null(sonde_value_label_at(event, sonde_event_field(event, "list"), 1));
	assert_null(sonde_value_label_at(event, sonde_event_field(event, "state"), 1));
}

static void test_what_a_variant_chose(void **state)
{
	struct lib_fixture *fix = *state;
	const struct sonde_event *event;
	const struct sonde_field *number;

	fixture_add_shapes(fix, false);
	fixture_add_shapes(fix, true);
	fixture_open(fix, 0, 0);
	event = fixture_next(fix);
	number = sonde_class_field_find(sonde_event_class(event), "choice.number");
	assert_non_null(number);
	assert_true(sonde_value_is_present(event, number));
	assert_int_equal(sonde_value_uint(event, number), 1000);
	assert_null(sonde_event_field(event, "choice.word"));
	event = fixture_next(fix);
	assert_false(sonde_value_is_present(event, number));
	assert_int_equal(sonde_value_uint(event, number), 0);
	assert_int_equal(sonde_value_count(event, number), 0);
	assert_null(sonde_value_label(event, number));
	assert_string_equal(sonde_event_text(event, "choice.word", NULL), "said");
	assert_int_equal(sonde_event_uint(event, "last"), 99);
	assert_int_equal(sonde_event_uint(event, "place"), 31);
}

static void expect_lists(const struct sonde_event *event)
{
	const struct sonde_field *pairs = sonde_event_field(event, "pairs");
	const struct sonde_field *words = sonde_event_field(event, "words");
	const struct sonde_field *word = sonde_class_field_get(sonde_field_items(words), 0);
	const struct sonde_class *pair = sonde_field_items(pairs);
	const struct sonde_field *inner = sonde_class_field_find(pair, "inner");
	const struct sonde_event *item, *innermost;
	struct sonde_item room[2];

	assert_int_equal(sonde_value_count(event, pairs), 2);
	assert_int_equal(sonde_value_uint(event, pairs), 0);
	assert_null(sonde_value_label(event, pairs));
	item = sonde_value_item(event, pairs, 0, &room[0]);
	assert_ptr_equal(sonde_event_class(item), pair);
	assert_int_equal(sonde_event_time_ns(item), sonde_event_time_ns(event));
	assert_int_equal(sonde_event_tid(item), FIXTURE_TID);
	assert_int_equal(sonde_value_count(item, inner), 1);
	innermost = sonde_value_item(item, inner, 0, &room[1]);
	assert_int_equal(sonde_event_uint(innermost, "level"), 7);
	assert_string_equal(sonde_event_label(innermost, "level"), "LOW");
	assert_string_equal(sonde_event_text(innermost, "s", NULL), "in");
	assert_int_equal(sonde_event_uint(event, "level"), 0);
	item = sonde_value_item(event, pairs, 1, &room[0]);
	assert_int_equal(sonde_value_count(item, inner), 0);
	assert_null(sonde_value_item(item, inner, 0, &room[1]));
	assert_null(sonde_value_item(event, pairs, 2, &room[0]));
	assert_null(sonde_value_item(event, inner, 0, &room[0]));
	item = sonde_value_item(event, words, 1, &room[0]);
	assert_string_equal(sonde_field_name(word), "");
	assert_string_equal(sonde_value_text(item, word, NULL), "two");
}

static void test_lists(void **state)
{
	struct lib_fixture *fix = *state;

	fixture_add_shapes(fix, true);
	fixture_open(fix, 0, 0);
	expect_lists(fixture_next(fix));
}

/* Copies of events, and of items. */
static void test_copies_of_lists(void **state)
{
	struct lib_fixture *fix = *state;
	const struct sonde_event *event;
	struct sonde_event *copy, *item_copy;
	struct sonde_item room;

	fixture_add_shapes(fix, true);
	fixture_add_all(fix);
	fixture_open(fix, 0, 0);
	event = fixture_next(fix);
	copy = sonde_event_copy(event);
	item_copy = sonde_event_copy(
		sonde_value_item(event, sonde_event_field(event, "words"), 0, &room));
	(void)fixture_next(fix);
	expect_lists(copy);
	assert_null(sonde_event_field(copy, "choice.number"));
	assert_string_equal(sonde_event_text(copy, "choice.word", NULL), "said");
	assert_string_equal(sonde_event_text(item_copy, "", NULL), "one");
	sonde_event_free(item_copy);
	sonde_event_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_whole_numbers), FIXTURE_TEST(test_double),
		FIXTURE_TEST(test_arrays),	  FIXTURE_TEST(test_texts),
		FIXTURE_TEST(test_bytes),	  FIXTURE_TEST(test_handles_of_others),
		FIXTURE_TEST(test_labels),	  FIXTURE_TEST(test_what_a_variant_chose),
		FIXTURE_TEST(test_lists),	  FIXTURE_TEST(test_copies_of_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
