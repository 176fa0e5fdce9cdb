// SPDX-License-Identifier: BSD-2-Clause
/* The packets as programs have them: by the public header alone. */
#include <sonde/rx.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rx_packets.h"

/* Asked as rxdebug does, but for the number; a responder answers, and its reply is what it told. */
static void test_there_and_back(void **state)
{
	uint8_t packet[SONDE_RX_REQUEST_BYTES], answer[SONDE_RX_REPLY_BYTES];
	struct sonde_rx_request request, got;
	struct sonde_rx_reply reply;
	size_t len;

	(void)state;
	sonde_rx_request_init(&request, SONDE_RX_WHAT_PEER, 3, 0xdeadbeef);
	assert_int_equal(sonde_rx_request_pack(&request, packet), 36);
	assert_int_equal(sonde_rx_request_unpack(packet, 36, &got), 0);
	assert_int_equal(got.header.call, 0xdeadbeef);
	assert_int_equal(got.what, SONDE_RX_WHAT_PEER);
	assert_int_equal(got.index, 3);

	memset(&reply, 0, sizeof(reply));
	reply.header = got.header;
	reply.header.flags &= (uint8_t)~SONDE_RX_FLAG_CLIENT_INITIATED;
	reply.kind = SONDE_RX_REPLY_PEER;
	reply.body.peer.host = 0xc0000201;
	reply.body.peer.bytes_sent = 1ull << 40;
	len = sonde_rx_reply_pack(&reply, 'S', answer);
	memset(&reply, 0, sizeof(reply));
	assert_int_equal(sonde_rx_reply_unpack(answer, len, SONDE_RX_WHAT_PEER, &reply), 0);
	assert_int_equal(reply.header.call, 0xdeadbeef);
	assert_int_equal(reply.body.peer.host, 0xc0000201);
	assert_int_equal(reply.body.peer.bytes_sent, 1ull << 40);
	assert_false(sonde_rx_peer_is_end(&reply.body.peer));

	sonde_rx_request_init(&request, 0, 0, 1);
	assert_int_equal(sonde_rx_request_pack(&request, packet), sizeof(real_ask_version));
	assert_int_equal(request.header.type, SONDE_RX_TYPE_VERSION);
}

/* Each record alone, out of what a real server sent. */
static void test_records(void **state)
{
	uint8_t payload[SONDE_RX_REPLY_BYTES];
	struct sonde_rx_basic basic;
	struct sonde_rx_stats stats;
	struct sonde_rx_conn conn, old;
	struct sonde_rx_peer peer;
	struct sonde_rx_header header;

	(void)state;
	assert_int_equal(sonde_rx_header_unpack(real_peer, sizeof(real_peer), &header), 0);
	sonde_rx_header_pack(&header, payload);
	assert_memory_equal(payload, real_peer, SONDE_RX_HEADER_BYTES);

	assert_int_equal(sonde_rx_basic_unpack(real_stats + 28, 56, &basic), 0);
	sonde_rx_basic_pack(&basic, payload);
	assert_memory_equal(payload, real_stats + 28, 56);
	assert_true(sonde_rx_basic_has(&basic, 'S'));
	assert_int_equal(sonde_rx_basic_unpack(payload, 55, &basic), -EBADMSG);

	assert_int_equal(sonde_rx_stats_unpack(real_counters + 28, 284, &stats), 0);
	sonde_rx_stats_pack(&stats, payload);
	assert_memory_equal(payload, real_counters + 28, 284);

	assert_int_equal(sonde_rx_peer_unpack(real_peer + 28, 132, &peer), 0);
	sonde_rx_peer_pack(&peer, payload);
	assert_memory_equal(payload, real_peer + 28, 132);
	assert_int_equal(sonde_rx_peer_unpack(real_peer_end + 28, 132, &peer), 0);
	assert_true(sonde_rx_peer_is_end(&peer));

	assert_int_equal(sonde_rx_conn_unpack(real_conn + 28, 176, &conn), 0);
	sonde_rx_conn_pack(&conn, payload);
	assert_memory_equal(payload, real_conn + 28, 176);
	assert_false(sonde_rx_conn_is_end(&conn));
	sonde_rx_conn_l_pack(&conn, payload);
	assert_int_equal(sonde_rx_conn_l_unpack(payload, 172, &old), 0);
	conn.epoch = 0;
	conn.nat_mtu = 0;
	assert_memory_equal(&old, &conn, sizeof(conn));
	assert_int_equal(sonde_rx_conn_unpack(real_conn_end + 28, 176, &conn), 0);
	assert_true(sonde_rx_conn_is_end(&conn));
}

static void test_counters_go_on(void **state)
{
	uint64_t total = UINT32_MAX - 1;

	(void)state;
	total = sonde_rx_counter_continue(total, UINT32_MAX);
	assert_int_equal(total, UINT32_MAX);
	total = sonde_rx_counter_continue(total, 4);
	assert_int_equal(total, (1ull << 32) + 4);
	assert_int_equal(sonde_rx_counter_continue(total, 4), (1ull << 32) + 4);
	assert_int_equal(sonde_rx_counter_continue(total, 3), (2ull << 32) + 3);
}

/* 127.0.0.1, as the two kinds of servers send it. */
static void test_bogus_host(void **state)
{
	struct sonde_rx_stats stats = {.words = {[SONDE_RX_STAT_BOGUS_HOST] = 0x0100007f}};

	(void)state;
	assert_int_equal(sonde_rx_bogus_host(&stats, true), 0x7f000001);
	stats.words[SONDE_RX_STAT_BOGUS_HOST] = 0x7f000001;
	assert_int_equal(sonde_rx_bogus_host(&stats, false), 0x7f000001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_counters_go_on),
		cmocka_unit_test(test_bogus_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
