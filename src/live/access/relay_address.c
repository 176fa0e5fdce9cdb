// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/relay_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/listen_address.h"

/* False: it cannot be said. */
static bool format(const struct sockaddr *address, socklen_t len, char text[RELAY_ADDRESS_BYTES])
{
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE], port[8];

	if (getnameinfo(address, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return false;
	(void)snprintf(text, RELAY_ADDRESS_BYTES,
		       address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
	return true;
}

bool relay_address_of_peer(int fd, char text[RELAY_ADDRESS_BYTES])
{
	struct sockaddr_storage address = {0};
	struct sockaddr *any = (struct sockaddr *)&address;
	socklen_t len = sizeof(address);

	if (getpeername(fd, any, &len) || !format(any, len, text)) {
		(void)snprintf(text, RELAY_ADDRESS_BYTES, "somebody");
		return false;
	}
	return listen_address_is_loopback(any);
}

void relay_address_key_of_peer(int fd, struct relay_address_key *ret)
{
	struct sockaddr_storage address = {0};
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address;
	socklen_t len = sizeof(address);

	*ret = (struct relay_address_key){0};
	if (getpeername(fd, (struct sockaddr *)&address, &len))
		return;
	if (address.ss_family == AF_INET)
		memcpy(ret->bytes + 12, &in->sin_addr, 4);
	else if (address.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		memcpy(ret->bytes + 12, in6->sin6_addr.s6_addr + 12, 4);
	else if (address.ss_family == AF_INET6)
		memcpy(ret->bytes, &in6->sin6_addr, 8);
}

int relay_address_bind(const char *address, uint16_t port, bool insecure, int *ret,
		       struct diag *diag)
{
	struct listen_address where;
	char text[RELAY_ADDRESS_BYTES];
	int err = listen_address_parse(address, AF_UNSPEC, port, &where, diag);

	if (err)
		return err;
	if (!insecure && !listen_address_is_loopback((const struct sockaddr *)&where.at))
		return diag_set(
			diag, -EACCES,
			"every host that reaches %s could read everything that is published: require certificates "
			"(--tls-cert, --tls-key, --tls-ca) or a token (--token), or give "
			"--insecure if that is what you want",
			address);
	err = listen_address_open(&where, 0, ret);
	if (!err)
		return 0;
	(void)format((const struct sockaddr *)&where.at, where.len, text);
	return diag_set(diag, err, "cannot listen at %s: %s", text, strerror(-err));
}

void relay_address_do_not_pace(int fd)
{
	static const char unpaced[] = "reno"; /* every kernel has it, and every user may use it */
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof(address);

	if (!getsockname(fd, (struct sockaddr *)&address, &len) &&
	    listen_address_is_loopback((const struct sockaddr *)&address))
		(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, unpaced, sizeof(unpaced) - 1);
}

uint16_t relay_address_port(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &len))
		return 0;
	if (address.ss_family == AF_INET)
		return ntohs(((struct sockaddr_in *)&address)->sin_port);
	return address.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&address)->sin6_port) :
					       0;
}

void relay_address_format(int fd, char text[RELAY_ADDRESS_BYTES])
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &len) ||
	    !format((struct sockaddr *)&address, len, text))
		(void)snprintf(text, RELAY_ADDRESS_BYTES, "?");
}
