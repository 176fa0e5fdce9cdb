/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_address: where an Rx endpoint is. OpenAFS speaks IPv4 alone; other programs that answer Rx, as the kernel's
 * client, know IPv6.
 */
#ifndef SONDE_RX_RX_ADDRESS_H
#define SONDE_RX_RX_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct buffer;

union rx_address {
	struct sockaddr any; /* its family says which of the others it is */
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

uint16_t rx_address_port(const union rx_address *address);
void rx_address_set_port(union rx_address *address, uint16_t port);
/* In the form that all have in common: IPv4's mapped into IPv6, ::ffff:192.0.2.1. */
struct sockaddr_in6 rx_address_mapped(const union rx_address *address);
/* Whether they are the same host, in whatever form. */
bool rx_address_is_same_host(const union rx_address *one, const union rx_address *other);
void rx_address_host(const union rx_address *address, struct buffer *out); /* "192.0.2.1" */

#endif /* SONDE_RX_RX_ADDRESS_H */
