/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_host: this host's TCP connections over IPv4, and their peers, as an Rx endpoint would report its
 * own. sonde-serve(1) has the table of what stands for what; members without a counterpart are 0.
 *
 * Rx has four bytes for an address: connections over IPv6 are counted, and left out, but for those whose addresses
 * are IPv4's in another form.
 *
 * The kernel is asked when a list is begun, or totals are wanted, and the last answer is older than a second:
 * a client that reads a list reads one state of it. Older entries stay in front of new ones.
 */
#ifndef SONDE_RECORD_RX_HOST_H
#define SONDE_RECORD_RX_HOST_H

#include <stddef.h>

#include <sonde/rx.h>
#include <stdint.h>

/*
 * The kernel's counters of its protocols, of the network namespace of the calling thread
 * (/proc/net/snmp).
 */

/* Those of @protocol ("Tcp") that are called @names, @count of them; those that the kernel
 * lacks are 0. -errno: none could be read. */
int snmp_get(const char *protocol, const char *const *names, size_t count, uint64_t *ret);

struct diag;
struct inet_socket;
struct rx_host;

/* Of the network namespace of the calling thread. -errno with the diag. */
int rx_host_open(struct rx_host **ret, struct diag *diag);
/* NULL is fine. */
void rx_host_close(struct rx_host *host);

/* For a responder, with the rx_host as their context. */
extern const struct sonde_rx_callbacks rx_host_callbacks;

/* The responder's own counters, which are reported, too; borrowed. NULL: none. */
void rx_host_set_counts(struct rx_host *host, const struct sonde_rx_counts *counts);

/* Connections that were left out when the kernel was asked last. */
size_t rx_host_over_ipv6(const struct rx_host *host);

/* False: it has no IPv4 address. @epoch: of all of them. */
bool rx_host_conn(const struct inet_socket *socket, uint32_t epoch, struct sonde_rx_conn *ret);
/* Adds a connection to what is known of a peer: all of it 0 at first. */
void rx_host_add_to_peer(const struct inet_socket *socket, struct sonde_rx_peer *peer);

#endif /* SONDE_RECORD_RX_HOST_H */
