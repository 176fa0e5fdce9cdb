/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_reply: what viewers are answered, byte by byte (wire/lttng_live.h), appended to a buffer that is
 * then sent in one piece.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_REPLY_H
#define SONDE_LIVE_RELAY_RELAY_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/lttng_live.h"

struct buffer;
struct session;
struct session_packet;

/* A status alone, or the count in front of a list. */
void relay_reply_u32(struct buffer *out, uint32_t value);
void relay_reply_connect(struct buffer *out, uint64_t viewer);
/* One session of a list, in the layout of viewers that say @minor. */
void relay_reply_session(struct buffer *out, const struct session *session, uint32_t minor);
/* Of ATTACH and NEW_STREAMS: the head, and each stream. */
void relay_reply_streams(struct buffer *out, uint32_t status, uint32_t count);
void relay_reply_stream(struct buffer *out, uint64_t id, uint64_t trace_id, bool is_metadata,
			const char *path, const char *channel);
/* @packet: what its status needs; NULL = zeros. */
void relay_reply_index(struct buffer *out, const struct session_packet *packet,
		       enum live_index status, uint32_t flags);
/* Heads of what @len bytes follow. */
void relay_reply_packet(struct buffer *out, uint32_t len);
void relay_reply_metadata(struct buffer *out, enum live_metadata status, uint64_t len);

#endif /* SONDE_LIVE_RELAY_RELAY_REPLY_H */
