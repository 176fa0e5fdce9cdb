// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_record.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "rx/rx_pack.h"

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

int rx_basic_unpack(const void *payload, size_t len, struct sonde_rx_basic *ret)
{
	struct cursor cur;

	if (len < RX_BASIC_BYTES)
		return -EBADMSG;
	*ret = (struct sonde_rx_basic){0};
	cursor_init(&cur, payload, len);
	ret->free_packets = (int32_t)cursor_be32(&cur);
	ret->packet_reclaims = (int32_t)cursor_be32(&cur);
	ret->calls_executed = (int32_t)cursor_be32(&cur);
	ret->waiting_for_packets = cursor_u8(&cur);
	ret->used_fds = cursor_u8(&cur);
	ret->version = cursor_u8(&cur);
	cursor_skip(&cur, 1);
	ret->waiting = (int32_t)cursor_be32(&cur);
	ret->idle_threads = (int32_t)cursor_be32(&cur);
	ret->waited = (int32_t)cursor_be32(&cur);
	ret->packets = (int32_t)cursor_be32(&cur);
	return 0;
}

void rx_basic_pack(const struct sonde_rx_basic *basic, uint8_t payload[RX_BASIC_BYTES])
{
	uint8_t *at = payload;

	memset(payload, 0, RX_BASIC_BYTES);
	at = rx_put32(at, (uint32_t)basic->free_packets);
	at = rx_put32(at, (uint32_t)basic->packet_reclaims);
	at = rx_put32(at, (uint32_t)basic->calls_executed);
	*at++ = basic->waiting_for_packets;
	*at++ = basic->used_fds;
	*at++ = basic->version;
	at++;
	at = rx_put32(at, (uint32_t)basic->waiting);
	at = rx_put32(at, (uint32_t)basic->idle_threads);
	at = rx_put32(at, (uint32_t)basic->waited);
	(void)rx_put32(at, (uint32_t)basic->packets);
}

static void unpack_security(struct cursor *cur, struct sonde_rx_security *ret)
{
	ret->type = cursor_u8(cur);
	ret->level = cursor_u8(cur);
	cursor_skip(cur, 10);
	ret->flags = cursor_be32(cur);
	ret->expires = cursor_be32(cur);
	ret->packets_received = cursor_be32(cur);
	ret->packets_sent = cursor_be32(cur);
	ret->bytes_received = cursor_be32(cur);
	ret->bytes_sent = cursor_be32(cur);
	cursor_skip(cur, 4 * sizeof(uint16_t) + 8 * sizeof(uint32_t));
}

static uint8_t *pack_security(const struct sonde_rx_security *security, uint8_t *at)
{
	*at++ = security->type;
	*at++ = security->level;
	at += 10;
	at = rx_put32(at, security->flags);
	at = rx_put32(at, security->expires);
	at = rx_put32(at, security->packets_received);
	at = rx_put32(at, security->packets_sent);
	at = rx_put32(at, security->bytes_received);
	at = rx_put32(at, security->bytes_sent);
	return at + 4 * sizeof(uint16_t) + 8 * sizeof(uint32_t);
}

/* Both layouts begin so. */
static void unpack_conn_head(struct cursor *cur, struct sonde_rx_conn *ret)
{
	ret->host = cursor_be32(cur);
	ret->cid = cursor_be32(cur);
	ret->serial = (int32_t)cursor_be32(cur);
	for (size_t i = 0; i < RX_CALLS; i++)
		ret->calls[i].number = (int32_t)cursor_be32(cur);
	ret->error = (int32_t)cursor_be32(cur);
	ret->port = cursor_be16(cur);
	ret->flags = cursor_u8(cur);
	ret->type = cursor_u8(cur);
	ret->security_index = cursor_u8(cur);
}

static void unpack_calls(struct cursor *cur, struct sonde_rx_conn *ret)
{
	for (size_t i = 0; i < RX_CALLS; i++)
		ret->calls[i].state = cursor_u8(cur);
	for (size_t i = 0; i < RX_CALLS; i++)
		ret->calls[i].mode = cursor_u8(cur);
	for (size_t i = 0; i < RX_CALLS; i++)
		ret->calls[i].flags = cursor_u8(cur);
	for (size_t i = 0; i < RX_CALLS; i++)
		ret->calls[i].other = cursor_u8(cur);
}

