// SPDX-License-Identifier: BSD-2-Clause
#include "flows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frames.h"

static struct flow_place follow(struct flows *flows, uint32_t seq, uint8_t flags, uint16_t payload)
{
	struct frame frame = frames_parsed(seq, flags, payload);
	struct flow_place place;

	flows_follow(flows, &frame, &place);
	assert_true(place.is_known);
	return place;
}

/* A stream from @isn on, across the end of the sequence numbers where @isn is near it. */
static void one_stream(uint32_t isn)
{
	struct flows flows;

	flows_init(&flows);
	assert_int_equal(follow(&flows, isn, TCP_SYN, 0).opening, 0);
	assert_true(follow(&flows, isn, TCP_SYN, 0).is_again);
	assert_int_equal(follow(&flows, isn, TCP_SYN, 0).opening, 2);
	assert_int_equal(follow(&flows, isn + 1, TCP_ACK, 100).end, 100);
	assert_false(follow(&flows, isn + 101, TCP_ACK, 100).is_again);
	assert_true(follow(&flows, isn + 1, TCP_ACK, 100).is_again);
	assert_false(follow(&flows, isn + 101, TCP_ACK, 101).is_again); /* one byte is new */
	assert_false(follow(&flows, isn + 202, TCP_ACK, 0).is_again); /* brings nothing */
	assert_true(follow(&flows, isn + 1, TCP_ACK, 0).end == 0);
	assert_false(follow(&flows, isn + 202, TCP_ACK | TCP_FIN, 0).is_again);
	assert_true(follow(&flows, isn + 202, TCP_ACK | TCP_FIN, 0).is_again);
	/* Another connection of the same ports. */
	assert_int_equal(follow(&flows, isn + 1000000, TCP_SYN, 0).opening, 0);
	assert_int_equal(follow(&flows, isn + 1000001, TCP_ACK, 7).end, 7);
	flows_fini(&flows);
}

static void test_streams(void **state)
{
	(void)state;
	one_stream(0);
	one_stream(0xffffffff);
	one_stream(0xffffffa0);
	one_stream(0x7fffffff);
}

/* More than 4 GiB */
static void test_long(void **state)
{
	struct flow_place place;
	struct flows flows;

	(void)state;
	flows_init(&flows);
	follow(&flows, 5, TCP_SYN, 0);
	for (uint64_t at = 0; at < 5ull << 30; at += 60000) {
		place = follow(&flows, (uint32_t)(6 + at), TCP_ACK, 60000);
		assert_false(place.is_again);
		assert_int_equal(place.end, at + 60000);
	}
	flows_fini(&flows);
}

static void test_without_opening(void **state)
{
	struct flows flows;

	(void)state;
	flows_init(&flows);
	assert_int_equal(follow(&flows, 1000, TCP_ACK, 10).end, 10);
	assert_true(follow(&flows, 900, TCP_ACK, 10).is_again);
	assert_int_equal(follow(&flows, 1010, TCP_ACK, 10).end, 20);
	flows_fini(&flows);
}

static void test_limit(void **state)
{
	struct frame frame = frames_parsed(1, TCP_SYN, 0);
	struct flow_place place;
	struct flows flows;

	(void)state;
	flows_init(&flows);
	for (uint32_t i = 0; i < FLOWS_MAX + 3; i++) {
		frame.flow.sport = (uint16_t)i;
		flows_follow(&flows, &frame, &place);
		assert_int_equal(place.is_known, i < FLOWS_MAX);
	}
	assert_int_equal(flows.unknown, 3);
	flows_fini(&flows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_without_opening),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
