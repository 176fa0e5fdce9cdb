// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_message.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "rx/rx_pack.h"

int rx_header_unpack(const void *packet, size_t len, struct rx_header *ret)
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

void rx_header_pack(const struct rx_header *header, uint8_t *packet)
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

size_t rx_query_pack(const struct rx_query *query, uint32_t call, uint8_t *packet)
{
	const struct rx_header header = {
		.epoch = RX_DEBUG_EPOCH,
		.call = call,
		.type = query->type,
		.flags = RX_FLAG_CLIENT_INITIATED | RX_FLAG_LAST_PACKET,
	};
	uint8_t *at = packet + RX_HEADER_BYTES;

	rx_header_pack(&header, packet);
	if (query->type == RX_TYPE_VERSION) {
		*at = 0;
		return RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
	}
	at = rx_put32(at, (uint32_t)query->what);
	(void)rx_put32(at, (uint32_t)query->index);
	return RX_HEADER_BYTES + RX_DEBUG_REQUEST_BYTES;
}