static int unpack_conn_l(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	struct cursor cur;

	*ret = (struct sonde_rx_conn){0};
	cursor_init(&cur, payload, len);
	unpack_conn_head(&cur, ret);
	unpack_calls(&cur, ret);
	cursor_skip(&cur, 3); /* to where an integer may lie */
	unpack_security(&cur, &ret->security);
	return 0;
}

bool rx_payload_is_end(const void *payload, size_t len)
{
	struct cursor cur;

	cursor_init(&cur, payload, len);
	return len >= sizeof(uint32_t) && cursor_be32(&cur) == RX_DEBUG_END;
}

int rx_conn_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	struct cursor cur;

	if (rx_payload_is_end(payload, len)) {
		*ret = (struct sonde_rx_conn){.host = RX_DEBUG_END, .cid = RX_DEBUG_END};
		return 0;
	}
	if (len < RX_CONN_LEAST_BYTES)
		return -EBADMSG;
	if (len == RX_CONN_L_BYTES)
		return unpack_conn_l(payload, len, ret);
	*ret = (struct sonde_rx_conn){0};
	cursor_init(&cur, payload, len);
	unpack_conn_head(&cur, ret);
	cursor_skip(&cur, 3);
	unpack_calls(&cur, ret);
	if (len < RX_CONN_BYTES)
		return 0;
	unpack_security(&cur, &ret->security);
	ret->epoch = cursor_be32(&cur);
	ret->nat_mtu = (int32_t)cursor_be32(&cur);
	return 0;
}

int rx_conn_l_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	return len < RX_CONN_L_BYTES ? -EBADMSG : unpack_conn_l(payload, len, ret);
}

bool rx_conn_is_end(const struct sonde_rx_conn *conn)
{
	return conn->cid == RX_DEBUG_END;
}

bool rx_peer_is_end(const struct sonde_rx_peer *peer)
{
	return peer->host == RX_DEBUG_END;
}

static uint8_t *pack_conn_head(const struct sonde_rx_conn *conn, uint8_t *at)
{
	at = rx_put32(at, conn->host);
	at = rx_put32(at, conn->cid);
	at = rx_put32(at, (uint32_t)conn->serial);
	for (size_t i = 0; i < RX_CALLS; i++)
		at = rx_put32(at, (uint32_t)conn->calls[i].number);
	at = rx_put32(at, (uint32_t)conn->error);
	at = rx_put16(at, conn->port);
	*at++ = conn->flags;
	*at++ = conn->type;
	*at++ = conn->security_index;
	return at;
}

static uint8_t *pack_calls(const struct sonde_rx_conn *conn, uint8_t *at)
{
	for (size_t i = 0; i < RX_CALLS; i++) {
		at[i] = conn->calls[i].state;
		at[RX_CALLS + i] = conn->calls[i].mode;
		at[2 * RX_CALLS + i] = conn->calls[i].flags;
		at[3 * RX_CALLS + i] = conn->calls[i].other;
	}
	return at + 4 * RX_CALLS;
}

void rx_conn_pack(const struct sonde_rx_conn *conn, uint8_t payload[RX_CONN_BYTES])
{
	uint8_t *at;

	memset(payload, 0, RX_CONN_BYTES);
	at = pack_calls(conn, pack_conn_head(conn, payload) + 3);
	at = pack_security(&conn->security, at);
	at = rx_put32(at, conn->epoch);
	(void)rx_put32(at, (uint32_t)conn->nat_mtu);
}

void rx_conn_l_pack(const struct sonde_rx_conn *conn, uint8_t payload[RX_CONN_L_BYTES])
{
	uint8_t *at;

	memset(payload, 0, RX_CONN_L_BYTES);
	at = pack_calls(conn, pack_conn_head(conn, payload));
	(void)pack_security(&conn->security, at + 3);
}

int rx_stats_unpack(const void *payload, size_t len, struct sonde_rx_stats *ret)
{
	struct cursor cur;

	if (len < sizeof(uint32_t))
		return -EBADMSG;
	*ret = (struct sonde_rx_stats){0};
	cursor_init(&cur, payload, len);
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		ret->words[i] = cursor_left(&cur) >= sizeof(uint32_t) ? cursor_be32(&cur) : 0;
	return 0;
}

void rx_stats_pack(const struct sonde_rx_stats *stats, uint8_t payload[RX_STATS_BYTES])
{
	for (size_t i = 0; i < SONDE_RX_STAT_COUNT; i++)
		payload = rx_put32(payload, stats->words[i]);
}

