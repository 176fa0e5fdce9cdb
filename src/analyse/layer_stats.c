// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/layer_stats.h"

#include <stdlib.h>

void layer_stats_init(struct layer_stats *stats)
{
	*stats = (struct layer_stats){0};
}

void layer_stats_fini(struct layer_stats *stats)
{
	for (size_t i = 0; i < stats->count; i++) {
		for (size_t from = 0; from < NET_CROSSINGS; from++)
			for (size_t to = 0; to < NET_CROSSINGS; to++)
				free(stats->directions[i]->layers[from][to]);
		free(stats->directions[i]);
	}
}

static bool is_of(const struct layer_direction *direction, const struct packet_way *way)
{
	return direction->protocol == way->key.protocol &&
	       direction->from_netns == way->from_netns && direction->to_netns == way->to_netns;
}

/* The last one is for all others. NULL: no memory. */
static struct layer_direction *direction_of(struct layer_stats *stats, const struct packet_way *way)
{
	struct layer_direction *direction;

	for (size_t i = 0; i < stats->count; i++) {
		if (i == LAYER_DIRECTIONS - 1 || is_of(stats->directions[i], way))
			return stats->directions[i];
	}
	direction = calloc(1, sizeof(*direction));
	if (!direction)
		return NULL;
	if (stats->count < LAYER_DIRECTIONS - 1) {
		direction->protocol = (uint8_t)way->key.protocol;
		direction->from_netns = way->from_netns;
		direction->to_netns = way->to_netns;
	}
	stats->directions[stats->count++] = direction;
	return direction;
}

static void add_step(struct layer_stats *stats, struct layer_direction *direction,
		     const struct packet_way *way, size_t i)
{
	struct latency **layer =
		&direction->layers[way->steps[i - 1].crossing][way->steps[i].crossing];

	if (!*layer)
		*layer = calloc(1, sizeof(**layer));
	if (*layer)
		latency_add(*layer, packet_way_took(way, i));
	else
		stats->failed++;
}

static void add_drop(struct layer_direction *direction, enum net_crossing last, int64_t reason)
{
	struct layer_drops *drops = direction->drops;
	size_t i;

	for (i = 0; i < direction->drop_count; i++) {
		if (drops[i].last == last && drops[i].reason == reason)
			break;
	}
	if (i == LAYER_REASONS) {
		direction->other_drops++;
		return;
	}
	if (i == direction->drop_count)
		drops[direction->drop_count++] = (struct layer_drops){last, reason, 0};
	drops[i].count++;
}

void layer_stats_add(struct layer_stats *stats, const struct packet_way *way)
{
	struct layer_direction *direction = direction_of(stats, way);

	if (!direction) {
		stats->failed++;
		return;
	}
	direction->packets++;
	direction->again += way->again;
	direction->ends[way->end]++;
	for (size_t i = 1; i < way->count; i++) {
		if (way->steps[i].crossing < NET_CROSSINGS)
			add_step(stats, direction, way, i);
	}
	if (way->end == WAY_DROPPED && way->count > 1)
		add_drop(direction, (enum net_crossing)way->steps[way->count - 2].crossing,
			 way->reason);
	if (way->end == WAY_VANISHED)
		direction->vanished[packet_way_last(way)]++;
	if (way->end != WAY_INCOMPLETE)
		latency_add(&direction->totals[way->end], packet_way_total(way));
}

static int compare(const void *left, const void *right)
{
	const struct layer_direction *a = *(const struct layer_direction *const *)left;
	const struct layer_direction *b = *(const struct layer_direction *const *)right;

	if (a->packets != b->packets)
		return a->packets > b->packets ? -1 : 1;
	if (a->protocol != b->protocol)
		return a->protocol < b->protocol ? -1 : 1;
	if (a->from_netns != b->from_netns)
		return a->from_netns < b->from_netns ? -1 : 1;
	return a->to_netns < b->to_netns ? -1 : a->to_netns > b->to_netns;
}

void layer_stats_sort(struct layer_stats *stats)
{
	qsort(stats->directions, stats->count, sizeof(struct layer_direction *), compare);
}

bool layer_stats_next(const struct layer_direction *direction, size_t *at, enum net_crossing *from,
		      enum net_crossing *to)
{
	for (; *at < NET_CROSSINGS * NET_CROSSINGS; ++*at) {
		*from = (enum net_crossing)(*at / NET_CROSSINGS);
		*to = (enum net_crossing)(*at % NET_CROSSINGS);
		if (!direction->layers[*from][*to])
			continue;
		++*at;
		return true;
	}
	return false;
}
