// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_responder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "rx/rx_message.h"
#include "rx/rx_record.h"

#define NOW_NS (1000 * NS_PER_SEC)
#define CONNS 3u
#define BUSY_CONNS 1u

static void tell_basic(void *ctx, struct sonde_rx_basic *ret)
{
	(void)ctx;
	*ret = (struct sonde_rx_basic){.calls_executed = 5,
				       .waiting = 1,
				       .idle_threads = 2,
				       .waited = 3,
				       .packets = 4,
				       .version = 'A'};
}

static bool tell_conn(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret)
{
	(void)ctx;
	ret->host = 0x0a000001;
	ret->cid = UINT32_MAX - index; /* not even this ends the list */
	return index < (all ? CONNS : BUSY_CONNS);
}

static void tell_stats(void *ctx, struct sonde_rx_stats *ret)
{
	(void)ctx;
	for (uint32_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		ret->words[i] = i + 1;
}

static bool tell_peer(void *ctx, uint32_t index, struct sonde_rx_peer *ret)
{
	(void)ctx;
	ret->host = 0x0a000002;
	ret->port = (uint16_t)index;
	return index < 2;
}

static const struct sonde_rx_callbacks callbacks = {
	.basic = tell_basic,
	.conn = tell_conn,
	.stats = tell_stats,
	.peer = tell_peer,
};
static const struct sockaddr_in somebody = {.sin_family = AF_INET};

static struct rx_responder *make(const struct sonde_rx_config *config)
{
	struct rx_responder *responder;
	struct diag diag;

	assert_int_equal(rx_responder_new(config, &callbacks, NULL, &responder, &diag), 0);
	return responder;
}

static struct rx_responder *make_version(char version)
{
	return make(&(struct sonde_rx_config){.version = version, .text = "a program 1.0"});
}

/* The payload's length; 0 = no answer. The header has to be the request's. */
static size_t ask(struct rx_responder *responder, int32_t what, int32_t index, uint8_t *payload)
{
	const struct rx_query query = {RX_TYPE_DEBUG, what, index};
	uint8_t packet[RX_REQUEST_MAX_BYTES], reply[RX_REPLY_MAX_BYTES];
	size_t len = rx_query_pack(&query, 77, packet);

	len = rx_responder_answer(responder, &somebody, packet, len, NOW_NS, reply);
	if (!len)
		return 0;
	packet[21] &= 0xfe;
	assert_memory_equal(reply, packet, RX_HEADER_BYTES);
	memcpy(payload, reply + RX_HEADER_BYTES, len - RX_HEADER_BYTES);
	return len - RX_HEADER_BYTES;
}

static void test_records(void **state)
{
	struct rx_responder *responder = make_version(0);
	uint8_t payload[RX_REPLY_MAX_BYTES];
	struct sonde_rx_basic basic;
	struct sonde_rx_stats stats;
	struct sonde_rx_conn conn;
	struct sonde_rx_peer peer;

	(void)state;
	assert_int_equal(ask(responder, RX_DEBUG_BASIC, 9, payload), RX_BASIC_BYTES);
	assert_int_equal(rx_basic_unpack(payload, RX_BASIC_BYTES, &basic), 0);
	assert_int_equal(basic.version, 'S');
	assert_int_equal(basic.packets, 4);
	assert_int_equal(ask(responder, RX_DEBUG_STATS, 0, payload), RX_STATS_BYTES);
	assert_int_equal(rx_stats_unpack(payload, RX_STATS_BYTES, &stats), 0);
	assert_int_equal(stats.words[70], 71);
	assert_int_equal(ask(responder, RX_DEBUG_ALL_CONN, 0, payload), RX_CONN_BYTES);
	assert_int_equal(rx_conn_unpack(payload, RX_CONN_BYTES, &conn), 0);
	assert_int_equal(conn.cid, UINT32_MAX - 3);
	assert_int_equal(ask(responder, RX_DEBUG_PEER, 1, payload), RX_PEER_BYTES);
	assert_int_equal(rx_peer_unpack(payload, RX_PEER_BYTES, &peer), 0);
	assert_int_equal(peer.port, 1);
	rx_responder_free(responder);
}

/* The end is a record by itself, all of it 0 but for one word; what is below 0 is 0. */
static void test_ends_of_lists(void **state)
{
	struct rx_responder *responder = make_version(0);
	uint8_t payload[RX_REPLY_MAX_BYTES], end[RX_CONN_BYTES] = {[4] = 0xff, 0xff, 0xff, 0xff};
	uint8_t peer_end[RX_PEER_BYTES] = {0xff, 0xff, 0xff, 0xff}, first[RX_CONN_BYTES];

	(void)state;
	assert_int_equal(ask(responder, RX_DEBUG_ALL_CONN, CONNS, payload), RX_CONN_BYTES);
	assert_memory_equal(payload, end, sizeof(end));
	assert_int_equal(ask(responder, RX_DEBUG_CONN, BUSY_CONNS, payload), RX_CONN_BYTES);
	assert_memory_equal(payload, end, sizeof(end));
	assert_int_equal(ask(responder, RX_DEBUG_PEER, INT32_MAX, payload), RX_PEER_BYTES);
	assert_memory_equal(payload, peer_end, sizeof(peer_end));
	assert_int_equal(ask(responder, RX_DEBUG_ALL_CONN, 0, first), RX_CONN_BYTES);
	assert_int_equal(ask(responder, RX_DEBUG_ALL_CONN, INT32_MIN, payload), RX_CONN_BYTES);
	assert_memory_equal(payload, first, sizeof(first));
	rx_responder_free(responder);
}

static void test_empty_callbacks(void **state)
{
	static const struct sonde_rx_callbacks nothing = {0};
	struct rx_responder *responder;
	uint8_t payload[RX_REPLY_MAX_BYTES];
	struct sonde_rx_conn conn;

	(void)state;
	assert_int_equal(rx_responder_new(&(struct sonde_rx_config){0}, &nothing, NULL, &responder,
					  NULL),
			 0);
	assert_int_equal(ask(responder, RX_DEBUG_BASIC, 0, payload), RX_BASIC_BYTES);
	assert_int_equal(payload[14], 'S');
	assert_int_equal(ask(responder, RX_DEBUG_CONN, 0, payload), RX_CONN_BYTES);
	assert_int_equal(rx_conn_unpack(payload, RX_CONN_BYTES, &conn), 0);
	assert_int_equal(conn.cid, RX_DEBUG_END);
	rx_responder_free(responder);
}

/* What a version has, and what is -8 in it. */
static void test_versions(void **state)
{
	(void)state;
	for (char version = 'L'; version <= 'S'; version++) {
		struct rx_responder *responder = make_version(version);
		uint8_t payload[RX_REPLY_MAX_BYTES];
		struct sonde_rx_basic basic;
		struct sonde_rx_stats stats;
		struct sonde_rx_conn conn;

		assert_int_equal(ask(responder, RX_DEBUG_BASIC, 0, payload), RX_BASIC_BYTES);
		assert_int_equal(rx_basic_unpack(payload, RX_BASIC_BYTES, &basic), 0);
		assert_int_equal(basic.version, version);
		assert_int_equal(basic.calls_executed, 5);
		assert_int_equal(basic.waiting, version >= 'N' ? 1 : 0);
		assert_int_equal(basic.idle_threads, version >= 'O' ? 2 : 0);
		assert_int_equal(basic.waited, version >= 'R' ? 3 : 0);
		assert_int_equal(basic.packets, version >= 'S' ? 4 : 0);
		assert_int_equal(ask(responder, RX_DEBUG_CONN, 0, payload), RX_CONN_BYTES);
		/* Of all 3; before 'M' of the active one. */
		assert_int_equal(ask(responder, RX_DEBUG_ALL_CONN, 2, payload), RX_CONN_BYTES);
		assert_int_equal(rx_conn_unpack(payload, RX_CONN_BYTES, &conn), 0);
		assert_int_equal(rx_conn_is_end(&conn), version < 'M');
		assert_int_equal(ask(responder, RX_DEBUG_PEER, 0, payload),
				 version >= 'Q' ? RX_PEER_BYTES : 8);
		assert_int_equal(ask(responder, RX_DEBUG_STATS, 0, payload),
				 version >= 'M' ? RX_STATS_BYTES : 8);
		if (version >= 'M') {
			assert_int_equal(rx_stats_unpack(payload, RX_STATS_BYTES, &stats), 0);
			assert_int_equal(stats.words[64], version >= 'P' ? 65 : 0);
			assert_int_equal(stats.words[66], version >= 'R' ? 67 : 0);
		}
		rx_responder_free(responder);
	}
}

static void test_unknown_types(void **state)
{
	static const int32_t types[] = {0, 6, 7, 99, -1, -8, 0x01000000, INT32_MIN};
	struct rx_responder *responder = make_version(0);
	uint8_t payload[RX_REPLY_MAX_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		assert_int_equal(ask(responder, types[i], 0, payload), 8);
		assert_true(rx_payload_is_refusal(payload, 8));
	}
	assert_int_equal(rx_responder_counts(responder)->refused, sizeof(types) / sizeof(types[0]));
	rx_responder_free(responder);
}

static void test_version_text(void **state)
{
	static const char text[] =
		"0123456789012345678901234567890123456789012345678901234567890123456";
	const struct rx_query query = {.type = RX_TYPE_VERSION};
	uint8_t packet[RX_REQUEST_MAX_BYTES], reply[RX_REPLY_MAX_BYTES];
	size_t len = rx_query_pack(&query, 1, packet);
	struct rx_responder *responder = make(&(struct sonde_rx_config){.text = text});

	(void)state;
	assert_int_equal(rx_responder_answer(responder, &somebody, packet, len, NOW_NS, reply),
			 RX_HEADER_BYTES + RX_VERSION_BYTES);
	assert_memory_equal(reply + RX_HEADER_BYTES, text, 64);
	assert_int_equal(reply[RX_HEADER_BYTES + 64], 0);
	rx_responder_free(responder);
}

/* Every length, type and set of flags: only whole requests that want an answer have one. */
static void test_what_is_not_answered(void **state)
{
	struct rx_responder *responder = make(&(struct sonde_rx_config){
		.source_rate = SONDE_RX_NO_LIMIT, .total_rate = SONDE_RX_NO_LIMIT});
	uint8_t packet[4000] = {0}, reply[RX_REPLY_MAX_BYTES];

	(void)state;
	packet[31] = RX_DEBUG_BASIC;
	for (unsigned int type = 0; type < 256; type++) {
		for (unsigned int flags = 0; flags < 256; flags++) {
			for (size_t len = 0; len <= sizeof(packet); len += len < 64 ? 1 : 1968) {
				bool good = flags & 1 && ((type == RX_TYPE_DEBUG && len >= 36) ||
							  (type == RX_TYPE_VERSION && len >= 28));
				size_t got;

				packet[20] = (uint8_t)type;
				packet[21] = (uint8_t)flags;
				got = rx_responder_answer(responder, &somebody, packet, len, NOW_NS,
							  reply);
				if (!!got != good || (got && reply[21] != (flags & 0xfe)))
					fail_msg("type %u, flags %u, length %zu", type, flags, len);
			}
		}
	}
	rx_responder_free(responder);
}

static size_t ask_from(struct rx_responder *responder, const char *address)
{
	const struct rx_query query = {.type = RX_TYPE_VERSION};
	struct sockaddr_in from = {.sin_family = AF_INET};
	uint8_t packet[RX_REQUEST_MAX_BYTES], reply[RX_REPLY_MAX_BYTES];
	size_t len = rx_query_pack(&query, 1, packet);

	assert_int_equal(inet_pton(AF_INET, address, &from.sin_addr), 1);
	return rx_responder_answer(responder, &from, packet, len, NOW_NS, reply);
}

static void test_allowed(void **state)
{
	static const struct sonde_rx_network networks[] = {{0x0a010000, 16}, {0xc0000207, 32}};
	struct rx_responder *responder =
		make(&(struct sonde_rx_config){.allow = networks, .allow_count = 2});
	struct rx_responder *open = make(&(struct sonde_rx_config){
		.allow = &(struct sonde_rx_network){0x0a000000, 0}, .allow_count = 1});

	(void)state;
	assert_true(ask_from(responder, "10.1.255.255"));
	assert_false(ask_from(responder, "10.2.0.0"));
	assert_true(ask_from(responder, "192.0.2.7"));
	assert_false(ask_from(responder, "192.0.2.6"));
	assert_int_equal(rx_responder_counts(responder)->forbidden, 2);
	assert_true(ask_from(open, "203.0.113.1"));
	rx_responder_free(responder);
	rx_responder_free(open);
}

/* Bytes out, to whom nothing was ever sent: never more than one second's worth at once, nor than the rate. */
static void test_reflection(void **state)
{
	struct rx_responder *responder = make(&(struct sonde_rx_config){.source_rate = 3120});
	uint8_t packet[RX_REQUEST_MAX_BYTES], reply[RX_REPLY_MAX_BYTES];
	const struct rx_query query = {RX_TYPE_DEBUG, RX_DEBUG_STATS, 0};
	size_t len = rx_query_pack(&query, 1, packet);
	uint64_t bytes = 0;

	(void)state;
	for (uint64_t ms = 0; ms < 10000; ms++)
		bytes += rx_responder_answer(responder, &somebody, packet, len,
					     NOW_NS + ms * NS_PER_MS, reply);
	assert_in_range(bytes, 10 * 3120, 11 * 3120);
	assert_int_equal(bytes, rx_responder_counts(responder)->bytes);
	assert_int_equal(rx_responder_counts(responder)->limited + bytes / RX_REPLY_MAX_BYTES,
			 10000);
	rx_responder_free(responder);
}

static void test_wrong_config(void **state)
{
	static const struct sonde_rx_network wide = {0, 33};
	static const struct sonde_rx_config wrong[] = {
		{.version = 'K'},
		{.version = 'T'},
		{.source_rate = 311},
		{.total_rate = 1},
		{.allow = &wide, .allow_count = 1},
	};
	struct rx_responder *responder;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		diag.text[0] = '\0';
		assert_int_equal(rx_responder_new(&wrong[i], &callbacks, NULL, &responder, &diag),
				 -EINVAL);
		assert_true(diag.text[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_ends_of_lists),
		cmocka_unit_test(test_empty_callbacks),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_version_text),
		cmocka_unit_test(test_what_is_not_answered),
		cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_reflection),
		cmocka_unit_test(test_wrong_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
