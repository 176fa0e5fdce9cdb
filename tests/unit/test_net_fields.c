// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/net_fields.h"

#include "net_fixture.h"

static void test_find(void **state)
{
	struct net_fields fields;
	struct net_fixture n;
	size_t i;

	(void)state;
	net_fixture_init(&n);
	for (i = 1; i < NET_FIXTURE_CLASSES; i++) {
		net_fields_find(&fields, n.classes[i]);
		assert_true(fields.crossing <= NET_DROPPED);
		if (fields.crossing < NET_DROPPED)
			assert_string_equal(net_crossing_name(fields.crossing, fields.protocol),
					    net_fixture_names[i]);
	}
	n.made[NET_FIXTURE_IP_SEND].field_count = 3;
	net_fields_find(&fields, n.classes[NET_FIXTURE_IP_SEND]);
	assert_int_equal(fields.crossing, NET_NONE);
	n.made[NET_FIXTURE_IP_RECV].name = "net.other";
	net_fields_find(&fields, n.classes[NET_FIXTURE_IP_RECV]);
	assert_int_equal(fields.crossing, NET_NONE);
}

/* Where nothing but the IP id tells packets apart, they are as far from each other as can be. */
static void test_by_id(void **state)
{
	static const struct field fields_by_id[] = {{U(32, "cookie")}, {U(32, "size")},
						    {U(32, "netns")},  {U(16, "ip_id")},
						    {U(16, "sport")},  {U(16, "dport")},
						    {U(8, "protocol")}};
	static const uint32_t offsets[] = {0, 32, 64, 96, 112, 128, 144};
	static const uint8_t payload[19] = {[12] = 0x34, [13] = 0x12, [18] = NET_PROTOCOL_TCP};
	struct event_class class = {
		.name = "net.ip_send", .fields = fields_by_id, .field_count = 7};
	struct event event = {.class = &class, .payload = payload, .offsets = offsets};
	struct net_fields fields;
	struct net_now now;

	(void)state;
	net_fields_find(&fields, &class);
	assert_int_equal(fields.crossing, NET_IP_SEND);
	assert_true(fields.packet < 0 && fields.seq < 0);
	net_fields_read(&fields, &event, &now);
	assert_int_equal(now.ip_id, 0x1234);
	assert_int_not_equal(now.packet, 0);
	assert_int_equal(now.seq, 0x12340000);
	assert_int_equal(now.protocol, NET_PROTOCOL_TCP);
}

static void test_read(void **state)
{
	const struct net_snap snap = {
		.cookie = 1ull << 40,
		.packet = 0xfedcba98u,
		.seq = 0xffffffffu,
		.size = -111,
		.netns = 4026531840u,
		.ip_id = 65535,
		.sport = 40000,
		.dport = 80,
		.protocol = 6,
		.family = 10,
		.reason = 3,
		.result = 16,
	};
	struct net_fields fields;
	struct net_fixture n;
	struct net_now now;

	(void)state;
	net_fixture_init(&n);
	net_fields_find(&fields, n.classes[NET_FIXTURE_DEV_XMIT]);
	net_fields_read(&fields, net_fixture_add(&n, NET_FIXTURE_DEV_XMIT, 7, &snap), &now);
	assert_int_equal(now.crossing, NET_DEV_XMIT);
	assert_int_equal(now.time_ns, FIXTURE_EPOCH_NS + 7);
	assert_true(now.cookie == snap.cookie);
	assert_int_equal(now.packet, snap.packet);
	assert_int_equal(now.seq, snap.seq);
	assert_int_equal(now.size, -111);
	assert_int_equal(now.netns, snap.netns);
	assert_int_equal(now.ip_id, 65535);
	assert_int_equal(now.sport, 40000);
	assert_int_equal(now.dport, 80);
	assert_int_equal(now.protocol, NET_PROTOCOL_TCP);
	assert_int_equal(now.reason, 3);
	assert_int_equal(now.cpu, 1);
	assert_int_equal(now.tid, 42);
	assert_true(now.is_ipv6);
	assert_true(now.refused);
}

/* A class that is of one protocol says so, whatever its field has. */
static void test_protocol(void **state)
{
	const struct net_snap snap = {.protocol = 99};
	struct net_fields fields;
	struct net_fixture n;
	struct net_now now;

	(void)state;
	net_fixture_init(&n);
	net_fields_find(&fields, n.classes[NET_FIXTURE_UDP_SEND]);
	net_fields_read(&fields, net_fixture_add(&n, NET_FIXTURE_UDP_SEND, 0, &snap), &now);
	assert_int_equal(now.protocol, NET_PROTOCOL_UDP);
	net_fields_find(&fields, n.classes[NET_FIXTURE_IP_SEND]);
	net_fields_read(&fields, net_fixture_add(&n, NET_FIXTURE_IP_SEND, 0, &snap), &now);
	assert_int_equal(now.protocol, 99);
}

static void test_names(void **state)
{
	size_t i;

	(void)state;
	for (i = NET_SOCK_SEND; i < NET_APP_RECV; i++)
		if (i != NET_DEV_QUEUE)
			assert_non_null(
				net_layer_name((enum net_crossing)i, (enum net_crossing)(i + 1)));
	assert_null(net_layer_name(NET_IP_SEND, NET_APP_RECV));
	assert_string_equal(net_crossing_name(NET_TRANSPORT_RECV, NET_PROTOCOL_UDP),
			    "net.udp_recv");
	assert_string_equal(net_crossing_name(NET_TRANSPORT_RECV, NET_PROTOCOL_TCP),
			    "net.tcp_recv");
	assert_string_equal(net_protocol_name(NET_PROTOCOL_UDP), "UDP");
	assert_null(net_protocol_name(132));
}

static void test_seq(void **state)
{
	(void)state;
	assert_true(net_seq_before(0xfffffff0u, 3));
	assert_false(net_seq_before(3, 3));
	assert_true(net_seq_within(2, 0xfffffff0u, 0x20));
	assert_false(net_seq_within(0x10, 0xfffffff0u, 0x20));
	assert_false(net_seq_within(5, 5, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),  cmocka_unit_test(test_by_id),
		cmocka_unit_test(test_read),  cmocka_unit_test(test_protocol),
		cmocka_unit_test(test_names), cmocka_unit_test(test_seq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
