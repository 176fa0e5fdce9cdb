/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net_sends: what applications have handed to sockets, and those to TCP and UDP, and what IP has not
 * got yet: where a packet that comes to IP began.
 *
 * Bounded: sends beyond the limits are counted, and its packets begin at IP.
 */
#ifndef SONDE_ANALYSE_NET_SENDS_H
#define SONDE_ANALYSE_NET_SENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/net_fields.h"
#include "base/map.h"

#define NET_SENDS_TASKS 65536u
#define NET_SENDS_SOCKETS 16384u
#define NET_SENDS_LIMIT 131072u /* of all sockets together: at most 12 MiB */
#define NET_SENDS_STEPS 2u /* from application to socket, from there to TCP or UDP */

struct net_sends {
	struct map calls; /* what a task is sending, by tid */
	struct map senders; /* bytes that TCP has, by cookie */
	size_t count; /* of these, all together */
	uint64_t refused; /* beyond a limit */
};

void net_sends_init(struct net_sends *sends);
void net_sends_fini(struct net_sends *sends);
/* Forgets all but how many were refused. */
void net_sends_clear(struct net_sends *sends);
/* An application hands bytes to a socket, or a socket to TCP or UDP. */
void net_sends_add(struct net_sends *sends, const struct net_now *now);
/*
 * A packet with @payload bytes of the application comes to IP. How many steps its first byte, or it
 * as a datagram, had made before; *@again: it was in a packet before.
 */
size_t net_sends_take(struct net_sends *sends, const struct net_now *now, uint32_t payload,
		      struct net_now steps[NET_SENDS_STEPS], bool *again);

#endif /* SONDE_ANALYSE_NET_SENDS_H */
