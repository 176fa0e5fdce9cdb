// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/ingest_message.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"

#define ROTATION_BYTES 16u /* of one stream */
#define ROTATION_HEAD_BYTES 13u /* and padding */

int ingest_head_unpack(const uint8_t bytes[RELAY_HEAD_BYTES], struct ingest_head *ret)
{
	struct cursor cur;
	uint64_t len;

	cursor_init(&cur, bytes, RELAY_HEAD_BYTES);
	cursor_skip(&cur, 8);
	len = cursor_be64(&cur);
	ret->command = cursor_be32(&cur);
	if (len > RELAY_COMMAND_MAX)
		return -E2BIG;
	ret->len = (uint32_t)len;
	return 0;
}

int ingest_data_unpack(const uint8_t bytes[RELAY_DATA_HEAD_BYTES], struct ingest_data *ret)
{
	struct cursor cur;

	cursor_init(&cur, bytes, RELAY_DATA_HEAD_BYTES);
	cursor_skip(&cur, 8);
	ret->stream = cursor_be64(&cur);
	ret->number = cursor_be64(&cur);
	ret->len = cursor_be32(&cur);
	ret->padding = cursor_be32(&cur);
	return (uint64_t)ret->len + ret->padding > RELAY_PACKET_MAX ? -E2BIG : 0;
}

/* A text of @len bytes that ends with its only NUL; NULL = not a text. */
static const char *text(struct cursor *cur, uint32_t len, uint32_t limit)
{
	const char *text = len && len <= limit ? cursor_bytes(cur, len) : NULL;

	return text && memchr(text, 0, len) == text + len - 1 ? text : NULL;
}

/* A name of one file: it has no other directory in it, and is not hidden. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* Names of files, one within the other. */
static bool is_path(const char *path)
{
	while (*path) {
		size_t len = strcspn(path, "/");

		if (!len || *path == '.' || len >= RELAY_NAME_MAX)
			return false;
		path += len;
		path += *path == '/';
	}
	return true;
}

/* A field of @bytes with a text that ends within; NULL = with none, or a longer one. */
static const char *text_field(struct cursor *cur, size_t bytes, size_t limit)
{
	const char *text = cursor_bytes(cur, bytes);

	return text && memchr(text, 0, bytes < limit ? bytes : limit) ? text : NULL;
}

static int create_session_old(struct cursor *cur, struct ingest_command *c)
{
	c->name = text_field(cur, RELAY_OLD_NAME_BYTES, RELAY_NAME_MAX);
	c->host = text_field(cur, RELAY_OLD_HOST_BYTES, RELAY_NAME_MAX);
	c->path = "";
	c->live_timer_us = cursor_be32(cur);
	cursor_skip(cur, 4); /* snapshot */
	if (!c->name || !c->host)
		return -EBADMSG;
	return is_name(c->name) && is_name(c->host) ? 0 : -EACCES;
}

static int create_session(struct cursor *cur, uint32_t minor, struct ingest_command *c)
{
	uint32_t name = cursor_be32(cur), host = cursor_be32(cur), path = cursor_be32(cur);
	uint32_t format = RELAY_CTF_1_8;
	const void *uuid;

	c->live_timer_us = cursor_be32(cur);
	c->is_snapshot = cursor_u8(cur);
	c->named_by_time = cursor_u8(cur);
	uuid = cursor_bytes(cur, sizeof(c->uuid));
	if (uuid)
		memcpy(c->uuid, uuid, sizeof(c->uuid));
	c->id = cursor_be64(cur);
	c->time_s = cursor_be64(cur);
	c->has_chunk = cursor_u8(cur);
	c->chunk = cursor_be64(cur);
	if (minor >= RELAY_MINOR_FORMAT)
		format = cursor_be32(cur);
	c->is_ctf2 = format == RELAY_CTF_2;
	c->name = text(cur, name, RELAY_NAME_MAX);
	c->host = text(cur, host, RELAY_NAME_MAX);
	c->path = text(cur, path, RELAY_PATH_MAX);
	if (!c->name || !c->host || !c->path || (format != RELAY_CTF_1_8 && !c->is_ctf2))
		return -EBADMSG;
	return is_name(c->name) && is_name(c->host) && is_path(c->path) ? 0 : -EACCES;
}

static int add_stream(struct cursor *cur, struct ingest_command *c)
{
	uint32_t name = cursor_be32(cur), path = cursor_be32(cur);

	c->file_bytes = cursor_be64(cur);
	c->file_count = cursor_be64(cur);
	c->chunk = cursor_be64(cur);
	c->name = text(cur, name, RELAY_NAME_MAX);
	c->path = text(cur, path, RELAY_PATH_MAX);
	if (!c->name || !c->path)
		return -EBADMSG;
	return is_name(c->name) && is_path(c->path) ? 0 : -EACCES;
}

static int add_stream_old(struct cursor *cur, struct ingest_command *c)
{
	c->name = text_field(cur, RELAY_OLD_CHANNEL_BYTES, RELAY_NAME_MAX);
	c->path = text_field(cur, RELAY_OLD_PATH_BYTES, RELAY_PATH_MAX);
	c->file_bytes = cursor_be64(cur);
	c->file_count = cursor_be64(cur);
	if (!c->name || !c->path)
		return -EBADMSG;
	c->path += strspn(c->path, "/");
	return is_name(c->name) && is_path(c->path) ? 0 : -EACCES;
}

