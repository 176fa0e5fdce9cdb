// SPDX-License-Identifier: BSD-2-Clause
#include "ring/look.h"

#include "ring_fixture.h"

static struct look *look;

static int set_up_rings(void **state, bool overwrite)
{
	int err = rig_set_up(state, overwrite);
	struct rig *rig = *state;

	return err ?: look_open(rig->ring, &look);
}

static int set_up(void **state)
{
	return set_up_rings(state, false);
}

static int set_up_overwriting(void **state)
{
	return set_up_rings(state, true);
}

static int tear_down(void **state)
{
	look_close(look);
	return rig_tear_down(state);
}

static uint64_t view(void *ctx, const struct look_span *span, uint64_t *clock_ns)
{
	struct rig *rig = ctx;
	size_t before = rig->taken.number_count;
	const struct packet_head head = {.begin_ns = span->clock_ns, .end_ns = UINT64_MAX};

	take_records(&rig->taken, &head, span->records, span->records + span->len);
	*clock_ns = rig->taken.last_ns;
	return rig->taken.number_count - before;
}

static void each_record_is_shown_once(void **state)
{
	struct rig *rig = *state;

	look_run(look, view, rig);
	expect_numbers(rig, 0, 0);
	write_records(rig, 0, 0, 5);
	look_run(look, view, rig);
	expect_numbers(rig, 0, 5);
	write_records(rig, 0, 0, 2 * PER_SUB);
	look_run(look, view, rig);
	expect_numbers(rig, 5, 5 + 2 * PER_SUB);
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
	look_run(look, view, rig);
	expect_numbers(rig, 5 + 2 * PER_SUB, 5 + 2 * PER_SUB);
	assert_int_equal(look_unseen(look), 0);
}

/* The drained packets' headers go over what has been seen. */
static void draining_goes_on(void **state)
{
	struct rig *rig = *state;
	uint32_t seen = 0;

	for (int i = 0; i < 20; i++) {
		write_records(rig, 0, 0, 17);
		look_run(look, view, rig);
		expect_numbers(rig, seen, seen + 17);
		assert_int_equal(drain(rig, i % 2), 0);
		rig->taken.number_count = 0;
		seen += 17;
	}
	assert_int_equal(look_unseen(look), 0);
}

static void looking_takes_nothing_out(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 1, 0, PER_SUB + 3);
	look_run(look, view, rig);
	expect_numbers(rig, 0, PER_SUB + 3);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 0, PER_SUB + 3);
}

static void what_was_overwritten_is_counted(void **state)
{
	struct rig *rig = *state;
	uint32_t last = 10 * PER_SUB + 4;

	write_records(rig, 0, 0, 3);
	look_run(look, view, rig);
	expect_numbers(rig, 0, 3);
	write_records(rig, 0, 0, last - 3);
	look_run(look, view, rig);
	assert_int_equal(look_unseen(look), last - 3 - 3 * PER_SUB - 4);
	expect_numbers(rig, last - 4 - (SUBS - 1) * PER_SUB, last);
	write_records(rig, 0, 0, 10);
	look_run(look, view, rig);
	assert_int_equal(look_unseen(look), last - 3 - 3 * PER_SUB - 4);
	expect_numbers(rig, last, last + 10);
}

/* The writer comes round while the sub-buffer is copied: as if it had opened it anew. */
static void a_place_that_is_being_opened_is_left_alone(void **state)
{
	struct rig *rig = *state;
	struct ring_level *level = &rig->control[0].level[0];

	write_records(rig, 0, 0, 4 * PER_SUB);
	level->begin_ns[0] = rig->now_ns + 10;
	look_run(look, view, rig);
	expect_numbers(rig, PER_SUB, 4 * PER_SUB);
	assert_int_equal(look_unseen(look), PER_SUB);
}

static void nested_levels_and_other_cpus_too(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 2);
	write_records(rig, 0, 3, 2);
	write_records(rig, 1, 1, 2 * PER_SUB);
	look_run(look, view, rig);
	expect_numbers(rig, 0, 4 + 2 * PER_SUB);
	assert_int_equal(look_unseen(look), 0);
}

/* After a long pause a record tells its whole time. */
static void time_goes_on(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 2);
	look_run(look, view, rig);
	rig->now_ns += 10ull << 32;
	write_records(rig, 0, 0, 2);
	look_run(look, view, rig);
	expect_numbers(rig, 0, 4);
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_record_is_shown_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_record_is_shown_once, set_up_overwriting,
						tear_down),
		cmocka_unit_test_setup_teardown(draining_goes_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(looking_takes_nothing_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_overwritten_is_counted, set_up_overwriting,
						tear_down),
		cmocka_unit_test_setup_teardown(a_place_that_is_being_opened_is_left_alone,
						set_up_overwriting, tear_down),
		cmocka_unit_test_setup_teardown(nested_levels_and_other_cpus_too,
						set_up_overwriting, tear_down),
		cmocka_unit_test_setup_teardown(time_goes_on, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
