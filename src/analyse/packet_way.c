// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/packet_way.h"

void packet_way_init(struct packet_way *way, const struct net_now *now)
{
	*way = (struct packet_way){
		.key = {now->packet, now->seq, now->ip_id, now->protocol},
		.sport = now->sport,
		.dport = now->dport,
	};
}

static bool has_link_header(enum net_crossing crossing)
{
	return crossing >= NET_DEV_QUEUE && crossing <= NET_DEV_RECV;
}

int32_t packet_way_ip_size(const struct net_now *now)
{
	bool linked = has_link_header(now->crossing) && now->size > WAY_LINK_BYTES;

	return linked ? now->size - WAY_LINK_BYTES : now->size;
}

static void learn(struct packet_way *way, const struct net_now *now)
{
	if (now->crossing >= NET_IP_SEND && !way->size)
		way->size = packet_way_ip_size(now);
	if (now->crossing <= NET_DEV_XMIT) {
		way->from_netns = way->from_netns ?: now->netns;
		way->cookie = way->cookie ?: now->cookie;
		return;
	}
	way->to_netns = now->netns ?: way->to_netns;
	if (now->crossing >= NET_TRANSPORT_RECV)
		way->receiver = now->cookie ?: way->receiver;
}

void packet_way_add(struct packet_way *way, const struct net_now *now)
{
	if (now->crossing < NET_CROSSINGS)
		learn(way, now);
	/* What is too long keeps its last step: that is where it got to. */
	if (way->count == WAY_STEPS)
		way->count--;
	way->steps[way->count++] = (struct way_step){
		.time_ns = now->time_ns,
		.size = now->size,
		.tid = now->tid,
		.cpu = (int16_t)now->cpu,
		.crossing = (uint8_t)now->crossing,
	};
}

const char *way_end_name(enum way_end end)
{
	static const char *const names[WAY_ENDS] = {
		[WAY_READ] = "read",	     [WAY_KEPT] = "kept",
		[WAY_LEFT] = "left",	     [WAY_DROPPED] = "dropped",
		[WAY_VANISHED] = "vanished", [WAY_INCOMPLETE] = "incomplete",
	};

	return names[end];
}
