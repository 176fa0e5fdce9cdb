// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/packet_paths.h"

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

#define SCAN_MAX 1024u /* packets of a flow that are looked at for one crossing */

struct reader {
	uint32_t packet;
	uint32_t seq;
	uint32_t taken; /* bytes from it */
};

int packet_paths_init(struct packet_paths *paths,
		      void (*take)(void *owner, const struct packet_way *), void *owner)
{
	*paths = (struct packet_paths){.take = take, .owner = owner};
	net_sends_init(&paths->sends);
	map_init(&paths->readers, sizeof(uint64_t), sizeof(struct reader), PACKET_PATHS_READERS);
	return flights_init(&paths->flights);
}

void packet_paths_fini(struct packet_paths *paths)
{
	net_sends_fini(&paths->sends);
	map_fini(&paths->readers);
	flights_fini(&paths->flights);
}

static void finish(struct packet_paths *paths, struct flight *flight, enum way_end end)
{
	/* Of one that was cut in pieces, the pieces tell. */
	if (!flight->way.split) {
		flight->way.end = flight->way.cut && end != WAY_DROPPED && end != WAY_VANISHED ?
					  WAY_INCOMPLETE :
					  end;
		paths->take(paths->owner, &flight->way);
	}
	flights_remove(&paths->flights, flight);
}

static void cut_off(struct packet_paths *paths, struct flight *flight, enum flight_cut cut)
{
	enum way_end end = flight_end(flight, paths->records, paths->in_part ? FLIGHT_LOST : cut,
				      paths->end_ns);

	paths->evicted += cut == FLIGHT_ROOM && end == WAY_INCOMPLETE;
	finish(paths, flight, end);
}

static void step(struct flight *flight, const struct net_now *now)
{
	struct flow *flow = flight->flow;

	if (flow && now->crossing == NET_DEV_RECV && packet_way_last(&flight->way) == NET_DEV_XMIT)
		flow->arrives = true;
	if (flow && flow->passed[now->crossing] < flight->serial)
		flow->passed[now->crossing] = flight->serial;
	packet_way_add(&flight->way, now);
}

/* A packet that is seen in the middle of its way although what comes before is recorded. */
static bool begins_late(const struct packet_paths *paths, enum net_crossing crossing)
{
	switch (crossing) {
	case NET_IP_SEND:
	case NET_DEV_RECV:
		return false;
	case NET_IP_RECV:
	case NET_TRANSPORT_RECV:
		for (size_t i = NET_DEV_RECV; i < crossing; i++) {
			if (paths->records[i])
				return true;
		}
		return false;
	default:
		for (size_t i = NET_IP_SEND; i < crossing; i++) {
			if (paths->records[i])
				return true;
		}
		return false;
	}
}

/* A packet sets out, or is seen for the first time. */
static struct flight *begin(struct packet_paths *paths, const struct net_now *now)
{
	struct flow *flow = flights_flow(&paths->flights, now);
	struct net_now before[NET_SENDS_STEPS];
	struct packet_way way;
	struct flight *flight;
	size_t count = 0;

	packet_way_init(&way, now);
	way.cut = begins_late(paths, now->crossing);
	flow_learn(flow, now);
	if (now->crossing <= NET_DEV_XMIT && !way.cut) {
		count = net_sends_take(&paths->sends, now,
				       flow_payload(flow, now, packet_way_ip_size(now)), before,
				       &way.again);
	}
	for (size_t i = 0; i < count; i++)
		packet_way_add(&way, &before[i]);
	if (paths->flights.count == FLIGHTS_MAX)
		cut_off(paths, paths->flights.oldest, FLIGHT_ROOM);
	flight = flights_add(&paths->flights, &way);
	if (flight)
		step(flight, now);
	else
		paths->evicted++;
	return flight;
}

/* Whether a packet that was at @last can be at @crossing: further on, or at another device. */
static bool continues(const struct packet_paths *paths, enum net_crossing last,
		      enum net_crossing crossing)
{
	if (crossing > last)
		return true;
	return crossing != NET_IP_SEND && last < NET_TRANSPORT_RECV && paths->records[NET_IP_SEND];
}

/* A piece of @whole continues with memory of its own. */
static struct flight *split_off(struct packet_paths *paths, struct flight *whole,
				const struct way_key *key, int32_t size)
{
	struct packet_way way = whole->way;

	whole->way.split = true;
	way.split = false;
	way.key = *key;
	way.size = size;
	if (paths->flights.count == FLIGHTS_MAX) {
		/* Not the one that is just being cut in pieces. */
		struct flight *oldest = paths->flights.oldest;

		cut_off(paths, oldest == whole ? oldest->newer : oldest, FLIGHT_ROOM);
	}
	return flights_add(&paths->flights, &way);
}