int rx_peer_unpack(const void *payload, size_t len, struct sonde_rx_peer *ret)
{
	struct cursor cur;

	if (rx_payload_is_end(payload, len)) {
		*ret = (struct sonde_rx_peer){.host = RX_DEBUG_END};
		return 0;
	}
	if (len < RX_PEER_BYTES)
		return -EBADMSG;
	*ret = (struct sonde_rx_peer){0};
	cursor_init(&cur, payload, len);
	ret->host = cursor_be32(&cur);
	ret->port = cursor_be16(&cur);
	ret->if_mtu = cursor_be16(&cur);
	ret->idle_when = cursor_be32(&cur);
	ret->ref_count = cursor_be16(&cur);
	ret->burst_size = cursor_u8(&cur);
	ret->burst = cursor_u8(&cur);
	ret->burst_wait_s = cursor_be32(&cur);
	ret->burst_wait_us = cursor_be32(&cur);
	ret->rtt = (int32_t)cursor_be32(&cur);
	ret->rtt_dev = (int32_t)cursor_be32(&cur);
	ret->timeout_s = cursor_be32(&cur);
	ret->timeout_us = cursor_be32(&cur);
	ret->sent = cursor_be32(&cur);
	ret->resent = cursor_be32(&cur);
	ret->in_skew = (int32_t)cursor_be32(&cur);
	ret->out_skew = (int32_t)cursor_be32(&cur);
	ret->rate_flag = (int32_t)cursor_be32(&cur);
	ret->nat_mtu = cursor_be16(&cur);
	ret->max_mtu = cursor_be16(&cur);
	ret->max_datagram_packets = cursor_be16(&cur);
	ret->if_datagram_packets = cursor_be16(&cur);
	ret->mtu = cursor_be16(&cur);
	ret->cwind = cursor_be16(&cur);
	ret->datagram_packets = cursor_be16(&cur);
	ret->congest_seq = cursor_be16(&cur);
	ret->bytes_sent = cursor_be64(&cur);
	ret->bytes_received = cursor_be64(&cur);
	return 0;
}

void rx_peer_pack(const struct sonde_rx_peer *peer, uint8_t payload[RX_PEER_BYTES])
{
	uint8_t *at = payload;

	memset(payload, 0, RX_PEER_BYTES);
	at = rx_put32(at, peer->host);
	at = rx_put16(at, peer->port);
	at = rx_put16(at, peer->if_mtu);
	at = rx_put32(at, peer->idle_when);
	at = rx_put16(at, peer->ref_count);
	*at++ = peer->burst_size;
	*at++ = peer->burst;
	at = rx_put32(at, peer->burst_wait_s);
	at = rx_put32(at, peer->burst_wait_us);
	at = rx_put32(at, (uint32_t)peer->rtt);
	at = rx_put32(at, (uint32_t)peer->rtt_dev);
	at = rx_put32(at, peer->timeout_s);
	at = rx_put32(at, peer->timeout_us);
	at = rx_put32(at, peer->sent);
	at = rx_put32(at, peer->resent);
	at = rx_put32(at, (uint32_t)peer->in_skew);
	at = rx_put32(at, (uint32_t)peer->out_skew);
	at = rx_put32(at, (uint32_t)peer->rate_flag);
	at = rx_put16(at, peer->nat_mtu);
	at = rx_put16(at, peer->max_mtu);
	at = rx_put16(at, peer->max_datagram_packets);
	at = rx_put16(at, peer->if_datagram_packets);
	at = rx_put16(at, peer->mtu);
	at = rx_put16(at, peer->cwind);
	at = rx_put16(at, peer->datagram_packets);
	at = rx_put16(at, peer->congest_seq);
	at = rx_put64(at, peer->bytes_sent);
	(void)rx_put64(at, peer->bytes_received);
}

void rx_refusal_pack(uint8_t payload[RX_REFUSAL_BYTES])
{
	(void)rx_put32(rx_put32(payload, (uint32_t)RX_DEBUG_BAD_TYPE), (uint32_t)RX_DEBUG_BAD_TYPE);
}

bool rx_payload_is_refusal(const void *payload, size_t len)
{
	struct cursor cur;

	cursor_init(&cur, payload, len);
	return len == RX_REFUSAL_BYTES && (int32_t)cursor_be32(&cur) == RX_DEBUG_BAD_TYPE &&
	       (int32_t)cursor_be32(&cur) == RX_DEBUG_BAD_TYPE;
}
