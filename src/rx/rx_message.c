// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_message.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "rx/rx_pack.h"

int rx_header_unpack(const void *packet, size_t len, struct sonde_rx_header *ret)
{
	struct cursor cur;

	if (len < RX_HEADER_BYTES)
		return -EBADMSG;
	cursor_init(&cur, packet, len);
	ret->epoch = cursor_be32(&cur);
	ret->cid = cursor_be32(&cur);
	ret->call = cursor_be32(&cur);
	ret->seq = cursor_be32(&cur);
	ret->serial = cursor_be32(&cur);
	ret->type = cursor_u8(&cur);
	ret->flags = cursor_u8(&cur);
	ret->user_status = cursor_u8(&cur);
	ret->security = cursor_u8(&cur);
	ret->checksum = cursor_be16(&cur);
	ret->service = cursor_be16(&cur);
	return 0;
}

void rx_header_pack(const struct sonde_rx_header *header, uint8_t *packet)
{
	uint8_t *at = packet;

	at = rx_put32(at, header->epoch);
	at = rx_put32(at, header->cid);
	at = rx_put32(at, header->call);
	at = rx_put32(at, header->seq);
	at = rx_put32(at, header->serial);
	*at++ = header->type;
	*at++ = header->flags;
	*at++ = header->user_status;
	*at++ = header->security;
	at = rx_put16(at, header->checksum);
	(void)rx_put16(at, header->service);
}

size_t rx_request_pack(const struct sonde_rx_request *request, uint8_t *packet)
{
	uint8_t *at = packet + RX_HEADER_BYTES;

	rx_header_pack(&request->header, packet);
	if (request->header.type == RX_TYPE_VERSION) {
		*at = 0;
		return RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
	}
	at = rx_put32(at, (uint32_t)request->what);
	(void)rx_put32(at, (uint32_t)request->index);
	return RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES;
}

void rx_request_init(struct sonde_rx_request *request, const struct rx_query *query, uint32_t call)
{
	*request = (struct sonde_rx_request){
		.header = {.epoch = RX_DEBUG_EPOCH,
			   .call = call,
			   .type = query->type,
			   .flags = RX_FLAG_CLIENT_INITIATED | RX_FLAG_LAST_PACKET},
		.what = query->what,
		.index = query->index,
	};
}

size_t rx_query_pack(const struct rx_query *query, uint32_t call, uint8_t *packet)
{
	struct sonde_rx_request request;

	rx_request_init(&request, query, call);
	return rx_request_pack(&request, packet);
}

int rx_request_unpack(const void *packet, size_t len, struct sonde_rx_request *ret)
{
	struct sonde_rx_request request = {0};
	struct cursor cur;

	if (rx_header_unpack(packet, len, &request.header))
		return -EBADMSG;
	if (!(request.header.flags & RX_FLAG_CLIENT_INITIATED))
		return -EPROTO;
	if (request.header.type == RX_TYPE_DEBUG) {
		if (len < RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES)
			return -EBADMSG;
		cursor_init(&cur, packet, len);
		cursor_skip(&cur, RX_HEADER_BYTES);
		request.what = (int32_t)cursor_be32(&cur);
		request.index = (int32_t)cursor_be32(&cur);
	} else if (request.header.type != RX_TYPE_VERSION) {
		return -EPROTO;
	}
	*ret = request;
	return 0;
}
