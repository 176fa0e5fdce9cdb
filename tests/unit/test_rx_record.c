// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_record.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Bytes that differ all, so that nothing read from the wrong place goes unnoticed. */
static void fill(uint8_t *payload, size_t len)
{
	for (size_t i = 0; i < len; i++)
		payload[i] = (uint8_t)(i * 37 + 11);
}

/* As vlserver 1.8.9 sent it: 306 packets free of 907, 8 calls, 14 threads idle. */
static void test_basic_of_a_real_server(void **state)
{
	static const uint8_t payload[RX_BASIC_BYTES] = {
		0, 0, 1, 0x32, 0, 0, 0, 0,  0, 0, 0, 8, 0, 8, 'S', 0,
		0, 0, 0, 0,    0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 3,   0x8b,
	};
	uint8_t packed[RX_BASIC_BYTES];
	struct sonde_rx_basic basic;

	(void)state;
	assert_int_equal(rx_basic_unpack(payload, sizeof(payload), &basic), 0);
	assert_int_equal(basic.free_packets, 306);
	assert_int_equal(basic.calls_executed, 8);
	assert_int_equal(basic.used_fds, 8);
	assert_int_equal(basic.idle_threads, 14);
	assert_int_equal(basic.packets, 907);
	assert_true(rx_basic_has(&basic, RX_VERSION_PACKETS));
	rx_basic_pack(&basic, packed);
	assert_memory_equal(packed, payload, sizeof(payload));
}

static void test_versions(void **state)
{
	struct sonde_rx_basic basic = {.version = 'Q'};

	(void)state;
	assert_true(rx_basic_has(&basic, RX_VERSION_PEER));
	assert_false(rx_basic_has(&basic, RX_VERSION_WAITED));
	basic.version = 'Z'; /* what comes later has all of it */
	assert_true(rx_basic_has(&basic, RX_VERSION_PACKETS));
	basic.version = 0xd3;
	assert_false(rx_basic_has(&basic, RX_VERSION_SECURITY));
}

/* As in the sample of a connection with tickets: 192.0.2.2, encrypted, never expires. */
static void test_conn_of_a_real_server(void **state)
{
	uint8_t payload[RX_CONN_BYTES] = {
		0xc0, 0, 2, 2, 0xaa, 0xef, 0xd1, 0xb0, 0, 0, 0, 3, 0, 0, 0, 2,
	};
	static const uint8_t behind[] = {0xca, 0x91, 4, 1, 2, 0, 0, 0,	 3,
					 0,    0,    0, 4, 0, 0, 0, 0x20};
	static const uint8_t security[] = {3, 2, 0, 0,	0,    0,    0,	  0,	0, 0, 0, 0,
					   0, 0, 0, 10, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2,
					   0, 0, 0, 2,	0,    0,    0,	  0x60, 0, 0, 0, 0x58};
	static const uint8_t tail[] = {0xb7, 0x3a, 0x40, 0x6a, 0, 0, 5, 0x40};
	uint8_t packed[RX_CONN_BYTES];
	struct sonde_rx_conn conn;

	(void)state;
	memcpy(payload + 32, behind, sizeof(behind));
	memcpy(payload + 56, security, sizeof(security));
	memcpy(payload + 132, tail, sizeof(tail));
	assert_int_equal(rx_conn_unpack(payload, sizeof(payload), &conn), 0);
	assert_int_equal(conn.host, 0xc0000202);
	assert_int_equal(conn.port, 51857);
	assert_int_equal(conn.cid, 0xaaefd1b0);
	assert_int_equal(conn.serial, 3);
	assert_int_equal(conn.calls[0].number, 2);
	assert_int_equal(conn.calls[0].state, SONDE_RX_CALL_DALLY);
	assert_int_equal(conn.calls[0].mode, SONDE_RX_MODE_EOF);
	assert_int_equal(conn.calls[0].flags, SONDE_RX_CALL_RECEIVE_DONE);
	assert_int_equal(conn.flags, SONDE_RX_CONN_CHECKSUM);
	assert_int_equal(conn.security.type, SONDE_RX_SECURITY_KAD);
	assert_int_equal(conn.security.flags,
			 SONDE_RX_SECURITY_AUTHENTICATED | SONDE_RX_SECURITY_CHECKSUM);
	assert_int_equal(conn.security.expires, UINT32_MAX);
	assert_int_equal(conn.security.bytes_received, 96);
	assert_int_equal(conn.security.bytes_sent, 88);
	assert_int_equal(conn.epoch, 0xb73a406a);
	assert_int_equal(conn.nat_mtu, 1344);
	rx_conn_pack(&conn, packed);
	assert_memory_equal(packed, payload, sizeof(payload));
}

