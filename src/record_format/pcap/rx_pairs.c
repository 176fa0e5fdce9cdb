// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_pairs.h"

#include <stdlib.h>
#include <string.h>

struct rx_waiting {
	struct rx_pair_key key;
	int64_t since_ns;
};

void rx_pairs_init(struct rx_pairs *pairs)
{
	*pairs = (struct rx_pairs){0};
	map_init(&pairs->pairs, sizeof(struct rx_pair_key), sizeof(struct rx_pair), RX_PAIRS_MAX);
	map_init(&pairs->servers, sizeof(struct rx_pair_key),
		 sizeof((struct rx_pair_key){0}.server), RX_PAIRS_MAX);
}

void rx_pairs_fini(struct rx_pairs *pairs)
{
	map_fini(&pairs->pairs);
	map_fini(&pairs->servers);
	free(pairs->queue);
	*pairs = (struct rx_pairs){0};
}

static struct rx_pair_key without_server(const struct rx_pair_key *key)
{
	struct rx_pair_key any = *key;

	memset(any.server, 0, sizeof(any.server));
	return any;
}

static void push(struct rx_pairs *pairs, const struct rx_pair_key *key, int64_t since_ns)
{
	struct rx_waiting *last = &pairs->queue[(pairs->first + pairs->count) % RX_PAIRS_MAX];

	*last = (struct rx_waiting){*key, since_ns};
	pairs->count++;
}

struct rx_pair *rx_pairs_ask(struct rx_pairs *pairs, const struct rx_pair_key *key, int64_t now_ns)
{
	const struct rx_pair_key any = without_server(key);
	struct rx_pair *pair;
	uint8_t *server;

	if (!pairs->queue)
		pairs->queue = calloc(RX_PAIRS_MAX, sizeof(*pairs->queue));
	if (!pairs->queue || (pairs->count == RX_PAIRS_MAX && !map_get(&pairs->pairs, key)))
		return NULL;
	server = map_at(&pairs->servers, &any);
	if (server)
		memcpy(server, key->server, sizeof(key->server));
	pair = map_at(&pairs->pairs, key);
	if (!pair)
		return NULL;
	if (!pair->asked)
		push(pairs, key, now_ns);
	/* A request after a reply starts a new exchange: monitors have the same port and numbers each time. */
	if (!pair->asked || pair->answers)
		*pair = (struct rx_pair){.first_ns = now_ns};
	pair->last_ns = now_ns;
	pair->asked++;
	return pair;
}

struct rx_pair *rx_pairs_answer(struct rx_pairs *pairs, const struct rx_pair_key *key)
{
	struct rx_pair *pair = map_get(&pairs->pairs, key);
	struct rx_pair_key any = without_server(key);
	const uint8_t *server = pair ? NULL : map_get(&pairs->servers, &any);

	if (server) {
		memcpy(any.server, server, sizeof(any.server));
		pair = map_get(&pairs->pairs, &any);
	}
	if (pair)
		pair->answers++;
	return pair;
}

static void forget(struct rx_pairs *pairs, const struct rx_pair_key *key)
{
	const struct rx_pair_key any = without_server(key);
	const uint8_t *server = map_get(&pairs->servers, &any);

	if (server && !memcmp(server, key->server, sizeof(key->server)))
		map_remove(&pairs->servers, &any);
	map_remove(&pairs->pairs, key);
}

/* Whether the oldest request has waited too long, or has to make room. */
static bool is_due(const struct rx_pairs *pairs, int64_t now_ns)
{
	int64_t since_ns = pairs->queue[pairs->first].since_ns;

	return pairs->count == RX_PAIRS_MAX || now_ns == INT64_MAX ||
	       (now_ns > since_ns &&
		(uint64_t)now_ns - (uint64_t)since_ns > (uint64_t)RX_PAIRS_PATIENCE_NS);
}

bool rx_pairs_expire(struct rx_pairs *pairs, int64_t now_ns, struct rx_pair_key *key,
		     struct rx_pair *ret)
{
	while (pairs->count && is_due(pairs, now_ns)) {
		const struct rx_waiting oldest = pairs->queue[pairs->first];
		bool full = pairs->count == RX_PAIRS_MAX;
		struct rx_pair *pair = map_get(&pairs->pairs, &oldest.key);

		pairs->first = (pairs->first + 1) % RX_PAIRS_MAX;
		pairs->count--;
		/* Asked again since: it waits once more, from then on. */
		if (!full && now_ns != INT64_MAX && pair->last_ns > oldest.since_ns) {
			push(pairs, &oldest.key, pair->last_ns);
			continue;
		}
		*key = oldest.key;
		*ret = *pair;
		forget(pairs, &oldest.key);
		if (!ret->answers)
			return true;
	}
	return false;
}
