// SPDX-License-Identifier: BSD-2-Clause
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16u

/*
 * Slots lie one behind the other: a byte that says whether the slot is used, padding, the key,
 * the value, each at a multiple of 8. Linear probing; removal shifts later entries back, so that
 * no tombstones are needed and a miss stays as short as a hit.
 */
#define KEY_AT 8u

static inline size_t round_up(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static inline size_t value_at(const struct map *map)
{
	return KEY_AT + round_up(map->key_bytes);
}

static inline size_t slot_bytes(const struct map *map)
{
	return value_at(map) + round_up(map->value_bytes);
}

static inline uint8_t *slot_get(const struct map *map, size_t i)
{
	return map->slots + i * slot_bytes(map);
}

/* One multiplication by 2^64 divided by the golden ratio (Knuth, volume 3, 6.4), its high half
 * folded onto the low bits that choose the slot. */
static inline uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

static inline uint64_t hash_key(const struct map *map, const void *key)
{
	const uint8_t *p = key;
	size_t left = map->key_bytes;
	uint64_t h = 0, word;
	uint32_t half;

	for (; left >= 8; left -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = mix(h ^ word);
	}
	if (left >= 4) {
		memcpy(&half, p, 4);
		h = mix(h ^ half);
		left -= 4;
		p += 4;
	}
	for (; left; left--, p++)
		h = mix(h ^ *p);
	return h;
}

static inline bool key_equal(const struct map *map, const uint8_t *a, const void *b)
{
	uint32_t a32, b32;
	uint64_t a64, b64;

	switch (map->key_bytes) {
	case 4:
		memcpy(&a32, a, 4);
		memcpy(&b32, b, 4);
		return a32 == b32;
	case 8:
		memcpy(&a64, a, 8);
		memcpy(&b64, b, 8);
		return a64 == b64;
	default:
		return memcmp(a, b, map->key_bytes) == 0;
	}
}

void map_init(struct map *map, size_t key_bytes, size_t value_bytes, size_t limit)
{
	*map = (struct map){
		.key_bytes = key_bytes,
		.value_bytes = value_bytes,
		.limit = limit,
	};
}

void map_fini(struct map *map)
{
	free(map->slots);
	map_init(map, map->key_bytes, map->value_bytes, map->limit);
}

bool map_copy(struct map *into, const struct map *from)
{
	size_t bytes = from->room * slot_bytes(from);
	uint8_t *slots = bytes ? malloc(bytes) : NULL;

	if (bytes && !slots)
		return false;
	if (bytes)
		memcpy(slots, from->slots, bytes);
	free(into->slots);
	*into = *from;
	into->slots = slots;
	return true;
}

/* The slot that holds @key, or the empty one where it would go. Needs room. */
static inline uint8_t *find_slot(const struct map *map, const void *key)
{
	size_t mask = map->room - 1;
	size_t step = slot_bytes(map);
	size_t i = hash_key(map, key) & mask;
	uint8_t *slot = map->slots + i * step;

	while (*slot && !key_equal(map, slot + KEY_AT, key)) {
		i = (i + 1) & mask;
		slot = map->slots + i * step;
	}
	return slot;
}

void *map_get(const struct map *map, const void *key)
{
	uint8_t *slot;

	if (!map->count)
		return NULL;
	slot = find_slot(map, key);
	return *slot ? slot + value_at(map) : NULL;
}

static bool grow(struct map *map)
{
	struct map next = *map;
	size_t i;

	next.room = map->room ? map->room * 2 : FIRST_ROOM;
	next.slots = calloc(next.room, slot_bytes(map));
	if (!next.slots)
		return false;
	for (i = 0; i < map->room; i++) {
		uint8_t *slot = slot_get(map, i);

		if (*slot)
			memcpy(find_slot(&next, slot + KEY_AT), slot, slot_bytes(map));
	}
	free(map->slots);
	*map = next;
	return true;
}

void *map_at(struct map *map, const void *key)
{
	uint8_t *slot = map->room ? find_slot(map, key) : NULL;

	if (slot && *slot)
		return slot + value_at(map);
	if (map->limit && map->count >= map->limit)
		return NULL;
	/* At most three quarters full. */
	if (map->count >= map->room / 4 * 3) {
		if (!grow(map))
			return NULL;
		slot = find_slot(map, key);
	}
	*slot = 1;
	memcpy(slot + KEY_AT, key, map->key_bytes);
	memset(slot + value_at(map), 0, map->value_bytes);
	map->count++;
	return slot + value_at(map);
}

void map_remove(struct map *map, const void *key)
{
	size_t mask = map->room - 1;
	size_t hole, i;
	uint8_t *slot;

	if (!map->count)
		return;
	slot = find_slot(map, key);
	if (!*slot)
		return;
	hole = (size_t)(slot - map->slots) / slot_bytes(map);
	for (i = (hole + 1) & mask;; i = (i + 1) & mask) {
		size_t home;

		slot = slot_get(map, i);
		if (!*slot)
			break;
		/* It may move into the hole unless its home lies between the hole and itself. */
		home = hash_key(map, slot + KEY_AT) & mask;
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		memcpy(slot_get(map, hole), slot, slot_bytes(map));
		hole = i;
	}
	*slot_get(map, hole) = 0;
	map->count--;
}

bool map_next(const struct map *map, size_t *at, const void **key, void **value)
{
	while (*at < map->room) {
		uint8_t *slot = slot_get(map, (*at)++);

		if (*slot) {
			*key = slot + KEY_AT;
			*value = slot + value_at(map);
			return true;
		}
	}
	return false;
}
