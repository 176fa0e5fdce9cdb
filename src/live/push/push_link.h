/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_link: a connection to a relay, plain or under TLS, whose thread may wait for it, but never for ever: a peer that
 * takes or gives next to nothing for as long as there is patience has gone, and a word from another thread
 * ends all waiting.
 */
#ifndef SONDE_LIVE_PUSH_PUSH_LINK_H
#define SONDE_LIVE_PUSH_PUSH_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "live/access/client_link.h"

struct credentials;
struct diag;

/* Less than this within the patience time counts as nothing: a peer must not hold a sender by taking
 * a byte a second. */
#define LINK_PROGRESS_BYTES 16384u

/* What it borrows, it does until it is closed. */
struct push_link_config {
	const struct credentials *credentials; /* shown to the relay; NULL = none */
	int stop_fd; /* readable: no waiting any more; borrowed */
	uint64_t patience_ns; /* without progress */
};

struct push_link {
	struct client_link link;
	struct push_link_config config;
	uint64_t *sent; /* bytes the peer's side took, added up, for other threads to see; NULL = not
			 * counted */
};

/* 0, or -errno with the diag; -ECANCELED: stopped. */
int push_link_open(const char *host, const char *port, const struct push_link_config *config,
		   struct push_link *ret, struct diag *diag);
/* Never open is fine, as link.fd = -1. */
void push_link_close(struct push_link *link);

/* All of the parts, which it changes. 0; -ETIMEDOUT, -ECANCELED, -EACCES: it does not take our certificate,
 * -errno. */
int push_link_send(struct push_link *link, struct iovec *parts, size_t count);
/* Exactly so many bytes. -ECONNRESET: it was closed. */
int push_link_receive(struct push_link *link, void *bytes, size_t len);
/* 0 after @ns, or -ECANCELED. */
int push_link_sleep(int stop_fd, uint64_t ns);
/* Why the last call failed with @err, for people. Borrowed until the next. */
const char *push_link_reason(const struct push_link *link, int err);

#endif /* SONDE_LIVE_PUSH_PUSH_LINK_H */
