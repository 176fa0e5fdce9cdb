/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_map: where in a compressed stream file its frames are, and in the stream what they hold. It
 * knows one of so many that it stays small; from there on, frames are found one behind the other.
 */
#ifndef SONDE_TRACE_FRAME_MAP_H
#define SONDE_TRACE_FRAME_MAP_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_MAP_PLACES 4096u

struct frame_place {
	uint64_t file_at;
	uint64_t plain_at; /* in the stream */
};

struct frame_map {
	struct frame_place places[FRAME_MAP_PLACES]; /* ascending */
	size_t count;
	size_t added; /* frames, ever */
	size_t step; /* of these, one is a place */
};

void frame_map_init(struct frame_map *map);
/* The frame behind the one that was added last. */
void frame_map_add(struct frame_map *map, const struct frame_place *place);
/* The last known place at @plain_at or before; else that of the first frame. */
struct frame_place frame_map_find(const struct frame_map *map, uint64_t plain_at);

#endif /* SONDE_TRACE_FRAME_MAP_H */
