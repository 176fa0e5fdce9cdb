/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_message: the commands by which a recorder streams to a relay (wire/lttng_relay.h), appended to
 * what is to be sent. Texts are borrowed, and have no more than RELAY_NAME_MAX, RELAY_PATH_MAX.
 */
#ifndef SONDE_LIVE_PROTO_PUSH_MESSAGE_H
#define SONDE_LIVE_PROTO_PUSH_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

struct push_create {
	const char *name;
	const char *host;
	uint32_t live_timer_us;
	uint8_t uuid[16]; /* of the sender: with the number, it identifies a session */
	uint64_t number;
	uint64_t created_s;
};

/* As wire/lttng_relay.h has it. A beacon: packet_bits = 0. */
struct push_index {
	uint64_t stream;
	uint64_t number; /* of the packet, in this stream and session, from 0 on */
	uint64_t packet_bits;
	uint64_t content_bits;
	uint64_t begin;
	uint64_t end;
	uint64_t discarded;
	uint64_t class_id;
	uint64_t instance;
	uint64_t sequence;
};

void push_message_version(struct buffer *out);
void push_message_create(struct buffer *out, const struct push_create *create);
/* The chunk that all of a session is in; it has no name, and so no folder of its own. */
void push_message_create_chunk(struct buffer *out, uint64_t created_s);
void push_message_add_stream(struct buffer *out, const char *path, const char *channel);
void push_message_streams_sent(struct buffer *out);
/* The @text in packets of metadata (CTF 1.8.3, 7.1) of a trace that is in this host's byte order. */
void push_message_metadata(struct buffer *out, uint64_t stream, const uint8_t uuid[16],
			   const char *text, size_t len);
void push_message_index(struct buffer *out, const struct push_index *index);
void push_message_pending(struct buffer *out, uint64_t stream, uint64_t last);
void push_message_close_stream(struct buffer *out, uint64_t stream, uint64_t last);

/* What precedes a packet on the data connection. */
void push_message_data(struct buffer *out, uint64_t stream, uint64_t number, uint32_t len,
		       uint32_t padding);

#endif /* SONDE_LIVE_PROTO_PUSH_MESSAGE_H */
