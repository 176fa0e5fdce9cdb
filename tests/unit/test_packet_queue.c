// SPDX-License-Identifier: BSD-2-Clause
#include "trace/compressor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROOM 1024u

static bool put(struct packet_queue *queue, uint8_t number, size_t len)
{
	struct queued_packet *packet = packet_queue_reserve(queue, len);

	if (!packet)
		return false;
	memset(packet->bytes, number, len);
	packet_queue_push(queue, packet);
	return true;
}

static void expect(struct packet_queue *queue, uint8_t number, size_t len)
{
	const struct queued_packet *packet = packet_queue_first(queue);

	assert_non_null(packet);
	assert_int_equal(packet->len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(packet->bytes[i], number);
	packet_queue_pop(queue);
}

/* All lengths, so that the end of the memory is met at all places. */
static void packets_come_out_as_they_went_in(void **state)
{
	struct packet_queue queue;
	size_t in = 0, out = 0;

	(void)state;
	assert_int_equal(packet_queue_init(&queue, ROOM), 0);
	for (int i = 0; i < 20000; i++) {
		if (i % 3 && put(&queue, (uint8_t)in, 1 + in * 7 % 300)) {
			in++;
		} else if (out < in) {
			expect(&queue, (uint8_t)out, 1 + out * 7 % 300);
			out++;
		}
		assert_true(packet_queue_bytes(&queue) <= ROOM);
	}
	for (; out < in; out++)
		expect(&queue, (uint8_t)out, 1 + out * 7 % 300);
	assert_true(in > 5000);
	assert_null(packet_queue_first(&queue));
	packet_queue_fini(&queue);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct packet_queue queue;

	(void)state;
	assert_int_equal(packet_queue_init(&queue, ROOM), 0);
	assert_false(put(&queue, 1, ROOM));
	assert_null(packet_queue_reserve(&queue, SIZE_MAX));
	assert_true(put(&queue, 1, ROOM / 2));
	assert_false(put(&queue, 2, ROOM / 2));
	assert_true(put(&queue, 3, 100));
	expect(&queue, 1, ROOM / 2);
	expect(&queue, 3, 100);
	assert_null(packet_queue_first(&queue));
	packet_queue_fini(&queue);
}

static void a_place_that_is_only_reserved_is_not_there(void **state)
{
	struct packet_queue queue;

	(void)state;
	assert_int_equal(packet_queue_init(&queue, ROOM), 0);
	assert_non_null(packet_queue_reserve(&queue, 600));
	assert_null(packet_queue_first(&queue));
	assert_true(put(&queue, 1, 600));
	expect(&queue, 1, 600);
	assert_non_null(packet_queue_reserve(&queue, 500)); /* at the begin of the memory */
	assert_null(packet_queue_first(&queue));
	packet_queue_fini(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_come_out_as_they_went_in),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_place_that_is_only_reserved_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
