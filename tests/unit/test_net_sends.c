// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/net_sends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add(struct net_sends *sends, enum net_crossing crossing, int64_t ns, uint64_t cookie,
		uint32_t seq, int32_t size)
{
	const struct net_now now = {
		.crossing = crossing,
		.time_ns = ns,
		.cookie = cookie,
		.seq = seq,
		.size = size,
		.tid = 1,
		.protocol = NET_PROTOCOL_TCP,
	};

	net_sends_add(sends, &now);
}

static size_t take(struct net_sends *sends, uint64_t cookie, uint32_t seq, uint32_t payload,
		   struct net_now *steps, bool *again)
{
	const struct net_now now = {
		.crossing = NET_IP_SEND,
		.time_ns = 1000,
		.cookie = cookie,
		.seq = seq,
		.tid = 9,
		.protocol = NET_PROTOCOL_TCP,
	};

	return net_sends_take(sends, &now, payload, steps, again);
}

static void test_bytes(void **state)
{
	struct net_now steps[NET_SENDS_STEPS];
	struct net_sends sends;
	bool again;

	(void)state;
	net_sends_init(&sends);
	add(&sends, NET_SOCK_SEND, 1, 5, 0, 300);
	add(&sends, NET_TRANSPORT_SEND, 2, 5, 100, 300);
	add(&sends, NET_TRANSPORT_SEND, 3, 5, 400, 10);
	assert_int_equal(take(&sends, 6, 100, 200, steps, &again), 0); /* another socket */
	assert_int_equal(take(&sends, 5, 100, 0, steps, &again), 0); /* nothing in it */
	assert_int_equal(take(&sends, 5, 100, 200, steps, &again), 2);
	assert_int_equal(steps[0].crossing, NET_SOCK_SEND);
	assert_int_equal(steps[0].time_ns, 1);
	assert_int_equal(steps[1].time_ns, 2);
	assert_int_equal(steps[1].size, 300);
	assert_int_equal(steps[1].tid, 1);
	assert_false(again);
	assert_int_equal(take(&sends, 5, 300, 110, steps, &again), 2); /* of both sends */
	assert_int_equal(sends.count, 2);
	assert_int_equal(take(&sends, 5, 200, 50, steps, &again), 0);
	assert_true(again);
	assert_int_equal(take(&sends, 5, 410, 50, steps, &again), 0); /* never handed over */
	assert_false(again);
	assert_int_equal(sends.count, 0);
	net_sends_fini(&sends);
}

/* A second send of the same call has no call of its own. */
static void test_one_call(void **state)
{
	struct net_now steps[NET_SENDS_STEPS];
	struct net_sends sends;
	bool again;

	(void)state;
	net_sends_init(&sends);
	add(&sends, NET_SOCK_SEND, 1, 5, 0, 20);
	add(&sends, NET_TRANSPORT_SEND, 2, 5, 100, 10);
	add(&sends, NET_TRANSPORT_SEND, 3, 5, 110, 10);
	add(&sends, NET_TRANSPORT_SEND, 4, 5, 120, -11); /* it was refused */
	assert_int_equal(take(&sends, 5, 110, 10, steps, &again), 1);
	assert_int_equal(steps[0].crossing, NET_TRANSPORT_SEND);
	assert_int_equal(steps[0].time_ns, 3);
	net_sends_fini(&sends);
}

static void test_clear(void **state)
{
	struct net_now steps[NET_SENDS_STEPS];
	struct net_sends sends;
	bool again;

	(void)state;
	net_sends_init(&sends);
	add(&sends, NET_TRANSPORT_SEND, 2, 5, 100, 10);
	net_sends_clear(&sends);
	assert_int_equal(take(&sends, 5, 100, 10, steps, &again), 0);
	assert_int_equal(sends.count, 0);
	net_sends_fini(&sends);
}

static void test_bounded(void **state)
{
	struct net_sends sends;
	uint32_t i;

	(void)state;
	net_sends_init(&sends);
	for (i = 0; i < NET_SENDS_LIMIT + 3; i++)
		add(&sends, NET_TRANSPORT_SEND, i, 5, i, 1);
	assert_int_equal(sends.count, NET_SENDS_LIMIT);
	assert_int_equal(sends.refused, 3);
	net_sends_clear(&sends);
	for (i = 0; i < NET_SENDS_SOCKETS + 4; i++)
		add(&sends, NET_TRANSPORT_SEND, i, i + 1, 0, 1);
	assert_int_equal(sends.refused, 7);
	net_sends_fini(&sends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_one_call),
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
