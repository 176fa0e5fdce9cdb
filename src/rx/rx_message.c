// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_message.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "schema/record_field.h"

#define FIELD(at, member)                                                      \
	{                                                                      \
		.name = #member, .place = {                                    \
			{(at), sizeof(((struct sonde_rx_header *)0)->member)}, \
			RECORD_MEMBER(struct sonde_rx_header, member)          \
		}                                                              \
	}

static const struct record_layout on_wire = {BYTE_ORDER_BIG, 0};
static const struct record_layout in_struct = {BYTE_ORDER_HOST, 1};

static const struct record_field fields[] = {
	FIELD(0, epoch),     FIELD(4, cid),	  FIELD(8, call),     FIELD(12, seq),
	FIELD(16, serial),   FIELD(20, type),	  FIELD(21, flags),   FIELD(22, user_status),
	FIELD(23, security), FIELD(24, checksum), FIELD(26, service), {0},
};

int rx_header_unpack(const void *packet, size_t len, struct sonde_rx_header *ret)
{
	if (len < RX_HEADER_BYTES)
		return -EBADMSG;
	record_copy(fields, &on_wire, packet, len, &in_struct, (uint8_t *)ret);
	return 0;
}

void rx_header_pack(const struct sonde_rx_header *header, uint8_t *packet)
{
	record_copy(fields, &in_struct, (const uint8_t *)header, sizeof(*header), &on_wire, packet);
}

size_t rx_request_pack(const struct sonde_rx_request *request, uint8_t *packet)
{
	uint8_t *at = packet + RX_HEADER_BYTES;

	rx_header_pack(&request->header, packet);
	if (request->header.type == RX_TYPE_VERSION) {
		*at = 0;
		return RX_HEADER_BYTES + RX_VERSION_REQUEST_BYTES;
	}
	byte_order_store(at, 4, BYTE_ORDER_BIG, (uint32_t)request->what);
	byte_order_store(at + 4, 4, BYTE_ORDER_BIG, (uint32_t)request->index);
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
