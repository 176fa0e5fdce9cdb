// SPDX-License-Identifier: BSD-2-Clause
#include "record/watch.h"

#include <errno.h>

#include "base/buffer.h"
#include "ctf/metadata_write.h"
#include "ring_fixture.h"
#include "schema/event.h"
#include "schema/lost.h"
#include "schema/trace_info.h"

/* What the rig writes: a number and nothing. */
static const struct field fields[] = {
	{.name = "number", .bits = 32, .count = 1, .align_bits = 32},
	{.name = "rest",
	 .kind = FIELD_TEXT,
	 .bits = 8,
	 .align_bits = 8,
	 .count = RECORD_BYTES - RECORD_HEAD_BYTES - 4,
	 .offset_bits = 32},
};
static const struct event_class class = {.id = 7,
					 .name = "test.number",
					 .fixed = true,
					 .field_count = 2,
					 .fields = fields};
static const struct event_class other = {.id = 8,
					 .name = "test.other",
					 .fixed = true,
					 .field_count = 2,
					 .fields = fields};

static struct watch *watch;
static struct buffer metadata;

/* What was seen. */
static uint32_t numbers[512];
static int64_t times[512];
static int32_t cpus[512];
static size_t count, described;
static uint64_t lost;
static const char *wanted = "test.number";

static int describe(void *ctx, const struct trace_info *info, struct diag *diag)
{
	(void)ctx;
	(void)diag;
	assert_true(info->class_count >= 2);
	described++;
	return 0;
}

static bool wants(void *ctx, const struct event_class *one)
{
	(void)ctx;
	return one->role == EVENT_ROLE_LOST || !strcmp(one->name, wanted);
}

static void see(void *ctx, const struct event *event)
{
	(void)ctx;
	if (event->class->role == EVENT_ROLE_LOST) {
		lost += event_uint(event, LOST_COUNT);
		return;
	}
	assert_string_equal(event->class->name, wanted);
	assert_int_equal(event->tid, 9);
	numbers[count] = (uint32_t)event_uint(event, 0);
	cpus[count] = event->cpu;
	times[count++] = event->time_ns;
}

static bool in_order;

static bool needs_order(void *ctx)
{
	(void)ctx;
	return in_order;
}

static const struct watch_ops ops = {describe, wants, needs_order, see};

static void write_metadata(const struct event_class *first, const struct event_class *second)
{
	const struct event_class *classes[] = {first, second};
	struct metadata_spec spec = {.uuid = "0123456789abcde",
				     .wall_offset_ns = 5000000000,
				     .classes = classes,
				     .class_count = second ? 2 : 1};

	buffer_reset(&metadata);
	assert_int_equal(metadata_write(&spec, &metadata), 0);
	assert_int_equal(watch_describe(watch, metadata.data, metadata.len, NULL), 0);
}

static int set_up_rings(void **state, bool overwrite)
{
	int err = rig_set_up(state, overwrite);
	struct rig *rig = *state;

	if (err)
		return err;
	count = described = 0;
	lost = 0;
	wanted = "test.number";
	in_order = true;
	buffer_init(&metadata);
	watch = watch_new(rig->ring, &ops, NULL);
	assert_non_null(watch);
	write_metadata(&class, NULL);
	return 0;
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
	watch_free(watch);
	buffer_fini(&metadata);
	return rig_tear_down(state);
}

static void expect_in_order(uint32_t first, uint32_t last)
{
	assert_int_equal(count, last - first);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(numbers[i], first + i);
		assert_true(!i || times[i] > times[i - 1]);
	}
	count = 0;
}

static void all_rings_in_the_order_of_time(void **state)
{
	struct rig *rig = *state;

	for (int i = 0; i < 40; i++) {
		write_records(rig, 0, 0, 2);
		write_records(rig, 1, 0, 3);
		write_records(rig, 1, 1, 1);
	}
	watch_look(watch, UINT64_MAX);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(cpus[2], 1);
	assert_int_equal(times[0], (int64_t)START_NS + 10 + watch_clock_offset(watch));
	assert_int_equal(watch_clock_offset(watch), 5000000000);
	expect_in_order(0, 240);
	watch_look(watch, UINT64_MAX);
	expect_in_order(0, 0);
	assert_int_equal(watch_unseen(watch), 0);
}

