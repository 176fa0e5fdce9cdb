// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame_map.h"

void frame_map_init(struct frame_map *map)
{
	map->count = 0;
	map->added = 0;
	map->step = 1;
}

/* Every other place goes. */
static void thin_out(struct frame_map *map)
{
	map->count /= 2;
	for (size_t i = 1; i < map->count; i++)
		map->places[i] = map->places[2 * i];
	map->step *= 2;
}

void frame_map_add(struct frame_map *map, const struct frame_place *place)
{
	if (map->count == FRAME_MAP_PLACES)
		thin_out(map);
	if (map->added++ % map->step == 0)
		map->places[map->count++] = *place;
}

struct frame_place frame_map_find(const struct frame_map *map, uint64_t plain_at)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->places[middle].plain_at <= plain_at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? map->places[low - 1] : (struct frame_place){0};
}
