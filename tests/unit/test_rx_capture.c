// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rx/rx_reply.h"
#include "rx_packets.h"
#include "schema/event.h"

static struct event unpack(const struct rx_capture_classes *classes, struct rx_exchange *ex,
			   const uint8_t *packet, size_t len, int32_t what)
{
	const struct event_class *class;

	*ex = (struct rx_exchange){0};
	assert_int_equal(rx_reply_unpack(packet, len, what, &ex->values.reply), 0);
	rx_values_complete(&ex->values);
	class = classes->classes[RX_CAPTURE_REPLY + ex->values.reply.kind];
	return (struct event){
		.class = class, .payload = (const uint8_t *)ex, .offsets = class->offsets};
}

static uint64_t value(const struct event *event, const char *name)
{
	int field = event_class_find(event->class, name);

	if (field < 0)
		fail_msg("%s has no %s", event->class->name, name);
	return event_uint(event, (size_t)field);
}

static void check_peer_is(const struct event *event, const char *name, const uint8_t host[4])
{
	int field = event_class_find(event->class, name);

	assert_true(field >= 0);
	assert_memory_equal(event_bytes(event, (size_t)field) + 12, host, 4);
}

/* As rxdebug printed them when this was captured. */
static void test_real_records(void **state)
{
	static const uint8_t host[] = {10, 77, 0, 1};
	struct rx_capture_classes classes;
	struct rx_exchange ex;
	struct event event;

	(void)state;
	assert_int_equal(rx_capture_classes_init(&classes), 0);

	event = unpack(&classes, &ex, real_stats, sizeof(real_stats), SONDE_RX_WHAT_BASIC);
	assert_string_equal(event.class->name, "rx_debug.reply.stats");
	assert_int_equal(value(&event, "free_packets"), 361);
	assert_int_equal(value(&event, "packets"), 907);
	assert_int_equal(value(&event, "idle_threads"), 16);
	assert_int_equal(value(&event, "used_fds"), 9);
	assert_int_equal(value(&event, "version"), 'S');

	event = unpack(&classes, &ex, real_conn, sizeof(real_conn), SONDE_RX_WHAT_ALL_CONN);
	assert_string_equal(event.class->name, "rx_debug.reply.conn");
	check_peer_is(&event, "peer", host);
	assert_int_equal(value(&event, "peer_port"), ex.values.reply.body.conn.port);
	assert_int_equal(value(&event, "epoch"), ex.values.reply.body.conn.epoch);
	assert_int_equal(value(&event, "call0.state"), SONDE_RX_CALL_DALLY);
	assert_int_equal(value(&event, "call0.number"), 2);
	assert_int_equal(value(&event, "call3.state"), SONDE_RX_CALL_NONE);

	event = unpack(&classes, &ex, real_peer, sizeof(real_peer), SONDE_RX_WHAT_PEER);
	assert_string_equal(event.class->name, "rx_debug.reply.peer");
	check_peer_is(&event, "peer", host);
	assert_int_equal(value(&event, "bytes_sent"), ex.values.reply.body.peer.bytes_sent);
	assert_int_equal(value(&event, "packets_sent"), ex.values.reply.body.peer.sent);

	event = unpack(&classes, &ex, real_peer_end, sizeof(real_peer_end), SONDE_RX_WHAT_PEER);
	assert_string_equal(event.class->name, "rx_debug.reply.end");
	assert_int_equal(value(&event, "list"), SONDE_RX_WHAT_PEER);
	rx_capture_classes_fini(&classes);
}

/* Each word by its name; times of two words as one; the address in both readings. */
static void test_counters(void **state)
{
	static const uint8_t swapped[] = {127, 0, 0, 1}, straight[] = {1, 0, 0, 127};
	struct rx_capture_classes classes;
	struct sonde_rx_reply reply = {.kind = SONDE_RX_REPLY_STATS};
	uint8_t packet[SONDE_RX_REPLY_BYTES];
	struct rx_exchange ex;
	struct event event;
	size_t len;

	(void)state;
	assert_int_equal(rx_capture_classes_init(&classes), 0);
	reply.header.type = SONDE_RX_TYPE_DEBUG;
	for (uint32_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		reply.body.stats.words[i] = i + 1;
	reply.body.stats.words[SONDE_RX_STAT_BOGUS_HOST] = 0x0100007f;
	len = rx_reply_pack(&reply, 'S', packet);
	event = unpack(&classes, &ex, packet, len, SONDE_RX_WHAT_STATS);
	assert_string_equal(event.class->name, "rx_debug.reply.counters");
	assert_int_equal(value(&event, "packet_requests"), 1);
	assert_int_equal(value(&event, "packets_read_debug"), SONDE_RX_STAT_READ + 8);
	assert_int_equal(value(&event, "busies"), SONDE_RX_STAT_BUSIES + 1);
	assert_int_equal(value(&event, "rtt_total_us"), 50 * 1000000ull + 51);
	assert_int_equal(value(&event, "bogus_host"), 0x0100007f);
	check_peer_is(&event, "bogus_host_little", swapped);
	check_peer_is(&event, "bogus_host_big", straight);

	reply.body.stats.words[SONDE_RX_STAT_RTT_SAMPLES] = 0;
	len = rx_reply_pack(&reply, 'S', packet);
	event = unpack(&classes, &ex, packet, len, SONDE_RX_WHAT_STATS);
	assert_int_equal(value(&event, "rtt_min_us"), 0);
	rx_capture_classes_fini(&classes);
}

static void test_rtt_of_peers(void **state)
{
	struct rx_capture_classes classes;
	struct sonde_rx_reply reply = {.kind = SONDE_RX_REPLY_PEER};
	uint8_t packet[SONDE_RX_REPLY_BYTES];
	struct rx_exchange ex;
	struct event event;
	size_t len;

	(void)state;
	assert_int_equal(rx_capture_classes_init(&classes), 0);
	reply.header.type = SONDE_RX_TYPE_DEBUG;
	reply.body.peer.rtt = 12;
	reply.body.peer.rtt_dev = 3;
	len = rx_reply_pack(&reply, 'S', packet);
	event = unpack(&classes, &ex, packet, len, SONDE_RX_WHAT_PEER);
	assert_int_equal(value(&event, "rtt_us"), 1500);
	assert_int_equal(value(&event, "rtt_dev_us"), 750);
	reply.body.peer.rtt = 16000;
	len = rx_reply_pack(&reply, 'S', packet);
	event = unpack(&classes, &ex, packet, len, SONDE_RX_WHAT_PEER);
	assert_int_equal(value(&event, "rtt_us"), 0);
	rx_capture_classes_fini(&classes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_records),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_rtt_of_peers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
