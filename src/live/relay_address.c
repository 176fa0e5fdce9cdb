// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"

#define LOOPBACK "127.0.0.1"
#define BACKLOG 1024

/* Cuts "ADDR:PORT" into both, either of which may be missing; an IPv6 address alone has colons too. */
static int split(const char *text, char host[256], char port[16])
{
	const char *colon = strrchr(text, ':'), *end = text + strlen(text);
	const char *host_end = end;

	if (*text == '[') {
		host_end = strchr(text++, ']');
		if (!host_end || (host_end[1] && host_end[1] != ':'))
			return -EINVAL;
		colon = host_end[1] ? host_end + 1 : NULL;
	} else if (colon && strchr(text, ':') == colon) {
		host_end = colon;
	} else {
		colon = NULL;
	}
	if (host_end - text >= 256 || (colon && (!colon[1] || end - colon > 15)))
		return -EINVAL;
	snprintf(host, 256, "%.*s", (int)(host_end - text), text);
	if (colon)
		snprintf(port, 16, "%s", colon + 1);
	return 0;
}

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)address;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;

	if (address->sa_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	if (address->sa_family != AF_INET6)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return in6->sin6_addr.s6_addr[12] == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

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
	return is_loopback(any);
}

static int bind_to(const struct addrinfo *info, int *ret)
{
	int on = 1, err;
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, info->ai_addr, info->ai_addrlen) || listen(fd, BACKLOG)) {
		err = -errno;
		(void)fd_close(fd);
		return err;
	}
	*ret = fd;
	return 0;
}

int relay_address_listen(const char *address, uint16_t port, bool insecure, int *ret,
			 struct diag *diag)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	char host[256], port_text[16];
	struct addrinfo *found = NULL;
	int err;

	address = address ?: "";
	snprintf(port_text, sizeof(port_text), "%u", port);
	if (split(address, host, port_text))
		return diag_set(diag, -EINVAL, "'%s' is no address to listen at: ADDR:PORT",
				address);
	err = getaddrinfo(*host ? host : LOOPBACK, port_text, &hints, &found);
	if (err)
		return diag_set(diag, -EINVAL, "'%s' is no address to listen at: %s", address,
				gai_strerror(err));
	if (!insecure && !is_loopback(found->ai_addr)) {
		freeaddrinfo(found);
		return diag_set(
			diag, -EACCES,
			"whoever reaches %s could read all that is published: ask for certificates "
			"(--tls-cert, --tls-key, --tls-ca) or a token (--token), or give "
			"--insecure if that is what you want",
			address);
	}
	err = bind_to(found, ret);
	freeaddrinfo(found);
	return err ? diag_set(diag, err, "cannot listen at %s port %s: %s", *host ? host : LOOPBACK,
			      port_text, strerror(-err)) :
		     0;
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
