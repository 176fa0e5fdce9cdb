// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_reply.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rx/rx_message.h"
#include "rx_packets.h"

#define VERSIONS "LMNOPQRS"

struct real {
	const uint8_t *packet;
	size_t len;
	int32_t what;
	enum sonde_rx_reply_kind kind;
};

static const struct real reals[] = {
	{real_stats, sizeof(real_stats), SONDE_RX_WHAT_BASIC, SONDE_RX_REPLY_BASIC},
	{real_counters, sizeof(real_counters), SONDE_RX_WHAT_STATS, SONDE_RX_REPLY_STATS},
	{real_conn, sizeof(real_conn), SONDE_RX_WHAT_ALL_CONN, SONDE_RX_REPLY_CONN},
	{real_conn, sizeof(real_conn), SONDE_RX_WHAT_CONN, SONDE_RX_REPLY_CONN},
	{real_conn_end, sizeof(real_conn_end), SONDE_RX_WHAT_ALL_CONN, SONDE_RX_REPLY_END},
	{real_peer, sizeof(real_peer), SONDE_RX_WHAT_PEER, SONDE_RX_REPLY_PEER},
	{real_peer_end, sizeof(real_peer_end), SONDE_RX_WHAT_PEER, SONDE_RX_REPLY_END},
	{real_version, sizeof(real_version), 0, SONDE_RX_REPLY_VERSION},
	{real_refusal, sizeof(real_refusal), 99, SONDE_RX_REPLY_REFUSED},
};

#define REALS (sizeof(reals) / sizeof(reals[0]))

static void pack_is(const struct sonde_rx_reply *reply, char version, const uint8_t *packet,
		    size_t len)
{
	uint8_t packed[SONDE_RX_REPLY_BYTES];

	assert_int_equal(rx_reply_pack(reply, version, packed), len);
	assert_memory_equal(packed, packet, len);
}

/* What a real server sent comes out of packing as it came in, whether or not one knows what was asked. */
static void test_real_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < REALS; i++) {
		struct sonde_rx_reply reply;

		assert_int_equal(
			rx_reply_unpack(reals[i].packet, reals[i].len, reals[i].what, &reply), 0);
		assert_int_equal(reply.kind, reals[i].kind);
		pack_is(&reply, 'S', reals[i].packet, reals[i].len);
		assert_int_equal(rx_reply_unpack(reals[i].packet, reals[i].len, 0, &reply), 0);
		assert_int_equal(reply.kind, reals[i].kind);
		pack_is(&reply, 'S', reals[i].packet, reals[i].len);
	}
}

/* As a server of each version would have sent it: what came later is 0, and stays so. */
static void test_versions(void **state)
{
	(void)state;
	for (const char *version = VERSIONS; *version; version++) {
		for (size_t i = 0; i < REALS; i++) {
			uint8_t packet[SONDE_RX_REPLY_BYTES];
			struct sonde_rx_reply reply;
			size_t len;

			assert_int_equal(rx_reply_unpack(reals[i].packet, reals[i].len,
							 reals[i].what, &reply),
					 0);
			len = rx_reply_pack(&reply, *version, packet);
			assert_int_equal(len, reals[i].len);
			assert_int_equal(rx_reply_unpack(packet, len, reals[i].what, &reply), 0);
			pack_is(&reply, *version, packet, len);
			if (reply.kind != SONDE_RX_REPLY_BASIC)
				continue;
			assert_int_equal(reply.body.basic.version, *version);
			assert_int_equal(reply.body.basic.idle_threads != 0, *version >= 'O');
			assert_int_equal(reply.body.basic.packets != 0, *version >= 'S');
		}
	}
}

/* Both layouts of old, by their length alone. */
static void test_old_connections(void **state)
{
	static const enum sonde_rx_layout layouts[] = {SONDE_RX_LAYOUT_L, SONDE_RX_LAYOUT_BEFORE_L};
	static const size_t lengths[] = {28 + 172, 28 + 56};
	struct sonde_rx_reply reply, again;
	uint8_t packet[SONDE_RX_REPLY_BYTES];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(rx_reply_unpack(real_conn, sizeof(real_conn), SONDE_RX_WHAT_CONN,
						 &reply),
				 0);
		reply.layout = layouts[i];
		assert_int_equal(rx_reply_pack(&reply, 'L', packet), lengths[i]);
		assert_int_equal(rx_reply_unpack(packet, lengths[i], SONDE_RX_WHAT_CONN, &again),
				 0);
		assert_int_equal(again.layout, layouts[i]);
		assert_int_equal(again.body.conn.cid, reply.body.conn.cid);
		assert_memory_equal(again.body.conn.calls, reply.body.conn.calls,
				    sizeof(reply.body.conn.calls));
		assert_int_equal(again.body.conn.epoch, 0);
		pack_is(&again, 'L', packet, lengths[i]);

		reply.kind = SONDE_RX_REPLY_END;
		assert_int_equal(rx_reply_pack(&reply, 'L', packet), lengths[i]);
		assert_int_equal(rx_reply_unpack(packet, lengths[i], SONDE_RX_WHAT_CONN, &again),
				 0);
		assert_int_equal(again.kind, SONDE_RX_REPLY_END);
		pack_is(&again, 'L', packet, lengths[i]);
	}
}

