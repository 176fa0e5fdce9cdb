// SPDX-License-Identifier: BSD-2-Clause
/*
 * sonde_rx: rx/ as programs have it: the responder with its socket, and the packets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <sonde/rx.h>

#include "base/clock.h"
#include "base/diag.h"
#include "lib/handles.h"
#include "rx/rx_message.h"
#include "rx/rx_record.h"
#include "rx/rx_reply.h"
#include "rx/rx_responder.h"
#include "rx/rx_service.h"

_Static_assert(SONDE_RX_REPLY_BYTES == RX_REPLY_MAX_BYTES, "the largest answer");
_Static_assert(SONDE_RX_HEADER_BYTES == RX_HEADER_BYTES, "a header");
_Static_assert(SONDE_RX_REQUEST_BYTES == RX_REQUEST_MAX_BYTES, "the longest request");
_Static_assert(SONDE_RX_REPLY_BYTES == RX_HEADER_BYTES + RX_STATS_BYTES, "the longest reply");
_Static_assert(SONDE_RX_VERSION_TEXT_BYTES == RX_VERSION_BYTES, "64 bytes and a NUL");
_Static_assert((int)SONDE_RX_WHAT_ALL_CONN == RX_DEBUG_ALL_CONN &&
		       (int)SONDE_RX_WHAT_PEER == RX_DEBUG_PEER,
	       "what is asked for");
_Static_assert(SONDE_RX_TYPE_DEBUG == RX_TYPE_DEBUG && SONDE_RX_TYPE_ABORT == RX_TYPE_ABORT &&
		       SONDE_RX_TYPE_VERSION == RX_TYPE_VERSION,
	       "types of packets");

struct sonde_rx_responder {
	struct rx_responder *responder;
	struct rx_service *service;
};

int sonde_rx_responder_open(const struct sonde_rx_config *config,
			    const struct sonde_rx_callbacks *callbacks, void *ctx,
			    struct sonde_rx_responder **ret, struct sonde_error *error)
{
	struct sonde_rx_responder *rx = calloc(1, sizeof(*rx));
	struct diag diag = {0};
	int err = -ENOMEM;

	if (rx)
		err = rx_responder_new(config, callbacks, ctx, &rx->responder, &diag);
	err = err   ?:
		      rx_service_open(rx->responder, config->address, config->port, &rx->service,
				      &diag);
	if (err) {
		sonde_rx_responder_close(rx);
		return sonde_error_take(error, err, &diag);
	}
	*ret = rx;
	return 0;
}

void sonde_rx_responder_close(struct sonde_rx_responder *rx)
{
	if (!rx)
		return;
	rx_service_close(rx->service);
	rx_responder_free(rx->responder);
	free(rx);
}

int sonde_rx_responder_fd(const struct sonde_rx_responder *rx)
{
	return rx_service_fd(rx->service);
}

uint16_t sonde_rx_responder_port(const struct sonde_rx_responder *rx)
{
	return rx_service_port(rx->service);
}

int sonde_rx_responder_serve(struct sonde_rx_responder *rx)
{
	return rx_service_serve(rx->service);
}

size_t sonde_rx_responder_answer(struct sonde_rx_responder *rx, const struct sockaddr *from,
				 const void *packet, size_t len, void *reply)
{
	struct sockaddr_in in;

	if (from->sa_family != AF_INET)
		return 0;
	memcpy(&in, from, sizeof(in));
	return rx_responder_answer(rx->responder, &in, packet, len, clock_monotonic_ns(), reply);
}

void sonde_rx_responder_counts(const struct sonde_rx_responder *rx, struct sonde_rx_counts *ret)
{
	*ret = *rx_responder_counts(rx->responder);
}

int sonde_rx_header_unpack(const void *packet, size_t len, struct sonde_rx_header *ret)
{
	return rx_header_unpack(packet, len, ret);
}

void sonde_rx_header_pack(const struct sonde_rx_header *header, void *packet)
{
	rx_header_pack(header, packet);
}

void sonde_rx_request_init(struct sonde_rx_request *request, int32_t what, int32_t index,
			   uint32_t call)
{
	const struct rx_query query = {what ? RX_TYPE_DEBUG : RX_TYPE_VERSION, what, index};

	rx_request_init(request, &query, call);
}

size_t sonde_rx_request_pack(const struct sonde_rx_request *request, void *packet)
{
	return rx_request_pack(request, packet);
}

int sonde_rx_request_unpack(const void *packet, size_t len, struct sonde_rx_request *ret)
{
	return rx_request_unpack(packet, len, ret);
}

int sonde_rx_reply_unpack(const void *packet, size_t len, int32_t what, struct sonde_rx_reply *ret)
{
	return rx_reply_unpack(packet, len, what, ret);
}

size_t sonde_rx_reply_pack(const struct sonde_rx_reply *reply, char version, void *packet)
{
	return rx_reply_pack(reply, version, packet);
}

int sonde_rx_basic_unpack(const void *payload, size_t len, struct sonde_rx_basic *ret)
{
	return rx_basic_unpack(payload, len, ret);
}

void sonde_rx_basic_pack(const struct sonde_rx_basic *basic, void *payload)
{
	rx_basic_pack(basic, payload);
}

int sonde_rx_stats_unpack(const void *payload, size_t len, struct sonde_rx_stats *ret)
{
	return rx_stats_unpack(payload, len, ret);
}

void sonde_rx_stats_pack(const struct sonde_rx_stats *stats, void *payload)
{
	rx_stats_pack(stats, payload);
}

int sonde_rx_peer_unpack(const void *payload, size_t len, struct sonde_rx_peer *ret)
{
	return rx_peer_unpack(payload, len, ret);
}

void sonde_rx_peer_pack(const struct sonde_rx_peer *peer, void *payload)
{
	rx_peer_pack(peer, payload);
}

int sonde_rx_conn_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	return rx_conn_unpack(payload, len, ret);
}

void sonde_rx_conn_pack(const struct sonde_rx_conn *conn, void *payload)
{
	rx_conn_pack(conn, payload);
}

int sonde_rx_conn_l_unpack(const void *payload, size_t len, struct sonde_rx_conn *ret)
{
	return rx_conn_l_unpack(payload, len, ret);
}

void sonde_rx_conn_l_pack(const struct sonde_rx_conn *conn, void *payload)
{
	rx_conn_l_pack(conn, payload);
}

bool sonde_rx_basic_has(const struct sonde_rx_basic *basic, char version)
{
	return rx_basic_has(basic, version);
}

bool sonde_rx_conn_is_end(const struct sonde_rx_conn *conn)
{
	return rx_conn_is_end(conn);
}

bool sonde_rx_peer_is_end(const struct sonde_rx_peer *peer)
{
	return rx_peer_is_end(peer);
}

uint64_t sonde_rx_counter_continue(uint64_t total, uint32_t now)
{
	return total + (uint32_t)(now - (uint32_t)total);
}

uint32_t sonde_rx_bogus_host(const struct sonde_rx_stats *stats, bool little_endian)
{
	uint32_t word = stats->words[SONDE_RX_STAT_BOGUS_HOST];

	return little_endian ? __builtin_bswap32(word) : word;
}
