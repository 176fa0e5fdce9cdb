/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_input: reads what a connection that carries much data brings, in pieces as large as there are. A plain one is
 * read straight from its socket, into a block that all of one event loop share, as nothing stays in it; one with
 * something between (TLS) as its bufferevent has it. Each has its turn: at most a block at once.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_INPUT_H
#define SONDE_LIVE_INGEST_INGEST_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bufferevent;
struct ingest_input;

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

#endif /* SONDE_LIVE_INGEST_INGEST_INPUT_H */
