// SPDX-License-Identifier: BSD-2-Clause
#include "ring/ring.h"

#include <errno.h>

#include "ring_fixture.h"

static int set_up(void **state)
{
	return rig_set_up(state, false);
}

static void only_closed_subs_go_out_without_a_flush(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 0);
	write_records(rig, 0, 0, PER_SUB + 1);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 2);
	expect_numbers(rig, 0, 2 * PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 0);
}

static void subs_handed_back_are_used_again(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 5; i++) {
		write_records(rig, 0, 0, 2 * PER_SUB);
		assert_int_equal(drain(rig, false), 0);
	}
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 0, 10 * PER_SUB);
	assert_int_equal(rig->control[0].level[0].consumed, 9);
	assert_int_equal(rig->control[0].level[0].lost, 0);
}

static void a_packet_ends_where_the_next_begins(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, PER_SUB + 3);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 2);
	assert_int_equal(rig->taken.heads[0].begin_ns, START_NS + 10);
	assert_int_equal(rig->taken.heads[0].end_ns, rig->taken.heads[1].begin_ns);
	assert_int_equal(rig->taken.heads[1].begin_ns, START_NS + 10 * (PER_SUB + 1));
	assert_int_equal(rig->taken.heads[1].end_ns, rig->now_ns);
	assert_int_equal(rig->taken.heads[0].sequence, 0);
	assert_int_equal(rig->taken.heads[1].sequence, 1);
}

static void a_flush_sends_a_part_and_the_rest_later(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 3);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 0, 3);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 0);
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 3, 4);
	write_records(rig, 0, 0, PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	expect_numbers(rig, 4, PER_SUB);
	assert_int_equal(rig->taken.heads[0].sequence, 2);
	assert_int_equal(rig->control[0].level[0].consumed, 1);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, PER_SUB, PER_SUB + 4);
}

static void a_flush_leaves_what_is_young(void **state)
{
	struct rig *rig = *state;
	uint64_t first_ns = START_NS + 10;

	write_records(rig, 0, 0, 3); /* opened with the ring, at START_NS */
	rig->taken.count = 0;
	assert_int_equal(ring_drain(rig->ring, START_NS - 1, take_packet, &rig->taken), 0);
	assert_int_equal(rig->taken.count, 0);
	assert_int_equal(ring_drain(rig->ring, START_NS, take_packet, &rig->taken), 0);
	expect_numbers(rig, 0, 3);
	/* What comes behind a part has been waiting since then at the most. */
	write_record(rig, 0, 0);
	assert_int_equal(ring_drain(rig->ring, first_ns, take_packet, &rig->taken), 0);
	expect_numbers(rig, 0, 0);
	assert_int_equal(ring_drain(rig->ring, first_ns + 20, take_packet, &rig->taken), 0);
	expect_numbers(rig, 3, 4);
}

/* A sink that is slower than the writer: for each packet that it takes another one is full. */
static int take_while_more_come(void *ctx, const void *packet, size_t len, bool late)
{
	struct rig *rig = ctx;

	assert_true(rig->taken.count < 2 * SUBS);
	write_records(rig, 0, 0, PER_SUB);
	return take_packet(&rig->taken, packet, len, late);
}

static void a_drain_ends_though_the_writer_does_not(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, SUBS * PER_SUB);
	rig->taken.count = 0;
	assert_int_equal(ring_drain(rig->ring, 0, take_while_more_come, rig), 0);
	assert_int_equal(rig->taken.count, SUBS);
	assert_int_equal(drain(rig, true), 0); /* what came besides is there */
	assert_int_equal(rig->taken.count, SUBS - 1);
}

static void losses_wait_for_the_records_before_them(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, SUBS * PER_SUB + 5);
	assert_int_equal(ring_drain(rig->ring, START_NS, take_packet, &rig->taken), 0);
	assert_int_equal(rig->taken.count, SUBS - 1); /* the last one is open, and young */
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 2);
	assert_int_equal(rig->taken.heads[0].discarded, 0);
	assert_int_equal(rig->taken.heads[1].discarded, 5);
}

static void whole_subs_lie_at_multiples_of_their_size(void **state)
{
	struct rig *rig = *state;
	const struct packet_head *heads = rig->taken.heads;
	const uint64_t block_bits = 8ull << SHIFT;
	uint64_t part_bits;

	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	part_bits = heads[0].packet_bits;
	assert_int_equal(part_bits, heads[0].content_bits);
	write_records(rig, 0, 0, 3 * PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 3);
	/* The rest of the first, and one that might be alone, as they are. */
	assert_int_equal(heads[0].packet_bits, heads[0].content_bits);
	assert_int_equal(heads[1].packet_bits, heads[1].content_bits);
	/* Then there is a row of them. */
	part_bits += heads[0].packet_bits + heads[1].packet_bits;
	assert_int_equal((part_bits + heads[2].packet_bits) % block_bits, 0);
	assert_true(heads[2].packet_bits - heads[2].content_bits < block_bits);
	write_records(rig, 0, 0, 2 * PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 2);
	assert_int_equal(heads[0].packet_bits, block_bits);
	assert_int_equal(heads[1].packet_bits, block_bits);
}

