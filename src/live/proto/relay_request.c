// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/relay_request.h"

#include <errno.h>

#include "base/cursor.h"

static const size_t payload_bytes[LIVE_COMMAND_END] = {
	[LIVE_CONNECT] = LIVE_CONNECT_BYTES,
	[LIVE_ATTACH_SESSION] = LIVE_ATTACH_BYTES,
	[LIVE_GET_NEXT_INDEX] = LIVE_INDEX_REQUEST_BYTES,
	[LIVE_GET_PACKET] = LIVE_PACKET_REQUEST_BYTES,
	[LIVE_GET_METADATA] = LIVE_METADATA_REQUEST_BYTES,
	[LIVE_GET_NEW_STREAMS] = LIVE_NEW_STREAMS_REQUEST_BYTES,
	[LIVE_DETACH_SESSION] = LIVE_DETACH_REQUEST_BYTES,
};

ssize_t relay_request_parse(const uint8_t *bytes, size_t len, struct relay_request *ret)
{
	struct relay_request request = {0};
	struct cursor cur;
	uint32_t command;

	cursor_init(&cur, bytes, len);
	cursor_skip(&cur, 8);
	command = cursor_be32(&cur);
	cursor_skip(&cur, 4);
	if (cur.short_read)
		return 0;
	if (command < LIVE_CONNECT || command >= LIVE_COMMAND_END)
		return -ENOTSUP;
	if (cursor_left(&cur) < payload_bytes[command])
		return 0;
	request.command = command;
	if (payload_bytes[command])
		request.id = cursor_be64(&cur);
	if (command == LIVE_CONNECT) {
		request.major = cursor_be32(&cur);
		request.minor = cursor_be32(&cur);
		request.type = cursor_be32(&cur);
	} else if (command == LIVE_ATTACH_SESSION) {
		cursor_skip(&cur, 8); /* an unused offset */
		request.seek = cursor_be32(&cur);
	} else if (command == LIVE_GET_PACKET) {
		request.offset = cursor_be64(&cur);
		request.len = cursor_be32(&cur);
	}
	*ret = request;
	return (ssize_t)(LIVE_REQUEST_BYTES + payload_bytes[command]);
}
