// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_reply.h"

#include <errno.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/cursor.h"
#include "rx/rx_message.h"
#include "rx/rx_record.h"

size_t rx_reply_least_bytes(int32_t what)
{
	switch (what) {
	case RX_DEBUG_BASIC:
		return RX_BASIC_BYTES;
	case RX_DEBUG_CONN:
	case RX_DEBUG_ALL_CONN:
		return RX_CONN_LEAST_BYTES;
	case RX_DEBUG_PEER:
		return RX_PEER_BYTES;
	default:
		return sizeof(uint32_t);
	}
}

/* The request's type, as far as the length shows it; 0 = nothing has that length. */
static int32_t what_of_length(size_t len)
{
	switch (len) {
	case RX_BASIC_BYTES:
		return RX_DEBUG_BASIC;
	case RX_CONN_BYTES:
	case RX_CONN_L_BYTES:
		return RX_DEBUG_ALL_CONN;
	case RX_STATS_BYTES:
		return RX_DEBUG_STATS;
	case RX_PEER_BYTES:
		return RX_DEBUG_PEER;
	default:
		return 0;
	}
}

static enum sonde_rx_layout layout_of_length(size_t len)
{
	if (len == RX_CONN_L_BYTES)
		return SONDE_RX_LAYOUT_L;
	return len < RX_CONN_BYTES ? SONDE_RX_LAYOUT_BEFORE_L : SONDE_RX_LAYOUT_NOW;
}

static int unpack_conn(const uint8_t *payload, size_t len, struct sonde_rx_reply *reply)
{
	reply->layout = layout_of_length(len);
	reply->kind = SONDE_RX_REPLY_CONN;
	return rx_conn_unpack(payload, len, &reply->body.conn);
}

static int unpack_record(const uint8_t *payload, size_t len, struct sonde_rx_reply *reply)
{
	int err;

	switch (reply->what) {
	case RX_DEBUG_BASIC:
		reply->kind = SONDE_RX_REPLY_BASIC;
		return rx_basic_unpack(payload, len, &reply->body.basic);
	case RX_DEBUG_CONN:
	case RX_DEBUG_ALL_CONN:
		err = unpack_conn(payload, len, reply);
		if (!err && rx_conn_is_end(&reply->body.conn))
			reply->kind = SONDE_RX_REPLY_END;
		return err;
	case RX_DEBUG_STATS:
		reply->kind = SONDE_RX_REPLY_STATS;
		return rx_stats_unpack(payload, len, &reply->body.stats);
	case RX_DEBUG_PEER:
		reply->kind = SONDE_RX_REPLY_PEER;
		err = rx_peer_unpack(payload, len, &reply->body.peer);
		if (!err && rx_peer_is_end(&reply->body.peer))
			reply->kind = SONDE_RX_REPLY_END;
		return err;
	default:
		return -EPROTO;
	}
}

static int unpack_debug(const uint8_t *payload, size_t len, int32_t what,
			struct sonde_rx_reply *reply)
{
	/* First: else it looks like the begin of a record. */
	if (rx_payload_is_refusal(payload, len)) {
		reply->kind = SONDE_RX_REPLY_REFUSED;
		return 0;
	}
	reply->what = what ?: what_of_length(len);
	return unpack_record(payload, len, reply);
}

static int unpack_abort(const uint8_t *payload, size_t len, struct sonde_rx_reply *reply)
{
	struct cursor cur;

	if (len < sizeof(uint32_t))
		return -EBADMSG;
	cursor_init(&cur, payload, len);
	reply->kind = SONDE_RX_REPLY_ABORT;
	reply->body.code = (int32_t)cursor_be32(&cur);
	return 0;
}

static int unpack_version(const uint8_t *payload, size_t len, struct sonde_rx_reply *reply)
{
	const size_t most = sizeof(reply->body.version) - 1;

	if (!len)
		return -EBADMSG;
	reply->kind = SONDE_RX_REPLY_VERSION;
	memcpy(reply->body.version, payload, len < most ? len : most);
	return 0;
}