static void a_sub_that_a_flush_emptied_makes_no_packet(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, PER_SUB);
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 0, PER_SUB);
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, 0);
	assert_int_equal(rig->control[0].level[0].consumed, 1);
}

static void packets_that_tell_names_are_counted(void **state)
{
	struct rig *rig = *state;
	const struct packet_head *heads = rig->taken.heads;

	write_records(rig, 0, 0, PER_SUB + 3);
	mark_name(rig, 0, 0);
	write_records(rig, 0, 0, PER_SUB);
	write_record(rig, 1, 0);
	mark_name(rig, 1, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 4);
	assert_int_equal(heads[0].name_packets, 0);
	assert_int_equal(heads[1].name_packets, 1);
	assert_int_equal(heads[2].name_packets, 1);
	assert_int_equal(heads[3].name_packets, 1); /* of the other CPU */
	/* Of a sub-buffer in pieces, those that do. */
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(heads[0].name_packets, 1);
	write_record(rig, 0, 0);
	mark_name(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(heads[0].name_packets, 2);
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(heads[0].name_packets, 2);
}

/* A record is marked before it can be seen: where it will be is marked too. */
static void a_name_in_the_making_is_not_missed(void **state)
{
	struct rig *rig = *state;
	struct ring_level *level = &rig->control[0].level[0];

	write_record(rig, 0, 0);
	level->named[0] = (uint32_t)level->pos + RECORD_BYTES;
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.heads[0].name_packets, 1);
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.heads[0].name_packets, 2);
}

static void times_beyond_32_bits_are_kept(void **state)
{
	struct rig *rig = *state;

	rig->now_ns += 3ull << 32;
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.heads[0].begin_ns, START_NS + (3ull << 32) + 10);
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
	rig->now_ns += UINT32_MAX - 20; /* the word still has room for it */
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.heads[0].begin_ns, rig->now_ns);
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
	expect_numbers(rig, 0, 2);
}

static void a_quiet_time_before_a_switch_is_kept(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, PER_SUB);
	rig->now_ns += 5ull << 32;
	write_record(rig, 0, 0);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 2);
	assert_int_equal(rig->taken.heads[0].end_ns, rig->now_ns);
	assert_int_equal(rig->taken.heads[1].begin_ns, rig->now_ns);
	assert_int_equal(rig->taken.last_ns, rig->now_ns);
}

static void levels_and_cpus_are_streams_of_their_own(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 2);
	write_records(rig, 0, 3, 1);
	write_records(rig, 1, 2, PER_SUB + 1);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 4);
	expect_numbers(rig, 0, PER_SUB + 4);
	assert_int_equal(rig->taken.heads[1].cpu, 0);
	assert_int_equal(rig->taken.heads[1].level, 3);
	assert_int_equal(rig->taken.heads[3].cpu, 1);
	assert_int_equal(rig->taken.heads[3].level, 2);
	assert_int_equal(rig->taken.heads[3].sequence, 1);
}

static void losses_stand_before_the_sub_opened_next(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 1, 0, SUBS * PER_SUB + 5);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.count, SUBS - 1);
	write_records(rig, 1, 0, 2);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 2);
	expect_numbers(rig, 0, SUBS * PER_SUB + 2);
	assert_int_equal(rig->taken.heads[0].discarded, 0);
	assert_int_equal(rig->taken.heads[1].discarded, 5);
}

static void losses_behind_all_records_are_a_packet_without_any(void **state)
{
	struct rig *rig = *state;
	const struct packet_head *head = &rig->taken.heads[SUBS];

	write_records(rig, 1, 0, SUBS * PER_SUB + 5);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, SUBS + 1);
	expect_numbers(rig, 0, SUBS * PER_SUB);
	assert_int_equal(rig->taken.heads[SUBS - 1].discarded, 0);
	assert_int_equal(head->discarded, 5);
	assert_int_equal(head->sequence, SUBS);
	assert_int_equal(head->packet_bits, sizeof(*head) * 8);
	assert_int_equal(head->begin_ns, rig->taken.heads[SUBS - 1].end_ns);
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 0);
}

static void nesting_losses_are_told_at_the_deepest_level(void **state)
{
	struct rig *rig = *state;
	uint64_t full, nested;

	write_record(rig, 1, 0);
	write_record(rig, 1, 3);
	rig->control[1].nested_lost = 2;
	assert_int_equal(drain(rig, true), 0);
	assert_int_equal(rig->taken.count, 2);
	assert_int_equal(rig->taken.heads[0].discarded_nested, 0);
	assert_int_equal(rig->taken.heads[1].level, 3);
	assert_int_equal(rig->taken.heads[1].discarded, 2);
	assert_int_equal(rig->taken.heads[1].discarded_nested, 2);
	rig->control[1].level[0].lost = 3;
	ring_cpu_lost(rig->ring, 1, &full, &nested);
	assert_int_equal(full, 3);
	assert_int_equal(nested, 2);
}

