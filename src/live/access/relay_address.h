/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relay_address: where a relay listens: addresses as people write them. Its sockets begin to listen by listeners_start.
 */
#ifndef SONDE_LIVE_ACCESS_RELAY_ADDRESS_H
#define SONDE_LIVE_ACCESS_RELAY_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

struct diag;

#define RELAY_LISTENERS_MAX 16u
#define RELAY_ADDRESS_BYTES 80u /* [ADDR6%INTERFACE]:PORT */

/* A socket that is to listen at @address (base/listen_address.h), at @port where it has none.
 * The caller closes *@ret. -EINVAL no such address; -EACCES others can reach it, and @insecure does not
 * allow that: it is true if clients must authenticate (rights) or the user does not want it; or -errno. */
int relay_address_bind(const char *address, uint16_t port, bool insecure, int *ret,
		       struct diag *diag);
/* Who is at the other end of @fd, as "ADDR:PORT": whether that is this machine, by a loopback address. */
bool relay_address_of_peer(int fd, char text[RELAY_ADDRESS_BYTES]);
/* An address without port, as connections are counted by: one of IPv4, or the network (64 bits) of one of IPv6. Zeros:
 * unknown. */
struct relay_address_key {
	uint8_t bytes[16];
};
void relay_address_key_of_peer(int fd, struct relay_address_key *ret);
/* The port that @fd listens at; 0 = it has none. */
uint16_t relay_address_port(int fd);
/* "ADDR:PORT", as @fd listens there. */
void relay_address_format(int fd, char text[RELAY_ADDRESS_BYTES]);
/* Connections to viewers on this machine use no shared network: if @fd listens on the loopback
 * interface, they do without pacing, which the system's congestion control (bbr) may have: a timer
 * for every piece. */
void relay_address_do_not_pace(int fd);

#endif /* SONDE_LIVE_ACCESS_RELAY_ADDRESS_H */
