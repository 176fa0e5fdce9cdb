// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/viewer_codec.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/diag.h"

static void put_be32(struct buffer *out, uint32_t value)
{
	const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16),
				  (uint8_t)(value >> 8), (uint8_t)value};

	buffer_append(out, bytes, sizeof(bytes));
}

static void put_be64(struct buffer *out, uint64_t value)
{
	put_be32(out, (uint32_t)(value >> 32));
	put_be32(out, (uint32_t)value);
}

static uint64_t payload_bytes(enum live_command command)
{
	switch (command) {
	case LIVE_CONNECT:
		return LIVE_CONNECT_BYTES;
	case LIVE_ATTACH_SESSION:
		return LIVE_ATTACH_BYTES;
	case LIVE_GET_PACKET:
		return LIVE_PACKET_REQUEST_BYTES;
	case LIVE_LIST_SESSIONS:
	case LIVE_CREATE_SESSION:
		return 0;
	default: /* a handle */
		return sizeof(uint64_t);
	}
}

size_t viewer_request_bytes(enum live_command command)
{
	return LIVE_REQUEST_BYTES + (size_t)payload_bytes(command);
}

void viewer_pack(struct buffer *out, const struct viewer_request *request)
{
	put_be64(out, payload_bytes(request->command));
	put_be32(out, request->command);
	put_be32(out, 0);
	switch (request->command) {
	case LIVE_CONNECT:
		put_be64(out, LIVE_VIEWER_SONDE);
		put_be32(out, LIVE_MAJOR);
		put_be32(out, LIVE_MINOR_LIST_2_15);
		put_be32(out, LIVE_TYPE_COMMAND);
		break;
	case LIVE_ATTACH_SESSION:
		put_be64(out, request->handle);
		put_be64(out, 0);
		put_be32(out, request->seek);
		break;
	case LIVE_GET_PACKET:
		put_be64(out, request->handle);
		put_be64(out, request->offset);
		put_be32(out, request->bytes);
		break;
	case LIVE_LIST_SESSIONS:
	case LIVE_CREATE_SESSION:
		break;
	default:
		put_be64(out, request->handle);
	}
}

/* Entries of the second layout differ in length. */
static int sessions_length(uint32_t count, const uint8_t *data, size_t len, size_t *need,
			   struct diag *diag)
{
	size_t at = LIVE_LIST_HEAD_BYTES;
	struct cursor cur;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t host, name;

		if (at >= len || len - at < LIVE_SESSION_2_15_BYTES) {
			*need = at + LIVE_SESSION_2_15_BYTES;
			return false;
		}
		cursor_init(&cur, data + at + 20, 8);
		host = cursor_be32(&cur);
		name = cursor_be32(&cur);
		if (host > LIVE_HOST_BYTES || name > LIVE_NAME_BYTES)
			return diag_set(diag, -EBADMSG,
					"the relay lists a session with a name of %" PRIu32
					" bytes on a host with one of %" PRIu32,
					name, host);
		at += LIVE_SESSION_2_15_BYTES + host + name;
	}
	*need = at;
	return true;
}

static int list_length(uint32_t minor, const uint8_t *data, size_t len, size_t *need,
		       struct diag *diag)
{
	struct cursor cur;
	uint32_t count;

	*need = LIVE_LIST_HEAD_BYTES;
	if (len < LIVE_LIST_HEAD_BYTES)
		return false;
	cursor_init(&cur, data, len);
	count = cursor_be32(&cur);
	if (count > VIEWER_SESSIONS_MAX)
		return diag_set(diag, -E2BIG, "the relay claims to have %" PRIu32 " sessions",
				count);
	if (minor >= LIVE_MINOR_LIST_2_15)
		return sessions_length(count, data, len, need, diag);
	*need += (size_t)count * LIVE_SESSION_BYTES;
	return true;
}

/* Whether the bytes that a head counts, or the entries, may be so many. */
static int check_count(const struct viewer_request *request, const struct viewer_head *head,
		       struct diag *diag)
{
	if (request->command == LIVE_GET_PACKET && head->count > request->bytes)
		return diag_set(diag, -EBADMSG,
				"the relay answers with %" PRIu64
				" bytes of a packet where %" PRIu32 " were asked for",
				head->count, request->bytes);
	if (request->command == LIVE_GET_METADATA && head->count > VIEWER_METADATA_REPLY_MAX)
		return diag_set(diag, -E2BIG, "the relay claims %" PRIu64 " bytes of metadata",
				head->count);
	if (request->command != LIVE_GET_PACKET && request->command != LIVE_GET_METADATA &&
	    head->count > VIEWER_STREAMS_MAX)
		return diag_set(diag, -E2BIG, "the relay claims to have %" PRIu64 " streams",
				head->count);
	return 0;
}

/* A head, and what it counts, each of @each bytes. */
static int headed_length(const struct viewer_request *request, size_t head_bytes, size_t each,
			 const uint8_t *data, size_t len, size_t *need, struct diag *diag)
{
	struct viewer_head head;
	int err;

	*need = head_bytes;
	if (len < head_bytes)
		return false;
	viewer_unpack_head(request->command, data, &head);
	err = head.count ? check_count(request, &head, diag) : 0;
	if (err)
		return err;
	*need = head_bytes + (size_t)head.count * each;
	return true;
}

