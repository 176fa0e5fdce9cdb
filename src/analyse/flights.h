/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flights: the packets in progress, found by their keys, by age, by the flow
 * they belong to, and by the socket they lie in. A fixed number: the caller takes the oldest out where
 * the table is full.
 *
 * Pointers stay good until the flight is removed.
 */
#ifndef SONDE_ANALYSE_FLIGHTS_H
#define SONDE_ANALYSE_FLIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/packet_way.h"
#include "base/map.h"

#define FLIGHTS_MAX 32768u /* 20 MiB, as far as they are used */
#define FLIGHTS_FLOWS (2 * FLIGHTS_MAX) /* half of them have none on its way: they make room */

/* Packets one way between two ports. */
struct flow {
	struct flight *oldest;
	struct flight *newest;
	uint64_t passed[NET_CROSSINGS]; /* the newest flight that has been there: its serial */
	struct flight *over; /* has nothing more to come unless it is dropped; NULL = none */
	uint32_t header_bytes; /* of IP and TCP: no packet is smaller; 0 = none was seen */
	bool arrives; /* what goes out by a device comes in again: both ends are recorded */
};

struct flight {
	struct packet_way way;
	uint64_t serial; /* later ones have greater ones */
	struct flow *flow; /* NULL: no memory */
	struct flight *older, *newer; /* of all */
	struct flight *flow_older, *flow_newer;
	struct flight *queue_older, *queue_newer;
	uint64_t queue; /* the socket that it lies in; 0 = none */
};

struct flights {
	struct flight *pool;
	size_t used; /* of the pool, ever */
	struct flight *unused; /* used before, linked by ->newer */
	struct map index; /* struct flight *, by way_key */
	struct map flow_index; /* number of the flow, by ports */
	struct map queues; /* what lies in sockets, by cookie */
	struct flow *flows;
	uint32_t *free_flows; /* numbers that are not in use; NULL: none was yet */
	size_t free_flow_count;
	struct flight *oldest, *newest;
	uint64_t serial;
	size_t count;
};

/* 0 or -ENOMEM; flights_fini is due in both cases. */
int flights_init(struct flights *flights);
void flights_fini(struct flights *flights);
struct flight *flights_find(const struct flights *flights, const struct way_key *key);
/* A copy of @way sets out, under its key, which no other may have. NULL: no room, no memory. */
struct flight *flights_add(struct flights *flights, const struct packet_way *way);
/* It is found by @key from now on; the earlier packet with that key must be gone. */
void flights_rename(struct flights *flights, struct flight *flight, const struct way_key *key);
/* It lies in the socket @cookie, behind all others. */
void flights_enqueue(struct flights *flights, struct flight *flight, uint64_t cookie);
/* The first that lies in the socket @cookie, or NULL. */
struct flight *flights_queued(const struct flights *flights, uint64_t cookie);
void flights_remove(struct flights *flights, struct flight *flight);
/* Borrowed until the next call, or as long as a flight is in it. NULL: no memory. */
struct flow *flights_flow(struct flights *flights, const struct net_now *now);
/* A packet of @flow, which may be NULL: learns the size of headers from it. */
void flow_learn(struct flow *flow, const struct net_now *now);
/* Bytes for the application in a packet like @now that has @size bytes at IP. */
uint32_t flow_payload(const struct flow *flow, const struct net_now *now, int32_t size);

#endif /* SONDE_ANALYSE_FLIGHTS_H */
