// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/flights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct packet_way make_way(uint32_t packet, uint16_t sport)
{
	return (struct packet_way){.key = {.packet = packet, .protocol = NET_PROTOCOL_TCP},
				   .sport = sport};
}

static struct flight *add(struct flights *flights, uint32_t packet, uint16_t sport)
{
	const struct packet_way way = make_way(packet, sport);
	struct flight *flight = flights_add(flights, &way);

	assert_non_null(flight);
	return flight;
}

static struct flight *find(const struct flights *flights, uint32_t packet)
{
	const struct way_key key = {.packet = packet, .protocol = NET_PROTOCOL_TCP};

	return flights_find(flights, &key);
}

static void test_links(void **state)
{
	struct flight *a, *b, *c;
	struct flights flights;

	(void)state;
	assert_int_equal(flights_init(&flights), 0);
	a = add(&flights, 1, 10);
	b = add(&flights, 2, 20);
	c = add(&flights, 3, 10);
	assert_ptr_equal(flights.oldest, a);
	assert_ptr_equal(a->newer, b);
	assert_ptr_equal(a->flow_newer, c);
	assert_ptr_equal(c->flow->newest, c);
	assert_true(a->serial < b->serial && b->serial < c->serial);
	flights_remove(&flights, a);
	assert_null(find(&flights, 1));
	assert_ptr_equal(flights.oldest, b);
	assert_ptr_equal(c->flow->oldest, c);
	assert_null(c->flow_older);
	flights_remove(&flights, c);
	assert_ptr_equal(flights.newest, b);
	assert_int_equal(flights.count, 1);
	assert_ptr_equal(find(&flights, 2), b);
	flights_fini(&flights);
}

static void test_rename(void **state)
{
	const struct way_key key = {.packet = 9, .protocol = NET_PROTOCOL_TCP};
	struct flights flights;
	struct flight *a;

	(void)state;
	assert_int_equal(flights_init(&flights), 0);
	a = add(&flights, 1, 10);
	flights_rename(&flights, a, &key);
	assert_null(find(&flights, 1));
	assert_ptr_equal(find(&flights, 9), a);
	flights_fini(&flights);
}

static void test_full(void **state)
{
	const struct packet_way one_more = make_way(FLIGHTS_MAX + 1, 1);
	struct flights flights;
	uint32_t i;

	(void)state;
	assert_int_equal(flights_init(&flights), 0);
	for (i = 1; i <= FLIGHTS_MAX; i++)
		add(&flights, i, 1);
	assert_null(flights_add(&flights, &one_more));
	flights_remove(&flights, flights.oldest);
	assert_non_null(flights_add(&flights, &one_more));
	flights_fini(&flights);
}

/* Flows that have nothing on its way make room for others; the rest stay as they are. */
static void test_flows(void **state)
{
	struct net_now now = {.protocol = NET_PROTOCOL_UDP};
	struct flights flights;
	struct flight *kept;
	struct flow *flow;
	uint32_t i;

	(void)state;
	assert_int_equal(flights_init(&flights), 0);
	kept = add(&flights, 1, 10);
	flow = kept->flow;
	flow->arrives = true;
	for (i = 0; i < 3 * FLIGHTS_FLOWS; i++) {
		now.sport = (uint16_t)i;
		now.dport = (uint16_t)(i >> 16);
		assert_non_null(flights_flow(&flights, &now));
	}
	now = (struct net_now){.protocol = NET_PROTOCOL_TCP, .sport = 10};
	assert_ptr_equal(flights_flow(&flights, &now), flow);
	assert_true(flow->arrives);
	assert_ptr_equal(flow->oldest, kept);
	flights_fini(&flights);
}

/* What is smallest has nothing but headers. */
static void test_payload(void **state)
{
	struct net_now now = {.protocol = NET_PROTOCOL_TCP, .crossing = NET_IP_SEND, .size = 60};
	struct flow flow = {0};

	(void)state;
	assert_int_equal(flow_payload(NULL, &now, 152), 100);
	flow_learn(&flow, &now); /* a SYN: larger than usual */
	assert_int_equal(flow_payload(&flow, &now, 152), 100);
	now.crossing = NET_DEV_QUEUE; /* and its link header */
	now.size = 40 + WAY_LINK_BYTES;
	flow_learn(&flow, &now);
	assert_int_equal(flow_payload(&flow, &now, 152), 112);
	assert_int_equal(flow_payload(&flow, &now, 40), 0);
	assert_int_equal(flow_payload(&flow, &now, -1), 0);
	now.is_ipv6 = true;
	assert_int_equal(flow_payload(NULL, &now, 152), 80);
	now.protocol = NET_PROTOCOL_UDP; /* empty datagrams are read, too */
	assert_int_equal(flow_payload(NULL, &now, 28), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),	cmocka_unit_test(test_rename),
		cmocka_unit_test(test_full),	cmocka_unit_test(test_flows),
		cmocka_unit_test(test_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
