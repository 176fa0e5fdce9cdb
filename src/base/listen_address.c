// SPDX-License-Identifier: BSD-2-Clause
#include "base/listen_address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/io.h"

#define LOOPBACK "127.0.0.1"
#define EVERYWHERE "0.0.0.0"

/* What it is made of, either of which may be empty. */
struct parts {
	char host[256];
	char port[6];
};

static bool take(char *to, size_t room, const char *from, const char *end)
{
	const size_t len = (size_t)(end - from);

	if (len >= room)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* An IPv6 address alone has colons too; a number alone is a port. */
static bool split(const char *text, struct parts *parts)
{
	const char *end = text + strlen(text), *colon = strrchr(text, ':');
	const char *host = text, *host_end = end, *port = end;

	if (*text == '[') {
		host++;
		host_end = strchr(host, ']');
		if (!host_end || (host_end[1] && host_end[1] != ':'))
			return false;
		colon = host_end[1] ? host_end + 1 : NULL;
	} else if (is_number(text)) {
		host_end = port = text;
		colon = NULL;
	} else if (colon && strchr(text, ':') == colon) {
		host_end = colon;
	} else {
		colon = NULL;
	}
	if (colon)
		port = colon + 1;
	return !(colon && port == end) && take(parts->host, sizeof(parts->host), host, host_end) &&
	       take(parts->port, sizeof(parts->port), port, end);
}

static bool is_port(const char *text)
{
	return is_number(text) && strtoul(text, NULL, 10) <= UINT16_MAX;
}

int listen_address_parse(const char *text, int family, int otherwise, struct listen_address *ret,
			 struct diag *diag)
{
	const struct addrinfo hints = {
		.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	struct parts parts;
	int err;

	text = text ?: "";
	if (!split(text, &parts))
		return diag_set(diag, -EINVAL, "'%s' is not an address to listen at: ADDR:PORT",
				text);
	if (!*parts.port && otherwise != LISTEN_PORT_NEEDED)
		(void)snprintf(parts.port, sizeof(parts.port), "%d", otherwise);
	if (!is_port(parts.port))
		return diag_set(diag, -EINVAL,
				"'%s' has no port, which is 0 to 65535: give ADDR:PORT, *:PORT or "
				"PORT",
				text);
	if (!*parts.host)
		strcpy(parts.host, LOOPBACK);
	else if (!strcmp(parts.host, "*"))
		strcpy(parts.host, EVERYWHERE);
	err = getaddrinfo(parts.host, parts.port, &hints, &found);
	if (err)
		return diag_set(diag, -EINVAL, "'%s' is not an address to listen at: %s", text,
				gai_strerror(err));
	*ret = (struct listen_address){.len = found->ai_addrlen};
	memcpy(&ret->at, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

bool listen_address_is_loopback(const struct sockaddr *address)
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

int listen_address_open(const struct listen_address *address, int backlog, int *ret)
{
	const int on = 1;
	int fd = socket(address->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&address->at, address->len) ||
	    (backlog && listen(fd, backlog))) {
		err = -errno;
		(void)fd_close(fd);
		return err;
	}
	*ret = fd;
	return 0;
}