static bool has_bytes_of(const struct flight *flight, const struct net_now *now)
{
	const struct packet_way *way = &flight->way;
	uint32_t payload = flow_payload(flight->flow, now, way->size);

	if (packet_way_last(way) > now->crossing)
		return false;
	if (now->protocol != NET_PROTOCOL_TCP)
		return now->ip_id && now->ip_id == way->key.ip_id;
	return now->seq == way->key.seq || net_seq_within(now->seq, way->key.seq, payload);
}

/* The packet has other memory than before: it was copied, or it is a piece of a larger one. */
static struct flight *find_moved(struct packet_paths *paths, const struct net_now *now,
				 const struct way_key *key)
{
	struct flow *flow = flights_flow(&paths->flights, now);
	struct flight *flight = flow ? flow->newest : NULL;
	int32_t size = packet_way_ip_size(now);
	size_t i;

	if (now->crossing < NET_DEV_QUEUE || now->crossing > NET_TRANSPORT_RECV)
		return NULL;
	for (i = 0; flight && i < SCAN_MAX && !has_bytes_of(flight, now); i++)
		flight = flight->flow_older;
	if (!flight || i == SCAN_MAX)
		return NULL;
	if (flight->way.split || size < flight->way.size)
		return split_off(paths, flight, key, size);
	flights_rename(&paths->flights, flight, key);
	return flight;
}

/* The flight that @now is a step of; NULL: it begins one. */
static struct flight *find(struct packet_paths *paths, const struct net_now *now)
{
	const struct way_key key = {now->packet, now->seq, now->ip_id, now->protocol};
	struct flight *flight = flights_find(&paths->flights, &key);

	if (!flight)
		return find_moved(paths, now, &key);
	if (continues(paths, packet_way_last(&flight->way), now->crossing))
		return flight;
	cut_off(paths, flight, FLIGHT_AGAIN);
	return NULL;
}

/* Others whose bytes have been joined to those of @flight by now (GRO). */
static void step_joined(struct flight *flight, const struct net_now *now)
{
	uint32_t bytes = flow_payload(flight->flow, now, now->size);
	struct flight *other;
	size_t i;

	if (now->crossing < NET_IP_RECV || now->protocol != NET_PROTOCOL_TCP ||
	    now->size <= flight->way.size)
		return;
	other = flight->flow ? flight->flow_newer : NULL;
	for (i = 0; other && i < SCAN_MAX; i++, other = other->flow_newer) {
		if (net_seq_within(other->way.key.seq, flight->way.key.seq, bytes) &&
		    packet_way_last(&other->way) < now->crossing && !other->way.split)
			step(other, now);
	}
}

/* TCP has a packet. One without bytes is over then, if it is not dropped before the next one. */
static void arrive(struct packet_paths *paths, struct flight *flight, const struct net_now *now)
{
	struct flow *flow = flight->flow;

	if (!flow)
		return;
	if (flow->over && flow->over != flight)
		finish(paths, flow->over, WAY_KEPT);
	if (!flow_payload(flow, now, now->size))
		flow->over = flight;
}

static void count_packet(struct packet_paths *paths, const struct net_now *now)
{
	struct flight *flight = find(paths, now);

	if (!flight) {
		(void)begin(paths, now);
		return;
	}
	step(flight, now);
	step_joined(flight, now);
	if (now->crossing == NET_TRANSPORT_RECV && now->protocol == NET_PROTOCOL_TCP)
		arrive(paths, flight, now);
}

static void count_drop(struct packet_paths *paths, const struct net_now *now)
{
	const struct way_key key = {now->packet, now->seq, now->ip_id, now->protocol};
	struct flight *flight = flights_find(&paths->flights, &key);

	if (!flight) {
		paths->unseen_drops++;
		return;
	}
	flight->way.reason = now->reason;
	packet_way_add(&flight->way, now);
	finish(paths, flight, WAY_DROPPED);
}

/* Bytes in a socket have come to TCP; where a filter hides that, to where the packet was seen last. */
static enum net_crossing came_to(const struct packet_paths *paths, const struct net_now *now)
{
	const struct way_key key = {now->packet, now->seq, now->ip_id, now->protocol};
	const struct flight *flight = flights_find(&paths->flights, &key);
	enum net_crossing last = flight ? packet_way_last(&flight->way) : NET_TRANSPORT_RECV;

	return last < NET_TRANSPORT_RECV ? last : NET_TRANSPORT_RECV;
}

