// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_address.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/buffer.h"

static bool is_ipv6(const union rx_address *address)
{
	return address->any.sa_family == AF_INET6;
}

uint16_t rx_address_port(const union rx_address *address)
{
	return ntohs(is_ipv6(address) ? address->in6.sin6_port : address->in.sin_port);
}

void rx_address_set_port(union rx_address *address, uint16_t port)
{
	if (is_ipv6(address))
		address->in6.sin6_port = htons(port);
	else
		address->in.sin_port = htons(port);
}

struct sockaddr_in6 rx_address_mapped(const union rx_address *address)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = address->in.sin_port};

	if (is_ipv6(address))
		return address->in6;
	in6.sin6_addr.s6_addr[10] = in6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&in6.sin6_addr.s6_addr[12], &address->in.sin_addr, sizeof(address->in.sin_addr));
	return in6;
}

bool rx_address_is_same_host(const union rx_address *one, const union rx_address *other)
{
	const struct sockaddr_in6 a = rx_address_mapped(one), b = rx_address_mapped(other);

	return !memcmp(&a.sin6_addr, &b.sin6_addr, sizeof(a.sin6_addr));
}

void rx_address_host(const union rx_address *address, struct buffer *out)
{
	const void *host = is_ipv6(address) ? (const void *)&address->in6.sin6_addr :
					      (const void *)&address->in.sin_addr;
	char text[INET6_ADDRSTRLEN];

	buffer_string(out, inet_ntop(address->any.sa_family, host, text, sizeof(text)) ?: "");
}
