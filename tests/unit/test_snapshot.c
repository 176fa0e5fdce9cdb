// SPDX-License-Identifier: BSD-2-Clause
/* The flight recorder's side of ring/ring.c. */
#include "ring/ring.h"

#include "ring_fixture.h"

static int set_up(void **state)
{
	return rig_set_up(state, true);
}

static void a_flight_recorder_writes_at_snapshots_only(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 3 * PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 3);
	expect_numbers(rig, 0, 3 * PER_SUB);
}

static void a_snapshot_has_the_youngest_subs(void **state)
{
	struct rig *rig = *state;
	uint32_t last = 10 * PER_SUB + 4;

	write_records(rig, 0, 0, last);
	assert_int_equal(rig->control[0].level[0].lost, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, SUBS);
	expect_numbers(rig, last - 4 - (SUBS - 1) * PER_SUB, last);
	assert_int_equal(rig->taken.heads[0].sequence, 10 - (SUBS - 1));
	assert_int_equal(rig->taken.heads[0].begin_ns,
			 START_NS + 10 * (1 + (10 - (SUBS - 1)) * PER_SUB));
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
}

static void the_next_snapshot_goes_on(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, PER_SUB + 5);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 0, PER_SUB + 5);
	write_records(rig, 0, 0, PER_SUB);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, PER_SUB + 5, 2 * PER_SUB + 5);
	assert_int_equal(rig->taken.count, 2);
	assert_int_equal(rig->taken.heads[0].sequence, 2);
	assert_int_equal(rig->taken.heads[1].sequence, 3);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 0);
}

static void overwritten_packets_leave_a_gap_in_the_sequence(void **state)
{
	struct rig *rig = *state;
	uint32_t last = 9 * PER_SUB;

	write_records(rig, 0, 0, 5);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.heads[0].sequence, 0);
	rig->taken.number_count = 0;
	write_records(rig, 0, 0, last - 5);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, last - SUBS * PER_SUB, last);
	/* The rest of sub-buffer 0 and sub-buffers 1 to 4 are gone. */
	assert_int_equal(rig->taken.heads[0].sequence, 6);
}

static void packets_that_tell_names_are_counted(void **state)
{
	struct rig *rig = *state;

	write_record(rig, 0, 0);
	mark_name(rig, 0, 0);
	write_records(rig, 0, 0, 4 * PER_SUB);
	mark_name(rig, 0, 0); /* the one before is overwritten, and not of this sub-buffer */
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, SUBS);
	for (size_t i = 0; i < SUBS; i++)
		assert_int_equal(rig->taken.heads[i].name_packets, i == SUBS - 1);
	rig->taken.number_count = 0;
}

/* A writer that was stopped in the middle of ring_switch: the new time is there, `pos` is not. */
static void a_sub_that_is_being_opened_anew_is_left_out(void **state)
{
	struct rig *rig = *state;
	uint32_t last = 5 * PER_SUB;

	write_records(rig, 0, 0, last);
	rig->control[0].level[0].begin_ns[5 & (SUBS - 1)] = rig->now_ns + 10;
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 2 * PER_SUB, last);
	assert_int_equal(rig->taken.count, SUBS - 1);
	assert_int_equal(rig->taken.heads[0].sequence, 2);
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
}

#define SNAPSHOT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, rig_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SNAPSHOT_TEST(a_flight_recorder_writes_at_snapshots_only),
		SNAPSHOT_TEST(a_snapshot_has_the_youngest_subs),
		SNAPSHOT_TEST(the_next_snapshot_goes_on),
		SNAPSHOT_TEST(overwritten_packets_leave_a_gap_in_the_sequence),
		SNAPSHOT_TEST(packets_that_tell_names_are_counted),
		SNAPSHOT_TEST(a_sub_that_is_being_opened_anew_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