/* What is spare is not kept, everything else is. */
static void test_each_byte_has_its_place(void **state)
{
	uint8_t payload[RX_STATS_BYTES], packed[RX_STATS_BYTES];
	struct sonde_rx_stats stats;
	struct sonde_rx_peer peer;
	struct sonde_rx_conn conn;

	(void)state;
	fill(payload, sizeof(payload));
	assert_int_equal(rx_stats_unpack(payload, RX_STATS_BYTES, &stats), 0);
	rx_stats_pack(&stats, packed);
	assert_memory_equal(packed, payload, RX_STATS_BYTES);

	memset(payload + 92, 0, 40);
	assert_int_equal(rx_peer_unpack(payload, RX_PEER_BYTES, &peer), 0);
	rx_peer_pack(&peer, packed);
	assert_memory_equal(packed, payload, RX_PEER_BYTES);

	fill(payload, sizeof(payload));
	memset(payload + 37, 0, 3);
	memset(payload + 58, 0, 10);
	memset(payload + 92, 0, 40);
	memset(payload + 140, 0, 36);
	assert_int_equal(rx_conn_unpack(payload, RX_CONN_BYTES, &conn), 0);
	rx_conn_pack(&conn, packed);
	assert_memory_equal(packed, payload, RX_CONN_BYTES);
}

/* The same connection in the layout of version L, in which what is behind the security index lies three
 * bytes earlier, up to the statistics. */
static void test_the_old_layout(void **state)
{
	uint8_t payload[RX_CONN_BYTES], old[RX_CONN_L_BYTES] = {0};
	struct sonde_rx_conn conn, same;

	(void)state;
	fill(payload, sizeof(payload));
	memcpy(old, payload, 37);
	memcpy(old + 37, payload + 40, 16);
	memcpy(old + 56, payload + 56, 76);
	assert_int_equal(rx_conn_unpack(payload, sizeof(payload), &conn), 0);
	assert_int_equal(rx_conn_l_unpack(old, sizeof(old), &same), 0);
	conn.epoch = 0;
	conn.nat_mtu = 0;
	assert_memory_equal(&conn, &same, sizeof(conn));
	/* Its length tells. */
	memset(&same, 0xff, sizeof(same));
	assert_int_equal(rx_conn_unpack(old, sizeof(old), &same), 0);
	assert_memory_equal(&conn, &same, sizeof(conn));
}

/* As OpenAFS sends it, and as the protocol's description has it. */
static void test_ends(void **state)
{
	uint8_t payload[RX_CONN_BYTES] = {0};
	struct sonde_rx_conn conn;
	struct sonde_rx_peer peer;

	(void)state;
	assert_int_equal(rx_conn_unpack(payload, sizeof(payload), &conn), 0);
	assert_false(rx_conn_is_end(&conn));
	assert_int_equal(rx_peer_unpack(payload, RX_PEER_BYTES, &peer), 0);
	assert_false(rx_peer_is_end(&peer));
	memset(payload + 4, 0xff, 4);
	assert_int_equal(rx_conn_unpack(payload, sizeof(payload), &conn), 0);
	assert_true(rx_conn_is_end(&conn));
	for (size_t len = 4; len <= sizeof(payload); len++) {
		memset(payload, 0xff, 4);
		memset(payload + 4, 0, 4);
		assert_int_equal(rx_conn_unpack(payload, len, &conn), 0);
		assert_true(rx_conn_is_end(&conn));
		assert_int_equal(rx_peer_unpack(payload, len, &peer), 0);
		assert_true(rx_peer_is_end(&peer));
	}
	assert_int_equal(rx_conn_unpack(payload, 3, &conn), -EBADMSG);
	assert_int_equal(rx_peer_unpack(payload, 3, &peer), -EBADMSG);
}

/* Too short is no record; longer than known is. */
static void test_lengths(void **state)
{
	uint8_t payload[400];
	struct sonde_rx_stats stats;
	struct sonde_rx_basic basic;
	struct sonde_rx_peer peer;
	struct sonde_rx_conn conn;

	(void)state;
	fill(payload, sizeof(payload));
	for (size_t len = 0; len <= sizeof(payload); len++) {
		assert_int_equal(rx_basic_unpack(payload, len, &basic),
				 len < RX_BASIC_BYTES ? -EBADMSG : 0);
		assert_int_equal(rx_conn_unpack(payload, len, &conn),
				 len < RX_CONN_LEAST_BYTES ? -EBADMSG : 0);
		assert_int_equal(rx_conn_l_unpack(payload, len, &conn),
				 len < RX_CONN_L_BYTES ? -EBADMSG : 0);
		assert_int_equal(rx_peer_unpack(payload, len, &peer),
				 len < RX_PEER_BYTES ? -EBADMSG : 0);
		assert_int_equal(rx_stats_unpack(payload, len, &stats), len < 4 ? -EBADMSG : 0);
	}
	assert_int_equal(rx_stats_unpack(payload, 8, &stats), 0);
	assert_int_not_equal(stats.words[1], 0);
	assert_int_equal(stats.words[2], 0);
}

static void test_refusal(void **state)
{
	static const uint8_t refusal[] = {0xff, 0xff, 0xff, 0xf8, 0xff, 0xff, 0xff, 0xf8, 0};

	(void)state;
	assert_true(rx_payload_is_refusal(refusal, 8));
	assert_false(rx_payload_is_refusal(refusal, 9));
	assert_false(rx_payload_is_refusal(refusal, 7));
	assert_false(rx_payload_is_refusal(refusal + 1, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic_of_a_real_server),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_conn_of_a_real_server),
		cmocka_unit_test(test_each_byte_has_its_place),
		cmocka_unit_test(test_the_old_layout),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
