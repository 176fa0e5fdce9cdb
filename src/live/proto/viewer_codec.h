/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_codec: requests of a viewer as bytes, and replies to them as values (wire/lttng_live.h).
 *
 * A relay may lie in every field: what a reply says of its own length is held to limits before
 * anybody waits for so many bytes, and texts end where their field does.
 */
#ifndef SONDE_LIVE_PROTO_VIEWER_CODEC_H
#define SONDE_LIVE_PROTO_VIEWER_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/lttng_live.h"

struct buffer;
struct diag;

#define VIEWER_SESSIONS_MAX 16384u /* of one LIST */
#define VIEWER_STREAMS_MAX 8192u /* of one reply */
#define VIEWER_PIECE_BYTES (1u << 20) /* of a packet, asked for at once */
#define VIEWER_METADATA_REPLY_MAX (16u << 20)

/* What was asked, as far as the reply is read by it. */
struct viewer_request {
	enum live_command command;
	uint64_t handle; /* of the stream or session */
	uint64_t offset; /* PACKET: in bytes */
	uint32_t bytes; /* PACKET: at most VIEWER_PIECE_BYTES */
	uint32_t seek; /* ATTACH: enum live_seek */
	void *about; /* the asker's */
};

struct viewer_session {
	uint64_t id;
	uint32_t timer_us; /* 0 = not live */
	uint32_t clients;
	uint32_t streams; /* those of metadata among them */
	uint32_t format; /* enum live_format; before minor 15 always LIVE_CTF_1_8 */
	char host[LIVE_HOST_BYTES + 1];
	char name[LIVE_NAME_BYTES + 1];
};

struct viewer_stream_entry {
	uint64_t id;
	uint64_t trace;
	bool is_metadata;
	const char *path; /* borrowed from the reply, like the next; not terminated */
	size_t path_len;
	const char *channel;
	size_t channel_len;
};

struct viewer_index {
	uint32_t status; /* enum live_index */
	uint32_t flags;
	uint64_t offset; /* bytes */
	uint64_t packet_bits;
	uint64_t content_bits;
	uint64_t begin; /* cycles */
	uint64_t end;
	uint64_t discarded;
	uint64_t stream_class;
};

/* Of replies that are a status, a count or a length, and what these are of. */
struct viewer_head {
	uint32_t status;
	uint64_t count; /* entries or bytes that follow; 0 unless the status is OK */
	uint32_t flags; /* PACKET */
	const uint8_t *bytes; /* those; borrowed from the reply */
};

/* How many bytes a request of @command has. */
size_t viewer_request_bytes(enum live_command command);
/* Appends @request. */
void viewer_pack(struct buffer *out, const struct viewer_request *request);

/*
 * How long the reply to @request is of which @len bytes are there, between peers of which the lesser
 * speaks @minor: true: *@need is its length; false: more than *@need is not known from
 * so many bytes. -EBADMSG, -E2BIG with the diag: no reply can be so.
 */
int viewer_reply_length(const struct viewer_request *request, uint32_t minor, const uint8_t *data,
			size_t len, size_t *need, struct diag *diag);

/* Of whole replies: */
void viewer_unpack_connect(const uint8_t *data, uint32_t *major, uint32_t *minor, uint32_t *type);
void viewer_unpack_index(const uint8_t *data, struct viewer_index *ret);
/* CREATE, DETACH, ATTACH, NEW_STREAMS, LIST (no status), PACKET, METADATA. */
void viewer_unpack_head(enum live_command command, const uint8_t *data, struct viewer_head *ret);
/* The @i-th of ATTACH's and NEW_STREAMS' entries. */
void viewer_unpack_stream(const uint8_t *entries, size_t i, struct viewer_stream_entry *ret);
/* One entry of LIST; how many bytes it has. */
size_t viewer_unpack_session(const uint8_t *data, uint32_t minor, struct viewer_session *ret);

#endif /* SONDE_LIVE_PROTO_VIEWER_CODEC_H */
