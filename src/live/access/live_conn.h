/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_conn: a connection to a relay: bytes there and back, without ever waiting but in live_conn_wait.
 *
 * What carries the bytes is a table of functions, so that the same client speaks over TCP and, in
 * tests, over memory.
 */
#ifndef SONDE_LIVE_ACCESS_LIVE_CONN_H
#define SONDE_LIVE_ACCESS_LIVE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct credentials;
struct diag;
struct live_conn;
struct live_url;

#define LIVE_CONNECT_NS 5000000000ull /* to wait for a connection */

struct live_conn_ops {
	/* Up to @len bytes: their count, 0 = the other end has closed, -EAGAIN = none now, -errno. */
	ssize_t (*read)(struct live_conn *conn, void *bytes, size_t len);
	/* The count of those taken, -EAGAIN = none now, or -errno. */
	ssize_t (*write)(struct live_conn *conn, const void *bytes, size_t len);
	/* Until there is something to read or, where @write, room to write: 1, 0 = not within
	 * @timeout_ns, -EINTR = a signal came, or -errno. */
	int (*wait)(struct live_conn *conn, bool write, uint64_t timeout_ns);
	/* Why the last call failed, for people, where that is more than its errno; else NULL. The
	 * function may be NULL as well. */
	const char *(*reason)(const struct live_conn *conn);
	void (*close)(struct live_conn *conn);
};

struct live_conn {
	const struct live_conn_ops *ops;
};

/* Connects to the relay of @url, to each of its addresses in turn, @timeout_ns for each, and as much to
 * show @credentials (NULL = none). 0, -EINTR, as client_link_open, or -errno; with the diag. The caller
 * closes by ops. */
int live_conn_open(const struct live_url *url, const struct credentials *credentials,
		   uint64_t timeout_ns, struct live_conn **ret, struct diag *diag);

#endif /* SONDE_LIVE_ACCESS_LIVE_CONN_H */
