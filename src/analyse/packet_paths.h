/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_paths: makes ways of packets out of crossings: which of them belong to one packet, and when
 * its way is over. Each way is handed to its owner once, when it ends.
 *
 * A packet is identified by its memory, IP id and sequence number, bytes by sequence numbers
 * alone: where an application sends them, where it reads them, and where the stack cuts a packet in
 * pieces, or joins several into one.
 */
#ifndef SONDE_ANALYSE_PACKET_PATHS_H
#define SONDE_ANALYSE_PACKET_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/flights.h"
#include "analyse/net_sends.h"
#include "analyse/packet_way.h"
#include "base/map.h"

/*
 * What it means that no more is known of a packet that was on its way: it may have come
 * to where ways end, gone out of sight, be lost, or be on its way still.
 */

/* Why no more is known of it. */
enum flight_cut {
	FLIGHT_TRACE_END,
	FLIGHT_LOST, /* events are missing */
	FLIGHT_ROOM, /* it makes room for another one */
	FLIGHT_AGAIN, /* the same packet sets out again */
};

/* @records: by enum net_crossing, which of them the trace has; @end_ns: of what was seen. */
enum way_end flight_end(const struct flight *flight, const bool *records, enum flight_cut cut,
			int64_t end_ns);

#define PACKET_PATHS_READERS 65536u /* sockets that read */

struct packet_paths {
	bool records[NET_CROSSINGS + 1]; /* what the trace has; the owner sets it before the first */
	void (*take)(void *owner, const struct packet_way *way);
	void *owner;
	struct flights flights;
	struct net_sends sends;
	struct map readers; /* how far packets that lie in a socket were read, by cookie */
	int64_t end_ns; /* of what was seen */
	uint64_t evicted; /* ways that made room for others */
	uint64_t unmatched; /* packets that were read and never seen before */
	uint64_t unseen_drops; /* and that were dropped */
	uint64_t others; /* crossings of packets other than IP */
	bool in_part; /* crossings that are recorded otherwise may be missing now */
};

/* 0 or -ENOMEM; packet_paths_fini is due in both cases. */
int packet_paths_init(struct packet_paths *paths,
		      void (*take)(void *owner, const struct packet_way *), void *owner);
void packet_paths_fini(struct packet_paths *paths);
void packet_paths_count(struct packet_paths *paths, const struct net_now *now);
/* Events are missing here: nothing is known of what is on its way. */
void packet_paths_lose(struct packet_paths *paths);
/* Programs are about to be attached or detached (@whole is false), or all are where they should be. */
void packet_paths_whole(struct packet_paths *paths, bool whole);
/* The end of the trace. */
void packet_paths_end(struct packet_paths *paths);

#endif /* SONDE_ANALYSE_PACKET_PATHS_H */
