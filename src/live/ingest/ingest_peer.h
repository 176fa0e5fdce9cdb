/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_peer: one control or data connection of a streaming client: takes messages as they come, split or
 * many at once. It belongs to an event loop, and never waits: one that is silent, also within a message,
 * does not delay others. The memory that it can use is bounded.
 */
#ifndef SONDE_LIVE_INGEST_INGEST_PEER_H
#define SONDE_LIVE_INGEST_INGEST_PEER_H

#include <stdint.h>

struct bufferevent;
struct ingest_peer;
struct ingest_place;
struct ingest_session;

struct ingest_peer_owner {
	/* Why it is rejected; `closed` follows, at once or when data in transit has come. */
	void (*turned_away)(void *ctx, int err);
	/* It has ended, and so has its session: the owner frees it. */
	void (*closed)(void *ctx, struct ingest_peer *peer);
	void *ctx;
};

/* Takes @link, a plain or TLS connection, which was admitted under @name (admission.h); on failure too. @block: as
 * ingest_input_new has it, for data; NULL: for control. NULL = no memory. */
struct ingest_peer *ingest_peer_new(struct bufferevent *link, uint8_t *block, const char *name,
				    struct ingest_place *place,
				    const struct ingest_peer_owner *owner);
/* Nothing more of its session comes. NULL is fine. */
void ingest_peer_free(struct ingest_peer *peer);

/* Borrowed; NULL = it has none. */
const struct ingest_session *ingest_peer_session(const struct ingest_peer *peer);

#endif /* SONDE_LIVE_INGEST_INGEST_PEER_H */