static void an_error_of_the_sink_ends_the_drain(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 3 * PER_SUB);
	rig->taken.err = -ENOSPC;
	assert_int_equal(drain(rig, true), -ENOSPC);
	assert_int_equal(rig->taken.count, 1);
	rig->taken.err = 0;
	assert_int_equal(drain(rig, true), 0);
	expect_numbers(rig, 0, 3 * PER_SUB);
}

static void more_than_half_of_a_ring_is_late(void **state)
{
	struct rig *rig = *state;

	write_records(rig, 0, 0, 2 * PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.late, 0);
	write_records(rig, 0, 0, 3 * PER_SUB);
	assert_int_equal(drain(rig, false), 0);
	assert_int_equal(rig->taken.late, 2); /* of 3: behind the last one there is little */
}

static void totals_count_what_was_written(void **state)
{
	struct rig *rig = *state;
	struct ring_totals totals;

	write_records(rig, 0, 0, 2 * PER_SUB);
	write_records(rig, 1, 1, 4);
	ring_totals(rig->ring, &totals);
	assert_int_equal(totals.records, 2 * PER_SUB + 4);
	assert_in_range(totals.bytes, totals.records * RECORD_BYTES,
			totals.records * RECORD_BYTES + 4096);
	assert_in_range(totals.fill_percent, 40, 50);
	assert_int_equal(totals.packets, 0);
	assert_int_equal(drain(rig, true), 0);
	ring_totals(rig->ring, &totals);
	assert_int_equal(totals.packets, 3);
	assert_in_range(totals.fill_percent, 0, 25);
}

static void a_record_being_written_is_not_quiet(void **state)
{
	struct rig *rig = *state;

	assert_true(ring_is_quiet(rig->ring));
	rig->control[1].nest = 1;
	assert_false(ring_is_quiet(rig->ring));
}

static void a_flush_settles_what_was_before_it(void **state)
{
	struct rig *rig = *state;
	const struct packet_head *head = &rig->taken.heads[0];
	uint64_t flush_ns;

	write_records(rig, 0, 0, 3);
	flush_ns = rig->now_ns + 100;
	assert_int_equal(ring_settled_ns(rig->ring), 0);
	assert_int_equal(drain(rig, true), 0); /* nobody knows when that was */
	assert_int_equal(ring_settled_ns(rig->ring), 0);
	rig->control[1].nest = 1;
	assert_int_equal(ring_drain(rig->ring, flush_ns, take_packet, &rig->taken), 0);
	assert_int_equal(ring_settled_ns(rig->ring), 0); /* a record may come that is older */
	rig->control[1].nest = 0;
	assert_int_equal(ring_drain(rig->ring, flush_ns, take_packet, &rig->taken), 0);
	assert_int_equal(ring_settled_ns(rig->ring), flush_ns);

	/* Losses behind the last record come later than what was told to be complete. */
	rig->taken.count = 0;
	rig->control[1].nested_lost = 2;
	assert_int_equal(ring_drain(rig->ring, flush_ns + 100, take_packet, &rig->taken), 0);
	assert_int_equal(rig->taken.count, 1);
	assert_int_equal(head->discarded, 2);
	assert_int_equal(head->begin_ns, flush_ns);
	assert_int_equal(head->end_ns, flush_ns);
}

#define RING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, rig_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(only_closed_subs_go_out_without_a_flush),
		RING_TEST(subs_handed_back_are_used_again),
		RING_TEST(a_packet_ends_where_the_next_begins),
		RING_TEST(a_flush_sends_a_part_and_the_rest_later),
		RING_TEST(a_flush_leaves_what_is_young),
		RING_TEST(a_drain_ends_though_the_writer_does_not),
		RING_TEST(losses_wait_for_the_records_before_them),
		RING_TEST(whole_subs_lie_at_multiples_of_their_size),
		RING_TEST(a_sub_that_a_flush_emptied_makes_no_packet),
		RING_TEST(packets_that_tell_names_are_counted),
		RING_TEST(a_name_in_the_making_is_not_missed),
		RING_TEST(times_beyond_32_bits_are_kept),
		RING_TEST(a_quiet_time_before_a_switch_is_kept),
		RING_TEST(levels_and_cpus_are_streams_of_their_own),
		RING_TEST(losses_stand_before_the_sub_opened_next),
		RING_TEST(losses_behind_all_records_are_a_packet_without_any),
		RING_TEST(nesting_losses_are_told_at_the_deepest_level),
		RING_TEST(an_error_of_the_sink_ends_the_drain),
		RING_TEST(more_than_half_of_a_ring_is_late),
		RING_TEST(totals_count_what_was_written),
		RING_TEST(a_record_being_written_is_not_quiet),
		RING_TEST(a_flush_settles_what_was_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
