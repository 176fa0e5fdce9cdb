// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/packet_paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SECOND 1000000000ll

static bool records[NET_CROSSINGS + 1];

static struct flight make_flight(struct flow *flow, uint16_t protocol, enum net_crossing last)
{
	return (struct flight){
		.way = {.key = {.protocol = protocol},
			.count = 1,
			.steps = {{.crossing = (uint8_t)last}}},
		.serial = 10,
		.flow = flow,
	};
}

static enum way_end end_of(uint16_t protocol, enum net_crossing last, enum flight_cut cut,
			   int64_t end_ns)
{
	struct flow flow = {.arrives = true};
	const struct flight flight = make_flight(&flow, protocol, last);

	return flight_end(&flight, records, cut, end_ns);
}

static void test_kept(void **state)
{
	(void)state;
	memset(records, true, sizeof(records));
	assert_int_equal(end_of(NET_PROTOCOL_TCP, NET_TRANSPORT_RECV, FLIGHT_TRACE_END, 0),
			 WAY_KEPT);
	assert_int_equal(end_of(NET_PROTOCOL_TCP, NET_SOCK_RECV, FLIGHT_LOST, 0), WAY_KEPT);
	assert_int_equal(end_of(NET_PROTOCOL_ICMP, NET_IP_RECV, FLIGHT_TRACE_END, 0), WAY_KEPT);
	/* Of a datagram there is more to come. */
	assert_int_equal(end_of(NET_PROTOCOL_UDP, NET_SOCK_RECV, FLIGHT_TRACE_END, 9 * SECOND),
			 WAY_INCOMPLETE);
}

static void test_vanished(void **state)
{
	struct flow flow = {.arrives = true};
	struct flight flight = make_flight(&flow, NET_PROTOCOL_UDP, NET_DEV_XMIT);

	(void)state;
	memset(records, true, sizeof(records));
	assert_int_equal(flight_end(&flight, records, FLIGHT_TRACE_END, SECOND), WAY_INCOMPLETE);
	assert_int_equal(flight_end(&flight, records, FLIGHT_TRACE_END, SECOND + 1), WAY_VANISHED);
	assert_int_equal(flight_end(&flight, records, FLIGHT_AGAIN, 0), WAY_VANISHED);
	assert_int_equal(flight_end(&flight, records, FLIGHT_LOST, 9 * SECOND), WAY_INCOMPLETE);
	flow.passed[NET_IP_RECV] = 9; /* an earlier one */
	assert_int_equal(flight_end(&flight, records, FLIGHT_TRACE_END, 0), WAY_INCOMPLETE);
	flow.passed[NET_IP_RECV] = 11;
	assert_int_equal(flight_end(&flight, records, FLIGHT_TRACE_END, 0), WAY_VANISHED);
}

static void test_left(void **state)
{
	struct flow flow = {0};
	struct flight flight = make_flight(&flow, NET_PROTOCOL_UDP, NET_DEV_XMIT);

	(void)state;
	memset(records, true, sizeof(records));
	assert_int_equal(flight_end(&flight, records, FLIGHT_AGAIN, 9 * SECOND), WAY_LEFT);
	flight.flow = NULL; /* nothing is known of it */
	assert_int_equal(flight_end(&flight, records, FLIGHT_AGAIN, 9 * SECOND), WAY_LEFT);
	memset(records, false, sizeof(records));
	records[NET_IP_SEND] = true;
	assert_int_equal(end_of(NET_PROTOCOL_UDP, NET_IP_SEND, FLIGHT_LOST, 9 * SECOND), WAY_LEFT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
