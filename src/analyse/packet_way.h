/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_way: the way of one packet through the layers: what it is, where it was seen when, and how
 * it ended.
 */
#ifndef SONDE_ANALYSE_PACKET_WAY_H
#define SONDE_ANALYSE_PACKET_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/net_fields.h"

#define WAY_STEPS 20u /* a longer way, through many devices, is cut off */
#define WAY_LINK_BYTES 14 /* of an Ethernet header, which the device layer counts, too */

enum way_end {
	WAY_READ, /* the application has it */
	WAY_KEPT, /* the kernel has it: TCP, whose application did not read it yet if there was
		   * anything in it to read, or another protocol than TCP and UDP */
	WAY_LEFT, /* the last layer that is recorded: it goes out of sight */
	WAY_DROPPED, /* net.drop says why */
	WAY_VANISHED, /* it should have come further */
	WAY_INCOMPLETE, /* its beginning or end is not in the trace */
	WAY_ENDS,
};

struct way_step {
	int64_t time_ns;
	int32_t size;
	int32_t tid;
	int16_t cpu;
	uint8_t crossing; /* enum net_crossing */
};

/* The identity of a packet. Memory is used again, so its number alone does not. */
struct way_key {
	uint32_t packet;
	uint32_t seq;
	uint16_t ip_id;
	uint16_t protocol;
};

struct packet_way {
	struct way_key key;
	uint16_t sport;
	uint16_t dport;
	uint32_t from_netns; /* 0 = it was not sent here, or not received */
	uint32_t to_netns;
	uint64_t cookie; /* of the socket that sent it; 0 = not known */
	uint64_t receiver; /* of the one that got it */
	bool cut; /* its beginning is not in the trace */
	bool again; /* its bytes had been sent before */
	bool split; /* others carry its bytes on */
	enum way_end end;
	int64_t reason; /* of a drop */
	int32_t size; /* bytes as IP has them */
	size_t count;
	struct way_step steps[WAY_STEPS];
};

void packet_way_init(struct packet_way *way, const struct net_now *now);
/* Takes over what @now knows, too. */
void packet_way_add(struct packet_way *way, const struct net_now *now);
/* The size at IP, whichever layer @now is of. */
int32_t packet_way_ip_size(const struct net_now *now);
/* "read", "vanished": as in JSON. */
const char *way_end_name(enum way_end end);

static inline enum net_crossing packet_way_last(const struct packet_way *way)
{
	return (enum net_crossing)way->steps[way->count - 1].crossing;
}

/* Between steps @i - 1 and @i; clocks of two CPUs may differ a little. */
static inline uint64_t packet_way_took(const struct packet_way *way, size_t i)
{
	int64_t ns = way->steps[i].time_ns - way->steps[i - 1].time_ns;

	return ns > 0 ? (uint64_t)ns : 0;
}

static inline uint64_t packet_way_total(const struct packet_way *way)
{
	int64_t ns = way->steps[way->count - 1].time_ns - way->steps[0].time_ns;

	return ns > 0 ? (uint64_t)ns : 0;
}

#endif /* SONDE_ANALYSE_PACKET_WAY_H */
