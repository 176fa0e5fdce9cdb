/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layer_stats: what many ways of packets have in common, for each protocol and direction: how long
 * they take from crossing to crossing, and where they end.
 *
 * A direction is a pair of network namespaces. Bounded: directions beyond the limit count as one.
 */
#ifndef SONDE_ANALYSE_LAYER_STATS_H
#define SONDE_ANALYSE_LAYER_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/latency.h"
#include "analyse/packet_way.h"

#define LAYER_DIRECTIONS 32u
#define LAYER_REASONS 64u

/* Packets that were dropped for a reason, after one crossing. */
struct layer_drops {
	enum net_crossing last;
	int64_t reason;
	uint64_t count;
};

struct layer_direction {
	uint32_t from_netns; /* 0 = they were not sent here, or not received */
	uint32_t to_netns;
	uint8_t protocol; /* 0: all others */
	uint64_t packets;
	uint64_t again; /* TCP: of these, with bytes that had been sent before */
	uint64_t ends[WAY_ENDS];
	struct latency totals[WAY_ENDS]; /* from the first crossing to the last */
	/* NULL: no packet went from here to there. */
	struct latency *layers[NET_CROSSINGS][NET_CROSSINGS];
	uint64_t vanished[NET_CROSSINGS]; /* after which crossing */
	struct layer_drops drops[LAYER_REASONS];
	size_t drop_count;
	uint64_t other_drops; /* for more reasons than fit */
};

struct layer_stats {
	struct layer_direction
		*directions[LAYER_DIRECTIONS]; /* as they came, until they are sorted */
	size_t count;
	uint64_t failed; /* paths for which memory was missing */
};

void layer_stats_init(struct layer_stats *stats);
void layer_stats_fini(struct layer_stats *stats);
void layer_stats_add(struct layer_stats *stats, const struct packet_way *way);
/* When all ways were added: the directions with most packets first. */
void layer_stats_sort(struct layer_stats *stats);
/* Walks the layers that packets went through, in order: start with *@at = 0; false at the end. */
bool layer_stats_next(const struct layer_direction *direction, size_t *at, enum net_crossing *from,
		      enum net_crossing *to);

#endif /* SONDE_ANALYSE_LAYER_STATS_H */
