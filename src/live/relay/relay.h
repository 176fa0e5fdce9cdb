/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay: publishes sessions to viewers by LTTng's live protocol: listens, and serves all connections from
 * one event loop, in the thread that calls relay_run. Whoever provides sessions does so in that thread, by
 * events of the same loop; relay_stop and relay_finish may come from any.
 */
#ifndef SONDE_LIVE_RELAY_RELAY_H
#define SONDE_LIVE_RELAY_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "live/access/relay_address.h"
#include "live/session/relay_log.h"

struct diag;
struct event_base;
struct file_pool;
struct relay;
struct rights;
struct session_list;

#define RELAY_CONNECTIONS 1024u
#define RELAY_PATIENCE_NS 30000000000ull /* with half a request, and with a stalled viewer */
#define RELAY_FINISH_NS 5000000000ull /* at the end, with a viewer that takes nothing */

struct relay_config {
	unsigned int connections; /* at most; 0 = RELAY_CONNECTIONS */
	uint64_t patience_ns; /* 0 = RELAY_PATIENCE_NS */
	const struct rights *rights; /* asked of viewers; borrowed; NULL = nothing is */
	/* A sentence for the operator. May be NULL. */
	void (*log)(void *ctx, const char *text);
	void *ctx;
	struct relay_log clients; /* what viewers do */
};

/* Viewers, now and ever. */
struct relay_totals {
	unsigned int viewers;
	unsigned int viewers_most;
	uint64_t refused; /* there were as many already */
	uint64_t turned_away; /* they did what they should not */
};

/* -ENOMEM, or why the event loop cannot be made. */
int relay_new(const struct relay_config *config, struct relay **ret, struct diag *diag);
/* NULL is fine. Not while it runs. */
void relay_free(struct relay *relay);

/* One more address to listen at, after relay_start: ADDR, ADDR:PORT, [ADDR6]:PORT, :PORT; NULL or "" = the loopback and
 * LIVE_PORT; port 0 = any. -EACCES: others could reach it, no rights are asked of them, and @insecure does not say that
 * they may. */
int relay_listen(struct relay *relay, const char *address, bool insecure, struct diag *diag);
/* The same for a socket that listens already; takes it. */
int relay_listen_fd(struct relay *relay, int fd, struct diag *diag);
/* Listens at these addresses, when all that its clients may ask for is there. 0, or -errno with the diag. */
int relay_start(struct relay *relay, struct diag *diag);
/* Of the first of these; 0 = it has none. */
uint16_t relay_port(const struct relay *relay);

struct event_base *relay_base(struct relay *relay);
struct session_list *relay_sessions(struct relay *relay);
/* For files that it shows, which give way to its viewers. */
struct file_pool *relay_files(struct relay *relay);
unsigned int relay_connections(const struct relay *relay);
/* Address @i where it listens: false = no more. */
bool relay_address(const struct relay *relay, unsigned int i, char text[RELAY_ADDRESS_BYTES]);
/* Viewers wait to be accepted: no file descriptor is left, or no memory. */
bool relay_is_paused(const struct relay *relay);
void relay_totals(const struct relay *relay, struct relay_totals *ret);

/* Serves until it is to stop. 0 or -errno. */
int relay_run(struct relay *relay);
/* Stops when all requested data is sent to the viewers that read it; the second time, at once. */
void relay_stop(struct relay *relay);
/* Stops once all attached viewers have seen the ends of their sessions and detached, or make no progress. */
void relay_finish(struct relay *relay);

#endif /* SONDE_LIVE_RELAY_RELAY_H */
