/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_packets: a connection that brings data.
 *
 * ingest_input reads it, in pieces as large as there are: a plain one straight from its socket, into a block that all of
 * one event loop share, as nothing stays in it; one with something between (TLS) as its bufferevent has it. Each has its
 * turn: at most a block at once.
 *
 * ingest_packets has what comes there: packets of any streams, a head before each. It takes them in pieces, however these
 * are cut, and passes the parts of packets on without copying, so that long pieces are written as such. It keeps the
 * beginning of an incomplete head, and nothing of packets. It knows nothing of sockets.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_PACKETS_H
#define SONDE_LIVE_INGEST_INGEST_PACKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "live/proto/ingest_message.h"

struct bufferevent;
struct ingest_input;
struct ingest_place;

#define INGEST_PATIENCE_S 30 /* with a peer that stops within a message, or does not read */
#define INGEST_BLOCK_BYTES (1u << 20)

struct ingest_input_owner {
	/* What has come, borrowed for the call. How many bytes are missing of the message that has begun, 0 = none
	 * has; or -errno, which ends it. */
	ssize_t (*came)(void *ctx, const uint8_t *bytes, size_t len);
	/* Nothing more comes: 0, the peer or the network ended it; -ETIMEDOUT; or what `came` said. Who
	 * gets this frees it. */
	void (*ended)(void *ctx, int err);
	void *ctx;
};

/* Takes @link, on failure too; borrows @block, of INGEST_BLOCK_BYTES. NULL = no memory. Nothing is called before this
 * returns. */
struct ingest_input *ingest_input_new(struct bufferevent *link, uint8_t *block,
				      const struct ingest_input_owner *owner);
/* NULL is fine. */
void ingest_input_free(struct ingest_input *input);

struct ingest_packets {
	struct ingest_place *place; /* borrowed, as: */
	const char *peer; /* their sender, as admission has named it */
	uint8_t head[RELAY_DATA_HEAD_BYTES]; /* of the next packet, */
	size_t head_len; /* as far as it has come */
	struct ingest_data packet; /* that has begun */
	uint32_t left; /* bytes of it that are still to come; 0 = none has begun */
};

/* All of it is taken. How many bytes are missing of the head or packet that has begun, 0 = none has; or -errno: the
 * connection is of no use any more. */
ssize_t ingest_packets_take(struct ingest_packets *packets, const uint8_t *bytes, size_t len);
/* Nothing more comes: a packet that is not complete is taken back. */
void ingest_packets_end(struct ingest_packets *packets);

#endif /* SONDE_LIVE_INGEST_INGEST_PACKETS_H */