/* Later versions may tell more, and call themselves T: what is known of it is as ever. */
static void test_longer(void **state)
{
	(void)state;
	for (size_t i = 0; i < REALS; i++) {
		uint8_t packet[SONDE_RX_REPLY_BYTES + 100];
		struct sonde_rx_reply reply, longer;

		if (reals[i].kind == SONDE_RX_REPLY_REFUSED)
			continue;
		memset(packet, 0xa5, sizeof(packet));
		memcpy(packet, reals[i].packet, reals[i].len);
		assert_int_equal(rx_reply_unpack(packet, reals[i].len, reals[i].what, &reply), 0);
		assert_int_equal(
			rx_reply_unpack(packet, reals[i].len + 100, reals[i].what, &longer), 0);
		assert_int_equal(longer.kind, reply.kind);
		pack_is(&longer, 'S', reals[i].packet, reals[i].len);
	}
}

/* A record that is too short is none, and what is no reply to the question is told apart from that. */
static void test_what_is_none(void **state)
{
	struct sonde_rx_reply reply = {.what = 77};
	uint8_t packet[sizeof(real_peer)];

	(void)state;
	for (size_t len = 0; len < sizeof(real_peer); len++)
		assert_int_equal(rx_reply_unpack(real_peer, len, SONDE_RX_WHAT_PEER, &reply),
				 -EBADMSG);
	assert_int_equal(rx_reply_unpack(real_ask_stats, sizeof(real_ask_stats), 0, &reply),
			 -EPROTO);
	assert_int_equal(rx_reply_unpack(real_peer, sizeof(real_peer), 99, &reply), -EPROTO);
	assert_int_equal(rx_reply_unpack(real_peer, sizeof(real_peer) - 1, 0, &reply), -EPROTO);
	memcpy(packet, real_peer, sizeof(packet));
	packet[20] = 1; /* DATA */
	assert_int_equal(rx_reply_unpack(packet, sizeof(packet), 0, &reply), -EPROTO);
	assert_int_equal(reply.what, 77);
}

static void test_abort(void **state)
{
	struct sonde_rx_reply reply = {
		.header = {.epoch = 999, .call = 7, .type = SONDE_RX_TYPE_ABORT},
		.kind = SONDE_RX_REPLY_ABORT,
		.body.code = -5,
	};
	uint8_t packet[SONDE_RX_REPLY_BYTES];

	(void)state;
	assert_int_equal(rx_reply_pack(&reply, 'S', packet), 32);
	memset(&reply, 0, sizeof(reply));
	assert_int_equal(rx_reply_unpack(packet, 32, SONDE_RX_WHAT_BASIC, &reply), 0);
	assert_int_equal(reply.kind, SONDE_RX_REPLY_ABORT);
	assert_int_equal(reply.body.code, -5);
	assert_int_equal(reply.header.call, 7);
	assert_int_equal(rx_reply_unpack(packet, 31, SONDE_RX_WHAT_BASIC, &reply), -EBADMSG);
}

/* Text of the whole 64 bytes, and none that ends. */
static void test_version_text(void **state)
{
	uint8_t packet[sizeof(real_version) + 10];
	struct sonde_rx_reply reply;

	(void)state;
	memset(packet, 'x', sizeof(packet));
	memcpy(packet, real_version, 28);
	assert_int_equal(rx_reply_unpack(packet, sizeof(packet), 0, &reply), 0);
	assert_int_equal(strlen(reply.body.version), 64);
	assert_int_equal(rx_reply_unpack(packet, 29, 0, &reply), 0);
	assert_string_equal(reply.body.version, "x");
	assert_int_equal(rx_reply_unpack(packet, 28, 0, &reply), -EBADMSG);
}

static void test_requests(void **state)
{
	static const struct {
		const uint8_t *packet;
		size_t len;
		int32_t what;
	} asked[] = {
		{real_ask_stats, sizeof(real_ask_stats), SONDE_RX_WHAT_BASIC},
		{real_ask_version, sizeof(real_ask_version), 0},
		{real_ask_unknown, sizeof(real_ask_unknown), 99},
	};
	struct sonde_rx_request request = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		uint8_t packed[SONDE_RX_REQUEST_BYTES];

		assert_int_equal(rx_request_unpack(asked[i].packet, asked[i].len, &request), 0);
		assert_int_equal(request.what, asked[i].what);
		assert_int_equal(rx_request_pack(&request, packed), asked[i].len);
		assert_memory_equal(packed, asked[i].packet, asked[i].len);
	}
	assert_int_equal(rx_request_unpack(real_ask_stats, sizeof(real_ask_stats) - 1, &request),
			 -EBADMSG);
	assert_int_equal(rx_request_unpack(real_ask_version, 28, &request), 0);
	assert_int_equal(rx_request_unpack(real_ask_version, 27, &request), -EBADMSG);
	assert_int_equal(rx_request_unpack(real_stats, sizeof(real_stats), &request), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_packets),	cmocka_unit_test(test_versions),
		cmocka_unit_test(test_old_connections), cmocka_unit_test(test_longer),
		cmocka_unit_test(test_what_is_none),	cmocka_unit_test(test_abort),
		cmocka_unit_test(test_version_text),	cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
