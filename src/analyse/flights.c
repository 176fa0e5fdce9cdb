// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/flights.h"

#include <errno.h>
#include <stdlib.h>

/* IP and TCP with timestamps, until a smaller packet of the flow is seen. */
#define HEADER_IPV4 52u
#define HEADER_IPV6 72u

struct flow_key {
	uint16_t sport;
	uint16_t dport;
	uint32_t protocol;
};

struct queue {
	struct flight *oldest;
	struct flight *newest;
};

int flights_init(struct flights *flights)
{
	*flights = (struct flights){0};
	map_init(&flights->index, sizeof(struct way_key), sizeof(struct flight *), FLIGHTS_MAX);
	map_init(&flights->flow_index, sizeof(struct flow_key), sizeof(uint32_t), FLIGHTS_FLOWS);
	map_init(&flights->queues, sizeof(uint64_t), sizeof(struct queue), FLIGHTS_MAX);
	/* Pages come as they are touched. */
	flights->pool = calloc(FLIGHTS_MAX, sizeof(*flights->pool));
	flights->flows = calloc(FLIGHTS_FLOWS, sizeof(*flights->flows));
	flights->free_flows = calloc(FLIGHTS_FLOWS, sizeof(*flights->free_flows));
	if (!flights->pool || !flights->flows || !flights->free_flows)
		return -ENOMEM;
	for (uint32_t i = 0; i < FLIGHTS_FLOWS; i++)
		flights->free_flows[i] = FLIGHTS_FLOWS - 1 - i;
	flights->free_flow_count = FLIGHTS_FLOWS;
	return 0;
}

void flights_fini(struct flights *flights)
{
	map_fini(&flights->index);
	map_fini(&flights->flow_index);
	map_fini(&flights->queues);
	free(flights->pool);
	free(flights->flows);
	free(flights->free_flows);
}

struct flight *flights_find(const struct flights *flights, const struct way_key *key)
{
	struct flight **at = map_get(&flights->index, key);

	return at ? *at : NULL;
}

/* Flows that have nothing on its way are forgotten, all at once. */
static void sweep_flows(struct flights *flights)
{
	struct map all = flights->flow_index;
	const void *key;
	void *value;
	size_t at = 0;
	uint32_t *kept;

	map_init(&flights->flow_index, sizeof(struct flow_key), sizeof(uint32_t), FLIGHTS_FLOWS);
	while (map_next(&all, &at, &key, &value)) {
		uint32_t number = *(uint32_t *)value;

		kept = flights->flows[number].oldest ? map_at(&flights->flow_index, key) : NULL;
		if (kept)
			*kept = number;
		else if (!flights->flows[number].oldest)
			flights->free_flows[flights->free_flow_count++] = number;
	}
	map_fini(&all);
}

struct flow *flights_flow(struct flights *flights, const struct net_now *now)
{
	const struct flow_key key = {now->sport, now->dport, now->protocol};
	uint32_t *at = map_get(&flights->flow_index, &key);

	if (at)
		return &flights->flows[*at];
	if (!flights->free_flow_count)
		sweep_flows(flights);
	at = flights->free_flow_count ? map_at(&flights->flow_index, &key) : NULL;
	if (!at)
		return NULL;
	*at = flights->free_flows[--flights->free_flow_count];
	flights->flows[*at] = (struct flow){0};
	return &flights->flows[*at];
}

static struct flight *take_unused(struct flights *flights)
{
	struct flight *flight = flights->unused;

	if (flight) {
		flights->unused = flight->newer;
		return flight;
	}
	return flights->used < FLIGHTS_MAX ? &flights->pool[flights->used++] : NULL;
}

static void give_back(struct flights *flights, struct flight *flight)
{
	flight->newer = flights->unused;
	flights->unused = flight;
}

static void link_in(struct flights *flights, struct flight *flight)
{
	struct flow *flow = flight->flow;

	flight->older = flights->newest;
	flight->newer = NULL;
	*(flights->newest ? &flights->newest->newer : &flights->oldest) = flight;
	flights->newest = flight;
	if (!flow)
		return;
	flight->flow_older = flow->newest;
	flight->flow_newer = NULL;
	*(flow->newest ? &flow->newest->flow_newer : &flow->oldest) = flight;
	flow->newest = flight;
}

