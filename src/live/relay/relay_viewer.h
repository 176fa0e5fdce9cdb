/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_viewer: one connection of a relay: takes requests as they come, split or many at once, and answers
 * each in order. It belongs to the relay's event loop, and never waits: data that cannot be sent
 * yet is bounded, and no further request is taken during that time.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_VIEWER_H
#define SONDE_LIVE_RELAY_RELAY_VIEWER_H

#include <stdbool.h>
#include <stdint.h>

#include "live/access/relay_address.h"

struct bufferevent;
struct relay_peer;
struct conduit;
struct relay_viewer;
struct session_list;

struct relay_viewer_owner {
	/* The connection has ended, for @why (NULL: the viewer has gone): the owner frees it. */
	void (*closed)(void *ctx, struct relay_viewer *viewer, const char *why);
	void *ctx;
};

/* Takes @link, a plain or TLS connection; on failure too. @sessions and @conduit (NULL: packets are
 * copied) are borrowed. NULL = no memory. @id: the viewer's number, which it gets in the reply. */
struct relay_viewer *relay_viewer_new(struct bufferevent *link, struct session_list *sessions,
				      struct conduit *conduit, const struct relay_peer *peer,
				      const struct relay_viewer_owner *owner, uint64_t id);
void relay_viewer_free(struct relay_viewer *viewer);

/* Where it comes from. */
void relay_viewer_address(const struct relay_viewer *viewer, char text[RELAY_ADDRESS_BYTES]);

/* It takes no more requests, and is at its end, for @why, when what it has answered is sent. false = all is:
 * it may be freed. */
bool relay_viewer_leave(struct relay_viewer *viewer, const char *why);
/* To be asked now and then, at @now_ns (CLOCK_MONOTONIC). NULL, or why it should go: for @patience_ns it has
 * left a request in the middle, or taken nothing of what it asked for. */
const char *relay_viewer_stuck(struct relay_viewer *viewer, uint64_t now_ns, uint64_t patience_ns);
/* Whether it has yet to see the end of a session and to detach, or to be sent what it asked for, and got something of it
 * since @since_ns. */
bool relay_viewer_is_behind(const struct relay_viewer *viewer, uint64_t since_ns);

#endif /* SONDE_LIVE_RELAY_RELAY_VIEWER_H */
