// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_reply.h"

#include <endian.h>
#include <string.h>

#include "base/buffer.h"
#include "live/session/session.h"

void relay_reply_u32(struct buffer *out, uint32_t value)
{
	value = htobe32(value);
	buffer_append(out, &value, sizeof(value));
}

static void append_u64(struct buffer *out, uint64_t value)
{
	value = htobe64(value);
	buffer_append(out, &value, sizeof(value));
}

/* Padded with NULs, of which there is one at least. */
static void append_text(struct buffer *out, const char *text, size_t room)
{
	size_t len = strnlen(text, room - 1);

	buffer_append(out, text, len);
	buffer_pad(out, 0, room - len);
}

void relay_reply_connect(struct buffer *out, uint64_t viewer)
{
	append_u64(out, viewer);
	relay_reply_u32(out, LIVE_MAJOR);
	relay_reply_u32(out, LIVE_MINOR);
	relay_reply_u32(out, 0); /* as lttng-relayd has it */
}

void relay_reply_session(struct buffer *out, const struct session *session, uint32_t minor)
{
	append_u64(out, session->id);
	relay_reply_u32(out, session->live_timer_us);
	relay_reply_u32(out, session->viewers);
	relay_reply_u32(out, session_stream_total(session));
	if (minor < LIVE_MINOR_LIST_2_15) {
		append_text(out, session->host, LIVE_HOST_BYTES);
		append_text(out, session->name, LIVE_NAME_BYTES);
		return;
	}
	relay_reply_u32(out, (uint32_t)strlen(session->host));
	relay_reply_u32(out, (uint32_t)strlen(session->name));
	relay_reply_u32(out, session_is_ctf2(session) ? LIVE_CTF_2 : LIVE_CTF_1_8);
	buffer_string(out, session->host);
	buffer_string(out, session->name);
}

void relay_reply_streams(struct buffer *out, uint32_t status, uint32_t count)
{
	relay_reply_u32(out, status);
	relay_reply_u32(out, count);
}

void relay_reply_stream(struct buffer *out, uint64_t id, uint64_t trace_id, bool is_metadata,
			const char *path, const char *channel)
{
	append_u64(out, id);
	append_u64(out, trace_id);
	relay_reply_u32(out, is_metadata);
	append_text(out, path, LIVE_PATH_BYTES);
	append_text(out, channel, LIVE_NAME_BYTES);
}

void relay_reply_index(struct buffer *out, const struct session_packet *packet,
		       enum live_index status, uint32_t flags)
{
	static const struct session_packet zeros;

	packet = packet ?: &zeros;
	append_u64(out, packet->offset);
	append_u64(out, packet->packet_bits);
	append_u64(out, packet->content_bits);
	append_u64(out, packet->begin);
	append_u64(out, packet->end);
	append_u64(out, packet->discarded);
	append_u64(out, packet->class_id);
	relay_reply_u32(out, status);
	relay_reply_u32(out, flags);
}

void relay_reply_packet(struct buffer *out, uint32_t len)
{
	relay_reply_u32(out, LIVE_PACKET_OK); /* anything else ends some viewers */
	relay_reply_u32(out, len);
	relay_reply_u32(out, 0);
}

void relay_reply_metadata(struct buffer *out, enum live_metadata status, uint64_t len)
{
	append_u64(out, len);
	relay_reply_u32(out, status);
}