int viewer_reply_length(const struct viewer_request *request, uint32_t minor, const uint8_t *data,
			size_t len, size_t *need, struct diag *diag)
{
	switch (request->command) {
	case LIVE_CONNECT:
		*need = LIVE_CONNECT_BYTES;
		return true;
	case LIVE_LIST_SESSIONS:
		return list_length(minor, data, len, need, diag);
	case LIVE_GET_NEXT_INDEX:
		*need = LIVE_INDEX_BYTES;
		return true;
	case LIVE_GET_PACKET:
		return headed_length(request, LIVE_PACKET_HEAD_BYTES, 1, data, len, need, diag);
	case LIVE_GET_METADATA:
		return headed_length(request, LIVE_METADATA_HEAD_BYTES, 1, data, len, need, diag);
	case LIVE_ATTACH_SESSION:
	case LIVE_GET_NEW_STREAMS:
		return headed_length(request, LIVE_STREAMS_HEAD_BYTES, LIVE_STREAM_BYTES, data, len,
				     need, diag);
	default: /* a status */
		*need = sizeof(uint32_t);
		return true;
	}
}

void viewer_unpack_connect(const uint8_t *data, uint32_t *major, uint32_t *minor, uint32_t *type)
{
	struct cursor cur;

	cursor_init(&cur, data, LIVE_CONNECT_BYTES);
	cursor_skip(&cur, 8);
	*major = cursor_be32(&cur);
	*minor = cursor_be32(&cur);
	*type = cursor_be32(&cur);
}

void viewer_unpack_index(const uint8_t *data, struct viewer_index *ret)
{
	struct cursor cur;

	cursor_init(&cur, data, LIVE_INDEX_BYTES);
	ret->offset = cursor_be64(&cur);
	ret->packet_bits = cursor_be64(&cur);
	ret->content_bits = cursor_be64(&cur);
	ret->begin = cursor_be64(&cur);
	ret->end = cursor_be64(&cur);
	ret->discarded = cursor_be64(&cur);
	ret->stream_class = cursor_be64(&cur);
	ret->status = cursor_be32(&cur);
	ret->flags = cursor_be32(&cur);
}

void viewer_unpack_head(enum live_command command, const uint8_t *data, struct viewer_head *ret)
{
	struct cursor cur;

	*ret = (struct viewer_head){.status = 1};
	switch (command) {
	case LIVE_LIST_SESSIONS:
		cursor_init(&cur, data, LIVE_LIST_HEAD_BYTES);
		ret->count = cursor_be32(&cur);
		break;
	case LIVE_GET_METADATA:
		cursor_init(&cur, data, LIVE_METADATA_HEAD_BYTES);
		ret->count = cursor_be64(&cur);
		ret->status = cursor_be32(&cur);
		break;
	case LIVE_GET_PACKET:
		cursor_init(&cur, data, LIVE_PACKET_HEAD_BYTES);
		ret->status = cursor_be32(&cur);
		ret->count = cursor_be32(&cur);
		ret->flags = cursor_be32(&cur);
		break;
	case LIVE_ATTACH_SESSION:
	case LIVE_GET_NEW_STREAMS:
		cursor_init(&cur, data, LIVE_STREAMS_HEAD_BYTES);
		ret->status = cursor_be32(&cur);
		ret->count = cursor_be32(&cur);
		break;
	default:
		cursor_init(&cur, data, sizeof(uint32_t));
		ret->status = cursor_be32(&cur);
	}
	if (ret->status != 1) /* OK of all of them; with another one the count means nothing */
		ret->count = 0;
	ret->bytes = data + cur.at;
}

void viewer_unpack_stream(const uint8_t *entries, size_t i, struct viewer_stream_entry *ret)
{
	struct cursor cur;

	cursor_init(&cur, entries + i * LIVE_STREAM_BYTES, LIVE_STREAM_BYTES);
	ret->id = cursor_be64(&cur);
	ret->trace = cursor_be64(&cur);
	ret->is_metadata = cursor_be32(&cur);
	ret->path = cursor_bytes(&cur, LIVE_PATH_BYTES);
	ret->path_len = strnlen(ret->path, LIVE_PATH_BYTES);
	ret->channel = cursor_bytes(&cur, LIVE_NAME_BYTES);
	ret->channel_len = strnlen(ret->channel, LIVE_NAME_BYTES);
}

static void take_text(char *to, struct cursor *cur, size_t len)
{
	const void *from = cursor_bytes(cur, len);

	memcpy(to, from, len);
	to[len] = '\0';
}

size_t viewer_unpack_session(const uint8_t *data, uint32_t minor, struct viewer_session *ret)
{
	const bool second = minor >= LIVE_MINOR_LIST_2_15;
	size_t host = LIVE_HOST_BYTES, name = LIVE_NAME_BYTES;
	struct cursor cur;

	cursor_init(&cur, data, LIVE_SESSION_BYTES + LIVE_SESSION_2_15_BYTES);
	*ret = (struct viewer_session){.id = cursor_be64(&cur)};
	ret->timer_us = cursor_be32(&cur);
	ret->clients = cursor_be32(&cur);
	ret->streams = cursor_be32(&cur);
	if (second) {
		host = cursor_be32(&cur);
		name = cursor_be32(&cur);
		ret->format = cursor_be32(&cur);
	}
	take_text(ret->host, &cur, host);
	take_text(ret->name, &cur, name);
	return cur.at;
}
