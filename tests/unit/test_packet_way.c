// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/packet_way.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void add(struct packet_way *way, enum net_crossing crossing, int64_t ns, int32_t size,
		uint32_t netns, uint64_t cookie)
{
	const struct net_now now = {.crossing = crossing,
				    .time_ns = ns,
				    .size = size,
				    .netns = netns,
				    .cookie = cookie};

	packet_way_add(way, &now);
}

static void test_ends(void **state)
{
	struct packet_way way = {0};

	(void)state;
	add(&way, NET_TRANSPORT_SEND, 10, 9000, 1, 7);
	add(&way, NET_IP_SEND, 30, 1500, 1, 7);
	add(&way, NET_DEV_QUEUE, 25, 1514, 1, 0); /* another CPU's clock */
	add(&way, NET_DEV_RECV, 40, 1514, 2, 0);
	add(&way, NET_SOCK_RECV, 50, 1448, 2, 8);
	assert_int_equal(way.from_netns, 1);
	assert_int_equal(way.to_netns, 2);
	assert_int_equal(way.cookie, 7);
	assert_int_equal(way.receiver, 8);
	assert_int_equal(way.size, 1500);
	assert_int_equal(packet_way_took(&way, 1), 20);
	assert_int_equal(packet_way_took(&way, 2), 0);
	assert_int_equal(packet_way_total(&way), 40);
	assert_int_equal(packet_way_last(&way), NET_SOCK_RECV);
}

/* Where it is dropped says nothing of where it was going. */
static void test_drop(void **state)
{
	struct packet_way way = {0};

	(void)state;
	add(&way, NET_DEV_QUEUE, 10, 114, 1, 7);
	add(&way, NET_DROPPED, 20, 114, 1, 7);
	assert_int_equal(way.to_netns, 0);
	assert_int_equal(way.size, 100); /* without the link header */
}

static void test_names(void **state)
{
	enum way_end i;

	(void)state;
	for (i = 0; i < WAY_ENDS; i++)
		assert_non_null(way_end_name(i));
	assert_string_equal(way_end_name(WAY_READ), "read");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
