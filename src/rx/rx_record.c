// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_record.h"

#include <errno.h>
#include <string.h>

#include "schema/record_field.h"

_Static_assert(SONDE_RX_CALLS == RX_CALLS, "calls");
_Static_assert(SONDE_RX_STAT_COUNT == RX_STATS_BYTES / 4, "words");

bool rx_basic_has(const struct sonde_rx_basic *basic, char version)
{
	return (int8_t)basic->version >= version;
}

void rx_basic_limit(struct sonde_rx_basic *basic, char version)
{
	basic->version = (uint8_t)version;
	if (version < RX_VERSION_WAITING)
		basic->waiting = 0;
	if (version < RX_VERSION_IDLE)
		basic->idle_threads = 0;
	if (version < RX_VERSION_WAITED)
		basic->waited = 0;
	if (version < RX_VERSION_PACKETS)
		basic->packets = 0;
}

char rx_stat_version(enum sonde_rx_stat which)
{
	switch (which) {
	case SONDE_RX_STAT_RECEIVE_CBUF_FAILURES:
	case SONDE_RX_STAT_SEND_CBUF_FAILURES:
		return RX_VERSION_CBUF;
	case SONDE_RX_STAT_BUSIES: /* it came without a letter of its own; those of 'R' have it */
		return RX_VERSION_WAITED;
	default:
		return RX_VERSION_ALL_CONN;
	}
}

void rx_stats_limit(struct sonde_rx_stats *stats, char version)
{
	for (enum sonde_rx_stat i = 0; i < SONDE_RX_STAT_COUNT; i++) {
		if (version < rx_stat_version(i))
			stats->words[i] = 0;
	}
}

/* A member of a struct of include/sonde/rx.h, which is on the wire at byte @at, as large. */
#define FIELD(of, at, member)                                     \
	{                                                         \
		.name = #member, .place = {                       \
			{(at), sizeof(((struct of *)0)->member)}, \
			RECORD_MEMBER(struct of, member)          \
		}                                                 \
	}

static const struct record_layout on_wire = {BYTE_ORDER_BIG, 0};
static const struct record_layout in_struct = {BYTE_ORDER_HOST, 1};

#define BASIC(at, member) FIELD(sonde_rx_basic, at, member)
static const struct record_field basic_fields[] = {
	BASIC(0, free_packets),
	BASIC(4, packet_reclaims),
	BASIC(8, calls_executed),
	BASIC(12, waiting_for_packets),
	BASIC(13, used_fds),
	BASIC(14, version),
	BASIC(16, waiting),
	BASIC(20, idle_threads),
	BASIC(24, waited),
	BASIC(28, packets),
	{0},
};

/* In layout 'L' the calls' bytes are CALLS_EARLIER bytes earlier, and nothing is behind the security statistics. */
#define CALLS_AT 40u
#define CALLS_EARLIER 3u
#define CALLS_BYTES (4 * RX_CALLS)
#define SECURITY_AT 56u
#define SECURITY_END 132u

#define CONN(at, member) FIELD(sonde_rx_conn, at, member)
#define CALL(i)                                                                                    \
	CONN(12 + 4 * (i), calls[i].number), CONN(CALLS_AT + (i), calls[i].state),                 \
		CONN(CALLS_AT + 4 + (i), calls[i].mode), CONN(CALLS_AT + 8 + (i), calls[i].flags), \
		CONN(CALLS_AT + 12 + (i), calls[i].other)
static const struct record_field conn_fields[] = {
	CONN(0, host),
	CONN(4, cid),
	CONN(8, serial),
	CALL(0),
	CALL(1),
	CALL(2),
	CALL(3),
	CONN(28, error),
	CONN(32, port),
	CONN(34, flags),
	CONN(35, type),
	CONN(36, security_index),
	CONN(SECURITY_AT, security.type),
	CONN(SECURITY_AT + 1, security.level),
	CONN(SECURITY_AT + 12, security.flags),
	CONN(SECURITY_AT + 16, security.expires),
	CONN(SECURITY_AT + 20, security.packets_received),
	CONN(SECURITY_AT + 24, security.packets_sent),
	CONN(SECURITY_AT + 28, security.bytes_received),
	CONN(SECURITY_AT + 32, security.bytes_sent),
	CONN(SECURITY_END, epoch),
	CONN(SECURITY_END + 4, nat_mtu),
	{0},
};

#define PEER(at, member) FIELD(sonde_rx_peer, at, member)
static const struct record_field peer_fields[] = {
	PEER(0, host),
	PEER(4, port),
	PEER(6, if_mtu),
	PEER(8, idle_when),
	PEER(12, ref_count),
	PEER(14, burst_size),
	PEER(15, burst),
	PEER(16, burst_wait_s),
	PEER(20, burst_wait_us),
	PEER(24, rtt),
	PEER(28, rtt_dev),
	PEER(32, timeout_s),
	PEER(36, timeout_us),
	PEER(40, sent),
	PEER(44, resent),
	PEER(48, in_skew),
	PEER(52, out_skew),
	PEER(56, rate_flag),
	PEER(60, nat_mtu),
	PEER(62, max_mtu),
	PEER(64, max_datagram_packets),
	PEER(66, if_datagram_packets),
	PEER(68, mtu),
	PEER(70, cwind),
	PEER(72, datagram_packets),
	PEER(74, congest_seq),
	PEER(76, bytes_sent),
	PEER(84, bytes_received),
	{0},
};

