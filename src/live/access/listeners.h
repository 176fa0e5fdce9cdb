/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listeners: the sockets at which a server accepts connections, in its event loop. relay and ingest have one each.
 *
 * Where no file descriptor is left for a connection, and no file gives way to it, it waits in the backlog, and so does the
 * server: it accepts again after LISTENERS_PAUSE_US. Without the pause the event loop would do nothing but fail to accept.
 */
#ifndef SONDE_LIVE_ACCESS_LISTENERS_H
#define SONDE_LIVE_ACCESS_LISTENERS_H

#include <stdbool.h>
#include <stdint.h>

#include "live/access/relay_address.h"

struct diag;
struct event_base;
struct file_pool;
struct listeners;

#define LISTENERS_PAUSE_US 100000

/* A connection, which does not block; the callee closes it. */
typedef void (*listeners_accepted)(void *ctx, int fd);

/* @files, borrowed: what gives way to connections; NULL = nothing. NULL = no memory. */
struct listeners *listeners_new(struct event_base *base, struct file_pool *files);
/* Closes the sockets. NULL is fine. */
void listeners_free(struct listeners *listeners);
/* Takes @fd, a socket that is bound, or listens already; nothing is accepted before listeners_start. -E2BIG: there are
 * RELAY_LISTENERS_MAX; -errno. */
int listeners_add(struct listeners *listeners, int fd, listeners_accepted accepted, void *ctx);
/* Listens, and accepts connections from here on. 0, or -errno with the diag. */
int listeners_start(struct listeners *listeners, struct diag *diag);
/* Connections wait for a file descriptor or for memory. */
bool listeners_are_paused(const struct listeners *listeners);
/* No connection is accepted from here on. */
void listeners_stop(struct listeners *listeners);
/* The socket of the @i-th that was added, or -1. */
int listeners_fd(const struct listeners *listeners, unsigned int i);

#endif /* SONDE_LIVE_ACCESS_LISTENERS_H */