static void link_out(struct flights *flights, struct flight *flight)
{
	struct flow *flow = flight->flow;

	*(flight->older ? &flight->older->newer : &flights->oldest) = flight->newer;
	*(flight->newer ? &flight->newer->older : &flights->newest) = flight->older;
	if (!flow)
		return;
	*(flight->flow_older ? &flight->flow_older->flow_newer : &flow->oldest) =
		flight->flow_newer;
	*(flight->flow_newer ? &flight->flow_newer->flow_older : &flow->newest) =
		flight->flow_older;
}

struct flight *flights_add(struct flights *flights, const struct packet_way *way)
{
	const struct net_now ends = {
		.sport = way->sport, .dport = way->dport, .protocol = (uint8_t)way->key.protocol};
	struct flight *flight = take_unused(flights), **at;

	if (!flight)
		return NULL;
	at = map_at(&flights->index, &way->key);
	if (!at) {
		give_back(flights, flight);
		return NULL;
	}
	*at = flight;
	*flight = (struct flight){.way = *way, .serial = ++flights->serial};
	flight->flow = flights_flow(flights, &ends);
	link_in(flights, flight);
	flights->count++;
	return flight;
}

void flights_rename(struct flights *flights, struct flight *flight, const struct way_key *key)
{
	struct flight **at;

	map_remove(&flights->index, &flight->way.key);
	flight->way.key = *key;
	at = map_at(&flights->index, key);
	if (at)
		*at = flight;
}

void flights_enqueue(struct flights *flights, struct flight *flight, uint64_t cookie)
{
	struct queue *queue = cookie && !flight->queue ? map_at(&flights->queues, &cookie) : NULL;

	if (!queue)
		return;
	flight->queue = cookie;
	flight->queue_older = queue->newest;
	*(queue->newest ? &queue->newest->queue_newer : &queue->oldest) = flight;
	queue->newest = flight;
}

struct flight *flights_queued(const struct flights *flights, uint64_t cookie)
{
	const struct queue *queue = map_get(&flights->queues, &cookie);

	return queue ? queue->oldest : NULL;
}

static void dequeue(struct flights *flights, struct flight *flight)
{
	struct queue *queue = flight->queue ? map_get(&flights->queues, &flight->queue) : NULL;

	if (!queue)
		return;
	*(flight->queue_older ? &flight->queue_older->queue_newer : &queue->oldest) =
		flight->queue_newer;
	*(flight->queue_newer ? &flight->queue_newer->queue_older : &queue->newest) =
		flight->queue_older;
	if (!queue->oldest)
		map_remove(&flights->queues, &flight->queue);
}

void flights_remove(struct flights *flights, struct flight *flight)
{
	dequeue(flights, flight);
	if (flight->flow && flight->flow->over == flight)
		flight->flow->over = NULL;
	map_remove(&flights->index, &flight->way.key);
	link_out(flights, flight);
	give_back(flights, flight);
	flights->count--;
}

/* Headers of IP and TCP: those of the smallest packet of the flow, which has nothing else. */
static uint32_t header_of(const struct flow *flow, const struct net_now *now)
{
	uint32_t usual = now->is_ipv6 ? HEADER_IPV6 : HEADER_IPV4;

	return flow && flow->header_bytes && flow->header_bytes < usual ? flow->header_bytes :
									  usual;
}

uint32_t flow_payload(const struct flow *flow, const struct net_now *now, int32_t size)
{
	uint32_t header = header_of(flow, now);

	if (now->protocol != NET_PROTOCOL_TCP)
		return size > 0;
	return size > 0 && (uint32_t)size > header ? (uint32_t)size - header : 0;
}

void flow_learn(struct flow *flow, const struct net_now *now)
{
	int32_t size = packet_way_ip_size(now);

	if (flow && size > 0 && (!flow->header_bytes || (uint32_t)size < flow->header_bytes))
		flow->header_bytes = (uint32_t)size;
}
