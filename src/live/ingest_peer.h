/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ingest_peer: one connection of who streams to us, of control or of data: takes messages as they come, split or
 * many at once. It belongs to an event loop, and never waits: one that is silent, also within a message,
 * holds up nobody. What it makes us keep in memory is bounded.
 */
#ifndef SONDE_LIVE_INGEST_PEER_H
#define SONDE_LIVE_INGEST_PEER_H

#include <stdbool.h>

struct bufferevent;
struct ingest_peer;
struct ingest_place;
struct ingest_session;

struct ingest_peer_owner {
	/* Why it is turned away; `closed` follows, at once or when what is on its way has come. */
	void (*turned_away)(void *ctx, int err);
	/* It is at its end, and so is its session: who gets this frees it. */
	void (*closed)(void *ctx, struct ingest_peer *peer);
	void *ctx;
};

/* Takes @link, a connection whatever is between, which was let in under @name (admission.h); on failure too.
 * NULL = no memory. */
struct ingest_peer *ingest_peer_new(struct bufferevent *link, bool is_data, const char *name,
				    struct ingest_place *place,
				    const struct ingest_peer_owner *owner);
/* Nothing more of its session comes. NULL is fine. */
void ingest_peer_free(struct ingest_peer *peer);

/* Borrowed; NULL = it has none. */
const struct ingest_session *ingest_peer_session(const struct ingest_peer *peer);

#endif /* SONDE_LIVE_INGEST_PEER_H */
