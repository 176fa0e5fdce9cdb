/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_map: where in a stream the packets of a time are. It knows one packet in each step, and steps
 * grow with the stream, so that it stays small; between two of them, trace/stream_seek looks at the
 * packets themselves.
 *
 * Its sources may be wrong: it only ever says where to look.
 */
#ifndef SONDE_TRACE_PACKET_MAP_H
#define SONDE_TRACE_PACKET_MAP_H

#include <stddef.h>
#include <stdint.h>

struct ctf_clock;

#define PACKET_MAP_STEP_BYTES (64u << 10) /* until there are too many places */
#define PACKET_MAP_PLACES_MAX 16384u

struct packet_place {
	uint64_t offset;
	int64_t begin_ns;
	int64_t reach_ns; /* no packet before this one begins or ends later */
};

/* Zeros: empty. */
struct packet_map {
	struct packet_place *places; /* by offset; the first is the stream's first packet */
	size_t count;
	size_t room;
	uint64_t step; /* bytes between two places, at least */
	uint64_t next_at; /* where the packet behind the last one added begins */
	int64_t reach_ns; /* of all that were added */
};

void packet_map_fini(struct packet_map *map);
/* The next packet. -EBADMSG: it is not behind the one before, -ENOMEM. */
int packet_map_add(struct packet_map *map, uint64_t offset, uint64_t bytes, int64_t begin_ns,
		   int64_t end_ns);
/*
 * Fills an empty map from an open index file of a stream of @size bytes, whose times are of @clock.
 * -EBADMSG: not an index, or of another stream; other -errno of reading it.
 */
int packet_map_load(struct packet_map *map, int fd, const struct ctf_clock *clock, uint64_t size);
/* The last place before which everything is earlier than @from_ns, and which is so itself. NULL:
 * none. */
const struct packet_place *packet_map_find(const struct packet_map *map, int64_t from_ns);

/* The first place, by its number, that is not before @offset; `count` = none. */
size_t packet_map_behind(const struct packet_map *map, uint64_t offset);

#endif /* SONDE_TRACE_PACKET_MAP_H */