static uint32_t word_at(const void *payload, size_t i)
{
	return (uint32_t)byte_order_load((const uint8_t *)payload + 4 * i, 4, BYTE_ORDER_BIG);
}

static void put_word(uint8_t *payload, size_t i, uint32_t word)
{
	byte_order_store(payload + 4 * i, 4, BYTE_ORDER_BIG, word);
}

int rx_basic_unpack(const void *payload, size_t len, struct sonde_rx_basic *ret)
{
	if (len < RX_BASIC_BYTES)
		return -EBADMSG;
	*ret = (struct sonde_rx_basic){0};
	record_copy(basic_fields, &on_wire, payload, len, &in_struct, (uint8_t *)ret);
	return 0;
}

void rx_basic_pack(const struct sonde_rx_basic *basic, uint8_t payload[RX_BASIC_BYTES])
{
	memset(payload, 0, RX_BASIC_BYTES);
	record_copy(basic_fields, &in_struct, (const uint8_t *)basic, sizeof(*basic), &on_wire,
		    payload);
}

bool rx_payload_is_end(const void *payload, size_t len)
{
	return len >= sizeof(uint32_t) && word_at(payload, 0) == RX_DEBUG_END;
}

int rx_conn_l_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	uint8_t now[SECURITY_END];

	if (len < RX_CONN_L_BYTES)
		return -EBADMSG;
	memcpy(now, payload, sizeof(now));
	memmove(now + CALLS_AT, now + CALLS_AT - CALLS_EARLIER, CALLS_BYTES);
	*ret = (struct sonde_rx_conn){0};
	record_copy(conn_fields, &on_wire, now, sizeof(now), &in_struct, (uint8_t *)ret);
	return 0;
}

int rx_conn_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	if (rx_payload_is_end(payload, len)) {
		*ret = (struct sonde_rx_conn){.host = RX_DEBUG_END, .cid = RX_DEBUG_END};
		return 0;
	}
	if (len < RX_CONN_LEAST_BYTES)
		return -EBADMSG;
	if (len == RX_CONN_L_BYTES)
		return rx_conn_l_unpack(payload, len, ret);
	*ret = (struct sonde_rx_conn){0};
	record_copy(conn_fields, &on_wire, payload, len < RX_CONN_BYTES ? RX_CONN_LEAST_BYTES : len,
		    &in_struct, (uint8_t *)ret);
	return 0;
}

bool rx_conn_is_end(const struct sonde_rx_conn *conn)
{
	return conn->cid == RX_DEBUG_END;
}

bool rx_peer_is_end(const struct sonde_rx_peer *peer)
{
	return peer->host == RX_DEBUG_END;
}

void rx_conn_pack(const struct sonde_rx_conn *conn, uint8_t payload[RX_CONN_BYTES])
{
	memset(payload, 0, RX_CONN_BYTES);
	record_copy(conn_fields, &in_struct, (const uint8_t *)conn, sizeof(*conn), &on_wire,
		    payload);
}

void rx_conn_l_pack(const struct sonde_rx_conn *conn, uint8_t payload[RX_CONN_L_BYTES])
{
	uint8_t now[RX_CONN_BYTES];

	rx_conn_pack(conn, now);
	memset(payload, 0, RX_CONN_L_BYTES);
	memcpy(payload, now, SECURITY_END);
	memcpy(payload + CALLS_AT - CALLS_EARLIER, now + CALLS_AT, CALLS_BYTES);
	memset(payload + SECURITY_AT - CALLS_EARLIER, 0, CALLS_EARLIER);
}

int rx_stats_unpack(const void *payload, size_t len, struct sonde_rx_stats *ret)
{
	if (len < sizeof(uint32_t))
		return -EBADMSG;
	*ret = (struct sonde_rx_stats){0};
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT && 4 * (i + 1) <= len; i++)
		ret->words[i] = word_at(payload, i);
	return 0;
}

void rx_stats_pack(const struct sonde_rx_stats *stats, uint8_t payload[RX_STATS_BYTES])
{
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		put_word(payload, i, stats->words[i]);
}

int rx_peer_unpack(const void *payload, size_t len, struct sonde_rx_peer *ret)
{
	if (rx_payload_is_end(payload, len)) {
		*ret = (struct sonde_rx_peer){.host = RX_DEBUG_END};
		return 0;
	}
	if (len < RX_PEER_BYTES)
		return -EBADMSG;
	*ret = (struct sonde_rx_peer){0};
	record_copy(peer_fields, &on_wire, payload, len, &in_struct, (uint8_t *)ret);
	return 0;
}

void rx_peer_pack(const struct sonde_rx_peer *peer, uint8_t payload[RX_PEER_BYTES])
{
	memset(payload, 0, RX_PEER_BYTES);
	record_copy(peer_fields, &in_struct, (const uint8_t *)peer, sizeof(*peer), &on_wire,
		    payload);
}

void rx_refusal_pack(uint8_t payload[RX_REFUSAL_BYTES])
{
	put_word(payload, 0, (uint32_t)RX_DEBUG_BAD_TYPE);
	put_word(payload, 1, (uint32_t)RX_DEBUG_BAD_TYPE);
}

bool rx_payload_is_refusal(const void *payload, size_t len)
{
	return len == RX_REFUSAL_BYTES && word_at(payload, 0) == (uint32_t)RX_DEBUG_BAD_TYPE &&
	       word_at(payload, 1) == (uint32_t)RX_DEBUG_BAD_TYPE;
}
