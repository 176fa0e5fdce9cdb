// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packet_map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "ctf/packet.h"
#include "ctf/trace_class.h"
#include "wire/index.h"

#define CHUNK_BYTES (64u << 10)
#define FIRST_ROOM 64u

void packet_map_fini(struct packet_map *map)
{
	free(map->places);
	*map = (struct packet_map){0};
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int add_place(struct packet_map *map, const struct packet_place *place)
{
	if (map->count == map->room) {
		size_t room = map->room ? 2 * map->room : FIRST_ROOM;
		struct packet_place *places = realloc(map->places, room * sizeof(*places));

		if (!places)
			return -ENOMEM;
		map->places = places;
		map->room = room;
	}
	map->places[map->count++] = *place;
	return 0;
}

/* Drops every other place. The data of the others does not depend on it. */
static void thin_out(struct packet_map *map)
{
	for (size_t i = 1; 2 * i < map->count; i++)
		map->places[i] = map->places[2 * i];
	map->count = (map->count + 1) / 2;
	map->step *= 2;
}

int packet_map_add(struct packet_map *map, uint64_t offset, uint64_t bytes, int64_t begin_ns,
		   int64_t end_ns)
{
	const struct packet_place place = {
		.offset = offset,
		.begin_ns = begin_ns,
		.reach_ns = map->count ? map->reach_ns : INT64_MIN,
	};
	int err = 0;

	if (offset != map->next_at || !bytes || bytes > UINT64_MAX - offset)
		return -EBADMSG;
	if (!map->count)
		map->step = PACKET_MAP_STEP_BYTES;
	else if (map->count == PACKET_MAP_PLACES_MAX)
		thin_out(map);
	if (!map->count || offset - map->places[map->count - 1].offset >= map->step)
		err = add_place(map, &place);
	map->next_at = offset + bytes;
	map->reach_ns = later(place.reach_ns, later(begin_ns, end_ns));
	return err;
}

static int add_entry(struct packet_map *map, const struct packet_index *index, const uint8_t *bytes,
		     size_t i, const struct ctf_clock *clock, uint64_t size)
{
	struct index_packet packet;
	int err = packet_index_get(index, bytes, i, &packet);

	if (err)
		return err;
	/* An index may be ahead of a stream that still grows, or has lost its end. */
	if (packet.offset >= size && map->count)
		return 0;
	return packet_map_add(map, packet.offset, packet.packet_bytes,
			      ctf_clock_ns(clock, packet.begin), ctf_clock_ns(clock, packet.end));
}

int packet_map_load(struct packet_map *map, int fd, const struct ctf_clock *clock, uint64_t size)
{
	uint8_t *bytes = malloc(INDEX_HEAD_BYTES + CHUNK_BYTES);
	struct packet_index index;
	uint64_t at = INDEX_HEAD_BYTES;
	ssize_t got = bytes ? read_at(fd, bytes, INDEX_HEAD_BYTES, 0) : -ENOMEM;
	int err = got < 0 ? (int)got : packet_index_parse(bytes, (size_t)got, &index, NULL);

	while (!err) {
		size_t whole = CHUNK_BYTES / index.entry_bytes * index.entry_bytes;

		/* Behind its head, as packet_index_get finds entries from there. */
		got = read_at(fd, bytes + INDEX_HEAD_BYTES, whole, at);
		err = got < 0 ? (int)got : 0;
		index.count = got < 0 ? 0 : (size_t)got / index.entry_bytes;
		if (!index.count)
			break;
		for (size_t i = 0; !err && i < index.count; i++)
			err = add_entry(map, &index, bytes, i, clock, size);
		at += whole;
	}
	free(bytes);
	if (!err && !map->count)
		err = -EBADMSG;
	return err == -ENODATA || err == -ENOTSUP ? -EBADMSG : err;
}

const struct packet_place *packet_map_find(const struct packet_map *map, int64_t from_ns)
{
	size_t low = 0, high = map->count;

	/* reach_ns rises from place to place. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->places[middle].reach_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && map->places[low - 1].begin_ns >= from_ns)
		low--;
	return low ? &map->places[low - 1] : NULL;
}

size_t packet_map_behind(const struct packet_map *map, uint64_t offset)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->places[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
