/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * client_link: a client's socket to a relay: plain or under TLS, as its credentials say.
 * It waits only in client_link_open, by its caller's function, and never raises SIGPIPE.
 */
#ifndef SONDE_LIVE_ACCESS_CLIENT_LINK_H
#define SONDE_LIVE_ACCESS_CLIENT_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <openssl/ssl.h>

struct credentials;
struct diag;

#define CLIENT_LINK_REASON_BYTES 256u

struct client_link {
	int fd;
	SSL *ssl; /* NULL = plain */
	bool is_open; /* hands were shaken */
	const char *hint; /* why the relay may close the connection without a word */
	bool heard; /* it has said something */
	short wants; /* what the last call was short of, for poll(2) */
	char reason[CLIENT_LINK_REASON_BYTES]; /* why the last call failed, where errno is not all; or "" */
};

/* Until @fd is ready for @events of poll(2): 0, or -errno: -ETIMEDOUT, -EINTR, ... */
typedef int (*client_link_wait)(void *ctx, int fd, short events);

/*
 * Takes @fd, connected to the relay that was called @host, and not blocking: shows @credentials (NULL = none),
 * and checks the relay's. 0; -EACCES: the certificate of one side is not good for the other;
 * -EPROTO: the peer does not speak TLS; or -errno; with the diag, and @fd is closed.
 */
int client_link_open(struct client_link *link, int fd, const struct credentials *credentials,
		     const char *host, client_link_wait wait, void *ctx, struct diag *diag);
/* Never open is fine, as fd = -1. */
void client_link_close(struct client_link *link);

/* Up to @len bytes: their count, 0 = the relay has closed, -EAGAIN = none now, -EACCES: the relay does not
 * take our certificate, -ECONNABORTED: that is not what the relay has sent, -errno. */
ssize_t client_link_read(struct client_link *link, void *bytes, size_t len);
/* The count of those taken, or as above. */
ssize_t client_link_write(struct client_link *link, const void *bytes, size_t len);
/* Of several pieces, in one call where it is plain: likewise. */
ssize_t client_link_write_parts(struct client_link *link, const struct iovec *parts, size_t count);
/* What to poll for before more can be read or, where @write, written. */
short client_link_events(const struct client_link *link, bool write);

#endif /* SONDE_LIVE_ACCESS_CLIENT_LINK_H */
