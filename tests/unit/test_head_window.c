// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stream_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "counted_input.h"
#include "ctf/metadata.h"
#include "ctf/packet.h"
#include "ctf/trace_class.h"

#define ROOM_BYTES 16384u

struct fixture {
	struct ctf_trace_class *trace;
	struct counted_input input;
	struct head_window window;
	uint8_t bytes[ROOM_BYTES];
};

static int set_up(void **state)
{
	static struct fixture fix;
	struct buffer text;

	buffer_init(&text);
	counted_input_init(&fix.input);
	*state = &fix;
	if (fixture_metadata(&text) || metadata_read(text.data, text.len, &fix.trace, NULL))
		return -1;
	buffer_fini(&text);
	fix.window = (struct head_window){
		.input = &fix.input.input,
		.trace = fix.trace,
		.bytes = fix.bytes,
		.room = sizeof(fix.bytes),
	};
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	buffer_fini(&fix->input.bytes);
	ctf_trace_class_free(fix->trace);
	return 0;
}

/* From head to head; the packets are numbered. */
static void walk(struct fixture *fix, uint64_t count)
{
	struct packet packet;
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i++) {
		assert_true(head_window_parse(&fix->window, at, &packet));
		assert_int_equal(packet.sequence, i);
		at += packet.packet_bits / 8;
	}
	assert_int_equal(at, fix->input.bytes.len);
	assert_false(head_window_parse(&fix->window, at, &packet));
}

static void small_packets_take_few_reads(void **state)
{
	struct fixture *fix = *state;

	for (uint64_t i = 0; i < 20000; i++)
		counted_put_packet(&fix->input, i, 1, i, 0);
	walk(fix, 20000);
	assert_true(fix->input.read_bytes <= 2 * fix->input.bytes.len);
	assert_true(fix->input.calls <= 2 * (fix->input.bytes.len / ROOM_BYTES) + 3);
}

static void of_large_packets_heads_are_read(void **state)
{
	struct fixture *fix = *state;

	for (uint64_t i = 0; i < 100; i++)
		counted_put_packet(&fix->input, i, 1000, i, 0);
	walk(fix, 100);
	assert_true(fix->input.read_bytes <= 100 * HEAD_WINDOW_HEAD_BYTES);
}

/* Whoever goes back, or far ahead, gets what is there. */
static void any_order(void **state)
{
	const uint64_t bytes = sizeof(struct packet_head) + FIXTURE_RECORD_BYTES;
	struct fixture *fix = *state;
	struct packet packet;

	for (uint64_t i = 0; i < 1000; i++)
		counted_put_packet(&fix->input, i, 1, i, 0);
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t wanted = i * 377 % 1000;

		assert_true(head_window_parse(&fix->window, wanted * bytes, &packet));
		assert_int_equal(packet.sequence, wanted);
		assert_false(head_window_parse(&fix->window, wanted * bytes + 4, &packet));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(small_packets_take_few_reads),
		TEST(of_large_packets_heads_are_read),
		TEST(any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
