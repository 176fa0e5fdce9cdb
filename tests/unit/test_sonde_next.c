// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

static void test_heads(void **state)
{
	struct lib_fixture *fix = *state;
	const struct sonde_event *event;

	fixture_add_other(fix, 1);
	fixture_add_all(fix);
	fixture_open(fix, 0, 0);
	event = fixture_next(fix);
	assert_string_equal(sonde_event_name(event), "group.other");
	assert_int_equal(sonde_event_time_ns(event), FIXTURE_FIRST_NS);
	assert_int_equal(sonde_event_cpu(event), FIXTURE_CPU);
	assert_int_equal(sonde_event_tid(event), FIXTURE_TID);
	assert_null(sonde_event_comm(event));
	assert_null(sonde_event_cgroup(event));
	assert_false(sonde_event_is_lost(event));
	event = fixture_next(fix);
	assert_int_equal(sonde_event_time_ns(event), FIXTURE_FIRST_NS + FIXTURE_SECOND);
	assert_ptr_equal(sonde_event_class(event), sonde_class_find(fix->source, "all"));
	fixture_expect_end(fix);
	fixture_expect_end(fix);
}

static void test_names_of_tasks(void **state)
{
	struct lib_fixture *fix = *state;

	fixture_add_other(fix, 1);
	fixture_add_switch(fix);
	fixture_add_other(fix, 2);
	fixture_open(fix, 0, 0);
	assert_null(sonde_event_comm(fixture_next(fix)));
	assert_string_equal(sonde_event_comm(fixture_next(fix)), "worker");
	assert_string_equal(sonde_event_comm(fixture_next(fix)), "worker");
}

static void test_losses(void **state)
{
	struct lib_fixture *fix = *state;
	const struct sonde_event *event;

	fixture_add_other(fix, 1);
	fixture_open(fix, 12, 0);
	assert_int_equal(sonde_lost_events(fix->source), 0);
	event = fixture_next(fix);
	assert_true(sonde_event_is_lost(event));
	assert_true(sonde_class_is_lost(sonde_event_class(event)));
	assert_string_equal(sonde_event_name(event), "sonde.lost");
	assert_int_equal(sonde_event_uint(event, "count"), 12);
	assert_int_equal(sonde_lost_events(fix->source), 12);
	assert_int_equal(sonde_lost_packets(fix->source), 0);
	assert_false(sonde_event_is_lost(fixture_next(fix)));
	fixture_expect_end(fix);
}

/* A copy is what the event was, whatever comes behind it. */
static void test_copies(void **state)
{
	struct lib_fixture *fix = *state;
	struct sonde_event *first, *lost;
	const struct sonde_field *path;
	size_t len;

	fixture_add_switch(fix);
	fixture_add_all(fix);
	for (uint32_t i = 0; i < 20; i++)
		fixture_add_other(fix, i);
	fixture_open(fix, 3, 0);
	lost = sonde_event_copy(fixture_next(fix));
	(void)fixture_next(fix);
	first = sonde_event_copy(fixture_next(fix));
	for (int i = 0; i < 20; i++)
		(void)fixture_next(fix);
	fixture_expect_end(fix);
	assert_int_equal(sonde_event_uint(lost, "count"), 3);
	assert_int_equal(sonde_event_time_ns(first), FIXTURE_FIRST_NS + FIXTURE_SECOND);
	assert_string_equal(sonde_event_comm(first), "worker");
	assert_null(sonde_event_cgroup(first));
	path = sonde_event_field(first, "path");
	assert_memory_equal(sonde_value_text(first, path, &len), "/tmp/file", 10);
	assert_int_equal(sonde_event_int(first, "nr"), 1);
	assert_string_equal(sonde_event_label(first, "peer"), "192.0.2.9");
	assert_int_equal(sonde_value_uint_at(first, sonde_event_field(first, "stack"), 1), 8);
	sonde_event_free(first);
	sonde_event_free(lost);
	sonde_event_free(NULL);
}

static void test_copy_of_a_copy(void **state)
{
	struct lib_fixture *fix = *state;
	struct sonde_event *first, *second;

	fixture_add_switch(fix);
	fixture_open(fix, 0, 0);
	first = sonde_event_copy(fixture_next(fix));
	second = sonde_event_copy(first);
	sonde_event_free(first);
	assert_string_equal(sonde_event_comm(second), "worker");
	assert_memory_equal(sonde_event_text(second, "next_comm", NULL), "fifteen letters", 15);
	sonde_event_free(second);
}

/* What is there of it is read, the rest is told. */
static void test_damage(void **state)
{
	struct lib_fixture *fix = *state;

	fixture_add_other(fix, 1);
	fixture_add_other(fix, 2);
	fixture_open(fix, 0, 3);
	assert_null(sonde_problem(fix->source, 0));
	assert_int_equal(sonde_event_uint(fixture_next(fix), "value"), 1);
	fixture_expect_end(fix);
	assert_non_null(sonde_problem(fix->source, 0));
	assert_string_equal(sonde_problem(fix->source, 0),
			    "stream: packet at offset 0 is cut off: 83 of 86 bytes are there");
	assert_null(sonde_problem(fix->source, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_heads),  FIXTURE_TEST(test_names_of_tasks),
		FIXTURE_TEST(test_losses), FIXTURE_TEST(test_copies),
		FIXTURE_TEST(test_damage), FIXTURE_TEST(test_copy_of_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
