/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map: a hash table with open addressing, keys and values of fixed size, values found in place.
 *
 * For counters by key on the reading path: one probe, no allocation unless it grows.
 */
#ifndef SONDE_BASE_MAP_H
#define SONDE_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	size_t key_bytes;
	size_t value_bytes;
	size_t count;
	size_t room; /* a power of two, or 0 */
	size_t limit; /* entries at most; 0 = none */
	uint8_t *slots;
};

/* @limit: map_at refuses more keys than that (an input must not exhaust memory); 0 = no limit. */
void map_init(struct map *map, size_t key_bytes, size_t value_bytes, size_t limit);
void map_fini(struct map *map);
/* Makes @into, which has been initialized, hold what @from does. False: no memory, and @into is as it was. */
bool map_copy(struct map *into, const struct map *from);
/* The value of @key, or NULL. Borrowed until the next map_at. */
void *map_get(const struct map *map, const void *key);
/* The value of @key, made of zeros where it was not there; NULL = no memory or over the limit. */
void *map_at(struct map *map, const void *key);
void map_remove(struct map *map, const void *key);
/* Walks all entries: start with *@at = 0; false at the end. */
bool map_next(const struct map *map, size_t *at, const void **key, void **value);

#endif /* SONDE_BASE_MAP_H */