/* What may still be overtaken waits for the next look. */
static void the_newest_wait(void **state)
{
	struct rig *rig = *state;
	uint64_t until_ns;

	write_records(rig, 0, 0, 5);
	until_ns = rig->now_ns;
	write_records(rig, 1, 0, 5);
	write_records(rig, 0, 0, 5);
	watch_look(watch, until_ns);
	expect_in_order(0, 5);
	assert_int_equal(drain(rig, true), 0); /* it has its own copy */
	rig->taken.number_count = 0;
	write_records(rig, 1, 0, 5);
	watch_look(watch, rig->now_ns - 10);
	expect_in_order(5, 19);
	watch_look(watch, rig->now_ns);
	expect_in_order(19, 20);
}

/* Ring by ring, and as soon as they are found. */
static void without_order_they_come_at_once(void **state)
{
	struct rig *rig = *state;

	in_order = false;
	write_metadata(&class, NULL);
	write_records(rig, 0, 0, 2);
	write_records(rig, 1, 0, 2);
	write_records(rig, 0, 0, 2);
	watch_look(watch, START_NS);
	assert_int_equal(count, 6);
	assert_int_equal(numbers[2], 4);
	assert_int_equal(numbers[4], 2);
	watch_look(watch, UINT64_MAX);
	assert_int_equal(count, 6);
}

static void what_is_not_wanted_is_not_kept(void **state)
{
	wanted = "test.other";
	write_metadata(&class, &other);
	write_records(*state, 0, 0, 50);
	watch_look(watch, UINT64_MAX);
	assert_int_equal(count, 0);
	assert_int_equal(watch_unseen(watch), 0);
}

/* When the metadata grows, what waits is shown first. */
static void metadata_may_grow(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 5);
	watch_look(watch, rig->now_ns - 30);
	expect_in_order(0, 2);
	write_metadata(&class, &other);
	expect_in_order(2, 5);
	assert_int_equal(described, 2);
	write_records(rig, 0, 0, 5);
	watch_look(watch, UINT64_MAX);
	expect_in_order(5, 10);
	assert_int_equal(watch_describe(watch, "nonsense;", 9, NULL), -EBADMSG);
}

static void what_is_missing_is_told(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 10 * PER_SUB);
	watch_look(watch, UINT64_MAX);
	assert_int_equal(watch_unseen(watch), 6 * PER_SUB);
	assert_int_equal(lost, 6 * PER_SUB);
	expect_in_order(6 * PER_SUB, 10 * PER_SUB);
	watch_look(watch, UINT64_MAX);
	assert_int_equal(lost, 6 * PER_SUB); /* once */
}

static void a_full_ring_is_told_too(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, SUBS * PER_SUB + 9);
	watch_look(watch, UINT64_MAX);
	assert_int_equal(lost, rig->control[0].level[0].lost);
	assert_true(lost > 0);
	assert_int_equal(watch_unseen(watch), 0);
}

/* A packet as ring_drain gives it, in the place of one of the recorder's own. */
static int give_packet(void *ctx, const void *packet, size_t len, bool late)
{
	(void)ctx;
	(void)late;
	watch_packet(watch, packet, len);
	return 0;
}

static void packets_are_seen_too(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 7);
	assert_int_equal(ring_drain(rig->ring, RING_FLUSH_ALL, give_packet, NULL), 0);
	watch_free(watch);
	watch = watch_new(NULL, &ops, NULL);
	write_metadata(&class, NULL);
	write_records(rig, 0, 0, 7);
	assert_int_equal(ring_drain(rig->ring, RING_FLUSH_ALL, give_packet, NULL), 0);
	watch_look(watch, UINT64_MAX);
	expect_in_order(7, 14);
	watch_packet(watch, "nonsense", 8);
	watch_look(watch, UINT64_MAX);
	expect_in_order(0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_rings_in_the_order_of_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_newest_wait, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_newest_wait, set_up_overwriting, tear_down),
		cmocka_unit_test_setup_teardown(without_order_they_come_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_wanted_is_not_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(metadata_may_grow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_missing_is_told, set_up_overwriting,
						tear_down),
		cmocka_unit_test_setup_teardown(a_full_ring_is_told_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(packets_are_seen_too, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
