// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/push/push.h"
#include "live/push/push_sender.h"
#include "wire/record.h"

#define ROOM 4096u
#define PACKET_BYTES 512u /* so that seven have room */
#define PACKETS 7u

static bool give(struct push_intake *intake, uint32_t cpu, uint64_t sequence)
{
	union {
		struct packet_head head;
		uint8_t bytes[PACKET_BYTES];
	} packet = {.head = {.packet_bits = PACKET_BYTES * 8,
			     .content_bits = PACKET_BYTES * 8,
			     .begin_ns = 1000 + sequence,
			     .end_ns = 1001 + sequence,
			     .sequence = sequence,
			     .cpu = cpu}};
	const uint64_t lost = intake->lost_packets;

	assert_int_equal(intake->sink.ops->packet(&intake->sink, &packet, sizeof(packet), false),
			 0);
	return intake->lost_packets == lost;
}

static void expect(struct push_intake *intake, uint32_t cpu, uint64_t sequence, uint64_t lost,
		   size_t len)
{
	const struct push_item *item = push_queue_take(&intake->queue);
	struct packet_head head;

	assert_non_null(item);
	assert_int_equal(item->kind, PUSH_PACKET);
	assert_int_equal(item->lost, lost);
	assert_int_equal(item->len, len);
	memcpy(&head, item->bytes, sizeof(head));
	assert_int_equal(head.cpu, cpu);
	assert_int_equal(head.sequence, sequence);
	assert_int_equal(head.packet_bits, len * 8);
	push_queue_release(&intake->queue);
}

static void test_the_next_packet_of_a_stream_tells_what_was_lost_before(void **state)
{
	struct push_intake intake;

	(void)state;
	assert_int_equal(push_intake_init(&intake, ROOM), 0);
	for (uint64_t i = 0; i < PACKETS; i++)
		assert_true(give(&intake, 0, i));
	assert_false(give(&intake, 0, PACKETS));
	assert_false(give(&intake, 1, 0));
	assert_false(give(&intake, 0, PACKETS + 1));
	assert_int_equal(intake.lost_packets, 3);
	assert_int_equal(intake.lost_bytes, 3 * PACKET_BYTES);
	for (uint64_t i = 0; i < PACKETS; i++)
		expect(&intake, 0, i, 0, PACKET_BYTES);
	assert_true(give(&intake, 0, PACKETS + 2));
	assert_true(give(&intake, 0, PACKETS + 3));
	assert_true(give(&intake, 1, 1));
	expect(&intake, 0, PACKETS + 2, 2, PACKET_BYTES);
	expect(&intake, 0, PACKETS + 3, 0, PACKET_BYTES);
	expect(&intake, 1, 1, 1, PACKET_BYTES);
	push_intake_end(&intake);
	assert_null(push_queue_take(&intake.queue));
	push_intake_fini(&intake);
}

static void test_what_no_packet_follows_is_told_at_the_end(void **state)
{
	struct push_intake intake;

	(void)state;
	assert_int_equal(push_intake_init(&intake, ROOM), 0);
	for (uint64_t i = 0; i < PACKETS; i++)
		assert_true(give(&intake, 0, i));
	assert_false(give(&intake, 0, PACKETS));
	assert_false(give(&intake, 0, PACKETS + 1));
	for (uint64_t i = 0; i < PACKETS; i++)
		expect(&intake, 0, i, 0, PACKET_BYTES);
	push_intake_end(&intake);
	expect(&intake, 0, PACKETS + 2, 2, sizeof(struct packet_head));
	assert_null(push_queue_take(&intake.queue));
	push_intake_fini(&intake);
}

static void test_of_metadata_there_is_the_newest(void **state)
{
	struct push_intake intake;
	struct push_text *text;

	(void)state;
	assert_int_equal(push_intake_init(&intake, ROOM), 0);
	assert_null(push_intake_take_text(&intake));
	assert_int_equal(intake.sink.ops->metadata(&intake.sink, "a", 1), 0);
	assert_int_equal(intake.sink.ops->metadata(&intake.sink, "ab", 2), 0);
	text = push_intake_take_text(&intake);
	assert_int_equal(text->len, 2);
	assert_memory_equal(text->bytes, "ab", 2);
	assert_null(push_intake_take_text(&intake));
	free(text);
	push_intake_fini(&intake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_packet_of_a_stream_tells_what_was_lost_before),
		cmocka_unit_test(test_what_no_packet_follows_is_told_at_the_end),
		cmocka_unit_test(test_of_metadata_there_is_the_newest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
