// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/flight_end.h"

#define PATIENCE_NS 1000000000 /* after which a packet that was not seen again is gone */

/* Whether the trace would show a packet that continues from @last. */
static bool can_go_on(const bool *records, enum net_crossing last)
{
	for (size_t i = last + 1u; i < NET_CROSSINGS; i++) {
		if (records[i])
			return true;
	}
	return false;
}

/* Packets of a flow follow each other: one that set out later has come further. */
static bool is_overtaken(const struct flight *flight, enum net_crossing last)
{
	for (size_t i = last + 1u; flight->flow && i < NET_CROSSINGS; i++) {
		if (flight->flow->passed[i] > flight->serial)
			return true;
	}
	return false;
}

/* Where a way may end without an application. Datagrams are read or dropped. */
static enum net_crossing ends_at(uint16_t protocol)
{
	switch (protocol) {
	case NET_PROTOCOL_TCP:
		return NET_TRANSPORT_RECV;
	case NET_PROTOCOL_UDP:
		return NET_CROSSINGS;
	default:
		return NET_IP_RECV;
	}
}

enum way_end flight_end(const struct flight *flight, const bool *records, enum flight_cut cut,
			int64_t end_ns)
{
	const struct packet_way *way = &flight->way;
	enum net_crossing last = packet_way_last(way);
	bool arrives = flight->flow && flight->flow->arrives;

	if (last >= ends_at(way->key.protocol))
		return WAY_KEPT;
	if (!can_go_on(records, last))
		return WAY_LEFT;
	if (cut == FLIGHT_LOST)
		return WAY_INCOMPLETE;
	if (last == NET_DEV_XMIT && !arrives)
		return WAY_LEFT;
	if (last >= NET_TRANSPORT_RECV)
		return WAY_INCOMPLETE; /* it waits to be read */
	if (cut == FLIGHT_AGAIN || is_overtaken(flight, last) ||
	    end_ns - way->steps[way->count - 1].time_ns > PATIENCE_NS)
		return WAY_VANISHED;
	return WAY_INCOMPLETE;
}