static int send_metadata(struct cursor *cur, struct ingest_command *c)
{
	c->id = cursor_be64(cur);
	c->padding = cursor_be32(cur);
	c->len = cursor_left(cur);
	c->bytes = cursor_bytes(cur, c->len);
	return c->padding > RELAY_COMMAND_MAX ? -EBADMSG : 0;
}

static int send_index(struct cursor *cur, uint32_t minor, struct ingest_command *c)
{
	c->id = cursor_be64(cur);
	c->index.number = cursor_be64(cur);
	c->index.packet_bits = cursor_be64(cur);
	c->index.content_bits = cursor_be64(cur);
	c->index.begin = cursor_be64(cur);
	c->index.end = cursor_be64(cur);
	c->index.discarded = cursor_be64(cur);
	c->index.class_id = cursor_be64(cur);
	if (minor >= RELAY_MINOR_SEQUENCE) {
		c->index.instance = cursor_be64(cur);
		c->index.sequence = cursor_be64(cur);
	}
	return c->index.content_bits > c->index.packet_bits || c->index.packet_bits % 8 ||
			       c->index.packet_bits / 8 > RELAY_PACKET_MAX ?
		       -EBADMSG :
		       0;
}

/* Between the flag and the chunk lies what the sender's compiler has put there. */
static int rotate_streams(struct cursor *cur, struct ingest_command *c)
{
	size_t len = cur->len, padding;

	c->count = cursor_be32(cur);
	if (c->count > RELAY_COMMAND_MAX / ROTATION_BYTES ||
	    len < ROTATION_HEAD_BYTES + (size_t)c->count * ROTATION_BYTES)
		return -EBADMSG;
	padding = len - ROTATION_HEAD_BYTES - (size_t)c->count * ROTATION_BYTES;
	if (padding != 0 && padding != 3 && padding != 7)
		return -EBADMSG;
	c->has_chunk = cursor_u8(cur);
	cursor_skip(cur, padding);
	c->chunk = cursor_be64(cur);
	c->bytes = cursor_bytes(cur, (size_t)c->count * ROTATION_BYTES);
	return 0;
}

void ingest_rotation_get(const struct ingest_command *command, uint32_t i, uint64_t *stream,
			 uint64_t *sequence)
{
	struct cursor cur;

	cursor_init(&cur, command->bytes, (size_t)command->count * ROTATION_BYTES);
	cursor_skip(&cur, (size_t)i * ROTATION_BYTES);
	*stream = cursor_be64(&cur);
	*sequence = cursor_be64(&cur);
}

static int create_chunk(struct cursor *cur, struct ingest_command *c)
{
	uint32_t len;

	c->id = cursor_be64(cur);
	c->time_s = cursor_be64(cur);
	len = cursor_be32(cur);
	c->name = len ? text(cur, len, RELAY_NAME_MAX) : "";
	if (!c->name)
		return -EBADMSG;
	return !*c->name || is_name(c->name) ? 0 : -EACCES;
}

static int close_chunk(struct cursor *cur, struct ingest_command *c)
{
	c->id = cursor_be64(cur);
	c->time_s = cursor_be64(cur);
	c->has_close = cursor_u8(cur);
	c->close = cursor_be32(cur);
	return c->has_close && c->close > RELAY_CHUNK_DELETE ? -EBADMSG : 0;
}

static int two_numbers(struct cursor *cur, struct ingest_command *c)
{
	c->id = cursor_be64(cur);
	c->number = cursor_be64(cur);
	return 0;
}

static int unpack(struct cursor *cur, uint32_t minor, struct ingest_command *c)
{
	bool old = minor < RELAY_MINOR_CHUNKS;

	switch (c->command) {
	case RELAY_VERSION:
		c->major = cursor_be32(cur);
		c->minor = cursor_be32(cur);
		return 0;
	case RELAY_CREATE_SESSION:
		return old ? create_session_old(cur, c) : create_session(cur, minor, c);
	case RELAY_ADD_STREAM:
		return old ? add_stream_old(cur, c) : add_stream(cur, c);
	case RELAY_SEND_METADATA:
		return send_metadata(cur, c);
	case RELAY_SEND_INDEX:
		return send_index(cur, minor, c);
	case RELAY_CLOSE_STREAM:
	case RELAY_DATA_PENDING:
	case RELAY_RESET_METADATA:
		return two_numbers(cur, c);
	case RELAY_QUIESCENT_CONTROL:
	case RELAY_BEGIN_DATA_PENDING:
	case RELAY_END_DATA_PENDING:
	case RELAY_TRACE_CHUNK_EXISTS:
	case RELAY_GET_CONFIGURATION:
		c->id = cursor_be64(cur);
		return 0;
	case RELAY_STREAMS_SENT:
	case RELAY_START_DATA:
		return 0;
	case RELAY_ROTATE_STREAMS:
		return rotate_streams(cur, c);
	case RELAY_CREATE_TRACE_CHUNK:
		return create_chunk(cur, c);
	case RELAY_CLOSE_TRACE_CHUNK:
		return close_chunk(cur, c);
	default:
		return -ENOTSUP;
	}
}

int ingest_command_unpack(uint32_t command, uint32_t minor, const void *bytes, size_t len,
			  struct ingest_command *ret)
{
	struct cursor cur;
	int err;

	*ret = (struct ingest_command){.command = command};
	cursor_init(&cur, bytes, len);
	err = unpack(&cur, minor, ret);
	if ((!err || err == -EACCES) && (cur.short_read || cursor_left(&cur)))
		err = -EBADMSG;
	return err;
}
