// SPDX-License-Identifier: BSD-2-Clause
/*
 * fuzz_rx_responder: any bytes as what somebody sends to a responder: the first says which version it imitates.
 * What is answered is as long as the protocol has it, has the request's header, and is no request itself.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rx/rx_responder.h"
#include "wire/rx_debug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool tell_conn(void *ctx, uint32_t index, bool all, struct sonde_rx_conn *ret)
{
	(void)ctx;
	ret->cid = index;
	return index < (all ? 8u : 4u);
}

static bool tell_peer(void *ctx, uint32_t index, struct sonde_rx_peer *ret)
{
	(void)ctx;
	ret->host = index;
	return index < 8;
}

static const struct sonde_rx_callbacks callbacks = {.conn = tell_conn, .peer = tell_peer};

static void check(const uint8_t *packet, size_t len, const uint8_t *reply, size_t got)
{
	uint8_t header[RX_HEADER_BYTES];

	if (len < RX_HEADER_BYTES || !(packet[21] & RX_FLAG_CLIENT_INITIATED))
		abort();
	memcpy(header, packet, sizeof(header));
	header[21] &= (uint8_t)~RX_FLAG_CLIENT_INITIATED;
	if (memcmp(header, reply, sizeof(header)) != 0)
		abort();
	switch (got - RX_HEADER_BYTES) {
	case RX_VERSION_BYTES:
		if (packet[20] != RX_TYPE_VERSION)
			abort();
		break;
	case 8:
	case RX_BASIC_BYTES:
	case RX_CONN_BYTES:
	case RX_STATS_BYTES:
	case RX_PEER_BYTES:
		if (packet[20] != RX_TYPE_DEBUG || len < RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES)
			abort();
		break;
	default:
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sockaddr_in from = {.sin_family = AF_INET};
	struct sonde_rx_config config = {.text = "text"};
	uint8_t reply[RX_REPLY_MAX_BYTES];
	struct rx_responder *responder;
	size_t got;

	if (!size)
		return 0;
	config.version = (char)('L' + *data % 8);
	if (rx_responder_new(&config, &callbacks, NULL, &responder, NULL))
		abort();
	got = rx_responder_answer(responder, &from, data + 1, size - 1, 1, reply);
	if (got)
		check(data + 1, size - 1, reply, got);
	rx_responder_free(responder);
	return 0;
}