/* Those of a flow whose bytes are in [@from, @from + @bytes) and that have come to TCP. */
static size_t step_bytes(struct packet_paths *paths, const struct net_now *now, uint32_t from,
			 uint32_t bytes)
{
	enum net_crossing least = came_to(paths, now);
	struct flow *flow = flights_flow(&paths->flights, now);
	struct flight *flight = flow ? flow->oldest : NULL, *newer;
	size_t i, stepped = 0;

	for (i = 0; flight && i < SCAN_MAX; i++, flight = newer) {
		enum net_crossing last = packet_way_last(&flight->way);

		newer = flight->flow_newer;
		if (last < least || last >= now->crossing)
			continue;
		if (net_seq_within(flight->way.key.seq, from, bytes)) {
			if (!flow_payload(flow, now, flight->way.size))
				continue;
			step(flight, now);
			stepped++;
			if (now->crossing == NET_APP_RECV)
				finish(paths, flight, WAY_READ);
		} else if (now->crossing == NET_APP_RECV && last >= NET_TRANSPORT_RECV &&
			   net_seq_before(flight->way.key.seq, from)) {
			finish(paths, flight, WAY_KEPT); /* the stream is beyond it */
		}
	}
	return stepped;
}

/* A record names where the packet's bytes begin; bytes read of it before count from there. */
static uint32_t read_from(struct packet_paths *paths, const struct net_now *now)
{
	struct reader *reader = map_at(&paths->readers, &now->cookie);
	uint32_t from;

	if (!reader)
		return now->seq;
	if (reader->packet != now->packet || reader->seq != now->seq)
		*reader = (struct reader){.packet = now->packet, .seq = now->seq};
	from = now->seq + reader->taken;
	reader->taken += (uint32_t)now->size;
	return from;
}

static void count_stream(struct packet_paths *paths, const struct net_now *now)
{
	uint32_t from = now->crossing == NET_APP_RECV ? read_from(paths, now) : now->seq;

	/* More of a packet that was read before fits no packet any more, and sockets are reported again. */
	if (!step_bytes(paths, now, from, (uint32_t)now->size) && from == now->seq &&
	    now->crossing == NET_APP_RECV)
		paths->unmatched++;
}

/* A datagram is read whole, and where nothing says which, it is the first of those in the socket. */
static void count_datagram(struct packet_paths *paths, const struct net_now *now)
{
	const struct way_key key = {now->packet, now->seq, now->ip_id, now->protocol};
	struct flight *flight = now->packet ? flights_find(&paths->flights, &key) :
					      flights_queued(&paths->flights, now->cookie);

	if (!flight || packet_way_last(&flight->way) >= now->crossing) {
		paths->unmatched += now->crossing == NET_APP_RECV;
		return;
	}
	step(flight, now);
	if (now->crossing == NET_APP_RECV)
		finish(paths, flight, WAY_READ);
	else
		flights_enqueue(&paths->flights, flight, now->cookie);
}

/* Into the socket, or out of it to the application. Of TCP without bytes it was only looked for. */
static void count_socket(struct packet_paths *paths, const struct net_now *now)
{
	if (now->protocol != NET_PROTOCOL_TCP && now->size >= 0)
		count_datagram(paths, now);
	else if (now->packet && now->size > 0)
		count_stream(paths, now);
}

void packet_paths_count(struct packet_paths *paths, const struct net_now *now)
{
	if (now->time_ns > paths->end_ns)
		paths->end_ns = now->time_ns;
	if (!now->protocol) {
		paths->others++;
		return;
	}
	switch (now->crossing) {
	case NET_SOCK_SEND:
	case NET_TRANSPORT_SEND:
		net_sends_add(&paths->sends, now);
		break;
	case NET_SOCK_RECV:
	case NET_APP_RECV:
		count_socket(paths, now);
		break;
	case NET_DROPPED:
		count_drop(paths, now);
		break;
	case NET_NONE:
		break;
	default:
		if (now->packet && !now->refused)
			count_packet(paths, now);
	}
}

static void cut_all(struct packet_paths *paths, enum flight_cut cut)
{
	while (paths->flights.oldest)
		cut_off(paths, paths->flights.oldest, cut);
}

void packet_paths_lose(struct packet_paths *paths)
{
	cut_all(paths, FLIGHT_LOST);
	net_sends_clear(&paths->sends);
	map_fini(&paths->readers);
	map_init(&paths->readers, sizeof(uint64_t), sizeof(struct reader), PACKET_PATHS_READERS);
}

void packet_paths_whole(struct packet_paths *paths, bool whole)
{
	packet_paths_lose(paths);
	paths->in_part = !whole;
}

void packet_paths_end(struct packet_paths *paths)
{
	cut_all(paths, FLIGHT_TRACE_END);
}
