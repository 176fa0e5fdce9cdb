/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_message: what a consumer or session daemon says to a relay (wire/lttng_relay.h), taken apart.
 * Nothing in here is acted upon: a command that was unpacked is well-formed, and its names can be names of
 * files. All numbers are in host order.
 */
#ifndef SONDE_LIVE_PROTO_INGEST_MESSAGE_H
#define SONDE_LIVE_PROTO_INGEST_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/lttng_relay.h"

struct ingest_head {
	uint32_t command;
	uint32_t len; /* of what follows */
};

struct ingest_data {
	uint64_t stream;
	uint64_t number; /* of the packet */
	uint32_t len;
	uint32_t padding;
};

/* Of a packet; packet_bits = 0: a beacon, of which `end` and `class_id` are valid. */
struct ingest_index {
	uint64_t number;
	uint64_t packet_bits;
	uint64_t content_bits;
	uint64_t begin;
	uint64_t end;
	uint64_t discarded;
	uint64_t class_id;
	uint64_t instance;
	uint64_t sequence;
};

/* Which members count depends on the command. Texts and bytes are borrowed from the message. */
struct ingest_command {
	uint32_t command;
	uint64_t id; /* stream, session or chunk */
	uint64_t number; /* last packet; version of metadata */
	uint64_t time_s; /* a session or chunk is created or closed; 0 = not given */
	uint32_t major;
	uint32_t minor;
	const char *name; /* of a session, a channel or a chunk */
	const char *host;
	const char *path; /* of a stream, within its session; base path of a session */
	uint32_t live_timer_us;
	uint8_t uuid[16];
	bool named_by_time; /* the name has the time in it */
	bool is_snapshot; /* one of several of a session, each of which comes as a session */
	bool is_ctf2; /* the format of the session's traces; else CTF 1.8 */
	uint64_t file_bytes; /* how long a stream's files are to get; 0 = as long as it takes */
	uint64_t file_count; /* how many of them are kept; 0 = all */
	bool has_chunk;
	uint64_t chunk;
	bool has_close;
	uint32_t close; /* enum relay_chunk_command */
	uint32_t padding;
	const void *bytes;
	size_t len;
	struct ingest_index index;
	uint32_t count; /* of streams to rotate: ingest_rotation_get */
};

/* 0, or -E2BIG: more than RELAY_COMMAND_MAX. */
int ingest_head_unpack(const uint8_t bytes[RELAY_HEAD_BYTES], struct ingest_head *ret);
/* 0, or -E2BIG: more than RELAY_PACKET_MAX. */
int ingest_data_unpack(const uint8_t bytes[RELAY_DATA_HEAD_BYTES], struct ingest_data *ret);
/*
 * Parses the whole body after the head, in protocol 2.@minor (before one is agreed on: anything).
 * -EBADMSG: malformed; -ENOTSUP: unknown command; -EACCES: a name or path would lead elsewhere,
 * but the message is well-formed.
 */
int ingest_command_unpack(uint32_t command, uint32_t minor, const void *bytes, size_t len,
			  struct ingest_command *ret);
/* Stream @i of ROTATE_STREAMS, and the sequence number of the first packet that goes to the new chunk. */
void ingest_rotation_get(const struct ingest_command *command, uint32_t i, uint64_t *stream,
			 uint64_t *sequence);

#endif /* SONDE_LIVE_PROTO_INGEST_MESSAGE_H */
