/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_link: a TCP connection to a relay, whose thread may wait for it, but never for ever: who does not
 * take or give anything for LINK_STALL_NS has gone, and a word from another thread ends all waiting.
 */
#ifndef SONDE_LIVE_PUSH_LINK_H
#define SONDE_LIVE_PUSH_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/clock.h"

struct diag;

#define LINK_STALL_NS (30 * NS_PER_SEC)

struct push_link {
	int fd;
	int stop_fd; /* readable: no waiting any more; borrowed */
};

/* 0, or -errno with the diag; -ECANCELED: stopped. */
int push_link_open(const char *host, const char *port, int stop_fd, struct push_link *ret,
		   struct diag *diag);
/* Never open is fine, as fd = -1. */
void push_link_close(struct push_link *link);

/* All of the parts, which it changes. 0; -ETIMEDOUT, -ECANCELED, -errno. */
int push_link_send(struct push_link *link, struct iovec *parts, size_t count);
/* Exactly so many bytes. -ECONNRESET: it was closed. */
int push_link_receive(struct push_link *link, void *bytes, size_t len);
/* 0 after @ns, or -ECANCELED. */
int push_link_sleep(int stop_fd, uint64_t ns);

#endif /* SONDE_LIVE_PUSH_LINK_H */