static int unpack(const uint8_t *payload, size_t len, int32_t what, struct sonde_rx_reply *reply)
{
	if (reply->header.flags & RX_FLAG_CLIENT_INITIATED)
		return -EPROTO;
	switch (reply->header.type) {
	case RX_TYPE_DEBUG:
		return unpack_debug(payload, len, what, reply);
	case RX_TYPE_VERSION:
		return unpack_version(payload, len, reply);
	case RX_TYPE_ABORT:
		return unpack_abort(payload, len, reply);
	default:
		return -EPROTO;
	}
}

int rx_reply_unpack(const void *packet, size_t len, int32_t what, struct sonde_rx_reply *ret)
{
	struct sonde_rx_reply reply = {0};
	int err = rx_header_unpack(packet, len, &reply.header);

	if (!err)
		err = unpack((const uint8_t *)packet + RX_HEADER_BYTES, len - RX_HEADER_BYTES, what,
			     &reply);
	if (!err)
		*ret = reply;
	return err;
}

static size_t pack_conn(const struct sonde_rx_conn *conn, enum sonde_rx_layout layout, uint8_t *at)
{
	if (layout == SONDE_RX_LAYOUT_L) {
		rx_conn_l_pack(conn, at);
		return RX_CONN_L_BYTES;
	}
	rx_conn_pack(conn, at);
	return layout == SONDE_RX_LAYOUT_BEFORE_L ? RX_CONN_LEAST_BYTES : RX_CONN_BYTES;
}

static size_t pack_peer(const struct sonde_rx_peer *peer, uint8_t *at)
{
	rx_peer_pack(peer, at);
	return RX_PEER_BYTES;
}

static size_t pack_end(const struct sonde_rx_reply *reply, uint8_t *at)
{
	if (reply->what == RX_DEBUG_PEER)
		return pack_peer(&(struct sonde_rx_peer){.host = RX_DEBUG_END}, at);
	return pack_conn(&(struct sonde_rx_conn){.cid = RX_DEBUG_END}, reply->layout, at);
}

static size_t pack_basic(const struct sonde_rx_basic *basic, char version, uint8_t *at)
{
	struct sonde_rx_basic limited = *basic;

	rx_basic_limit(&limited, version);
	rx_basic_pack(&limited, at);
	return RX_BASIC_BYTES;
}

static size_t pack_stats(const struct sonde_rx_stats *stats, char version, uint8_t *at)
{
	struct sonde_rx_stats limited = *stats;

	rx_stats_limit(&limited, version);
	rx_stats_pack(&limited, at);
	return RX_STATS_BYTES;
}

static size_t pack_payload(const struct sonde_rx_reply *reply, char version, uint8_t *at)
{
	switch (reply->kind) {
	case SONDE_RX_REPLY_BASIC:
		return pack_basic(&reply->body.basic, version, at);
	case SONDE_RX_REPLY_CONN:
		return pack_conn(&reply->body.conn, reply->layout, at);
	case SONDE_RX_REPLY_STATS:
		return pack_stats(&reply->body.stats, version, at);
	case SONDE_RX_REPLY_PEER:
		return pack_peer(&reply->body.peer, at);
	case SONDE_RX_REPLY_VERSION:
		memset(at, 0, RX_VERSION_BYTES);
		memcpy(at, reply->body.version, strnlen(reply->body.version, RX_VERSION_BYTES - 1));
		return RX_VERSION_BYTES;
	case SONDE_RX_REPLY_END:
		return pack_end(reply, at);
	case SONDE_RX_REPLY_ABORT:
		byte_order_store(at, 4, BYTE_ORDER_BIG, (uint32_t)reply->body.code);
		return sizeof(uint32_t);
	default:
		rx_refusal_pack(at);
		return RX_REFUSAL_BYTES;
	}
}

size_t rx_reply_pack(const struct sonde_rx_reply *reply, char version, uint8_t *packet)
{
	rx_header_pack(&reply->header, packet);
	return RX_HEADER_BYTES + pack_payload(reply, version, packet + RX_HEADER_BYTES);
}
