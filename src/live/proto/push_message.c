// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/push_message.h"

#include <string.h>

#include "base/buffer.h"
#include "wire/lttng_relay.h"

/* A packet of metadata: its head, then the text. */
#define METADATA_MAGIC 0x75D11D57u
#define METADATA_HEAD_BYTES 37u
#define METADATA_TEXT_MAX (8u << 20) /* more than there ever is: a viewer may ask in between */

static void head(struct buffer *out, enum relay_command command, uint64_t len)
{
	buffer_be64(out, 0);
	buffer_be64(out, len);
	buffer_be32(out, command);
	buffer_be32(out, 0);
}

static uint32_t text_bytes(const char *text)
{
	return (uint32_t)strlen(text) + 1;
}

static void text(struct buffer *out, const char *text)
{
	buffer_append(out, text, text_bytes(text));
}

void push_message_version(struct buffer *out)
{
	head(out, RELAY_VERSION, 8);
	buffer_be32(out, RELAY_MAJOR);
	buffer_be32(out, RELAY_PUSH_MINOR);
}

void push_message_create(struct buffer *out, const struct push_create *create)
{
	uint32_t name = text_bytes(create->name), host = text_bytes(create->host);

	head(out, RELAY_CREATE_SESSION, RELAY_CREATE_BYTES + name + host + 1);
	buffer_be32(out, name);
	buffer_be32(out, host);
	buffer_be32(out, 1); /* no base path */
	buffer_be32(out, create->live_timer_us);
	buffer_char(out, 0); /* no snapshot */
	buffer_char(out, 0); /* the relay puts the time behind the name */
	buffer_append(out, create->uuid, sizeof(create->uuid));
	buffer_be64(out, create->number);
	buffer_be64(out, create->created_s);
	buffer_char(out, 0); /* no chunk yet */
	buffer_be64(out, 0);
	text(out, create->name);
	text(out, create->host);
	text(out, "");
}

void push_message_create_chunk(struct buffer *out, uint64_t created_s)
{
	head(out, RELAY_CREATE_TRACE_CHUNK, 20);
	buffer_be64(out, 0);
	buffer_be64(out, created_s);
	buffer_be32(out, 0);
}

void push_message_add_stream(struct buffer *out, const char *path, const char *channel)
{
	uint32_t channel_len = text_bytes(channel), path_len = text_bytes(path);

	head(out, RELAY_ADD_STREAM, RELAY_STREAM_BYTES + channel_len + path_len);
	buffer_be32(out, channel_len);
	buffer_be32(out, path_len);
	buffer_be64(out, 0); /* files as long as they get, */
	buffer_be64(out, 0); /* and one of them */
	buffer_be64(out, 0);
	text(out, channel);
	text(out, path);
}

void push_message_streams_sent(struct buffer *out)
{
	head(out, RELAY_STREAMS_SENT, 0);
}

static void host32(struct buffer *out, uint32_t value)
{
	buffer_append(out, &value, sizeof(value));
}

static void metadata_packet(struct buffer *out, const uint8_t uuid[16], const char *text,
			    size_t len)
{
	const uint8_t schemes[] = {0, 0, 0, 1,
				   8}; /* nothing compressed, crypted, summed; CTF 1.8 */
	uint32_t bits = (uint32_t)(METADATA_HEAD_BYTES + len) * 8;

	host32(out, METADATA_MAGIC);
	buffer_append(out, uuid, 16);
	host32(out, 0);
	host32(out, bits);
	host32(out, bits);
	buffer_append(out, schemes, sizeof(schemes));
	buffer_append(out, text, len);
}

void push_message_metadata(struct buffer *out, uint64_t stream, const uint8_t uuid[16],
			   const char *text, size_t len)
{
	while (len) {
		size_t part = len < METADATA_TEXT_MAX ? len : METADATA_TEXT_MAX;

		head(out, RELAY_SEND_METADATA, RELAY_METADATA_BYTES + METADATA_HEAD_BYTES + part);
		buffer_be64(out, stream);
		buffer_be32(out, 0);
		metadata_packet(out, uuid, text, part);
		text += part;
		len -= part;
	}
}

void push_message_index(struct buffer *out, const struct push_index *index)
{
	head(out, RELAY_SEND_INDEX, RELAY_INDEX_BYTES);
	buffer_be64(out, index->stream);
	buffer_be64(out, index->number);
	buffer_be64(out, index->packet_bits);
	buffer_be64(out, index->content_bits);
	buffer_be64(out, index->begin);
	buffer_be64(out, index->end);
	buffer_be64(out, index->discarded);
	buffer_be64(out, index->class_id);
	buffer_be64(out, index->instance);
	buffer_be64(out, index->sequence);
}

static void stream_and_last(struct buffer *out, enum relay_command command, uint64_t stream,
			    uint64_t last)
{
	head(out, command, 16);
	buffer_be64(out, stream);
	buffer_be64(out, last);
}

void push_message_pending(struct buffer *out, uint64_t stream, uint64_t last)
{
	stream_and_last(out, RELAY_DATA_PENDING, stream, last);
}

void push_message_close_stream(struct buffer *out, uint64_t stream, uint64_t last)
{
	stream_and_last(out, RELAY_CLOSE_STREAM, stream, last);
}

void push_message_data(struct buffer *out, uint64_t stream, uint64_t number, uint32_t len,
		       uint32_t padding)
{
	buffer_be64(out, 0);
	buffer_be64(out, stream);
	buffer_be64(out, number);
	buffer_be32(out, len);
	buffer_be32(out, padding);
}
