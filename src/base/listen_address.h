/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listen_address: where to listen, as people write it: ADDR:PORT, or one of both: PORT and :PORT are at 127.0.0.1
 * alone, *:PORT at all addresses of IPv4. An IPv6 address stands in brackets where a port follows.
 */
#ifndef SONDE_BASE_LISTEN_ADDRESS_H
#define SONDE_BASE_LISTEN_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct diag;

#define LISTEN_PORT_NEEDED (-1)

struct listen_address {
	struct sockaddr_storage at;
	socklen_t len;
};

/* @text: NULL is "". @family: AF_INET, or AF_UNSPEC for IPv6 as well. @otherwise: the port where @text has none, or
 * LISTEN_PORT_NEEDED. Port 0 is one. -EINVAL with the diag. */
int listen_address_parse(const char *text, int family, int otherwise, struct listen_address *ret,
			 struct diag *diag);
/* Whether only this machine can reach it. */
bool listen_address_is_loopback(const struct sockaddr *address);
/* A TCP socket that listens there, and does not block; the caller closes *@ret. @backlog 0: it is bound, and does not
 * listen yet. -errno. */
int listen_address_open(const struct listen_address *address, int backlog, int *ret);

#endif /* SONDE_BASE_LISTEN_ADDRESS_H */
