/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_memory: how the mapped rings lie, for what reads them: ring.c, which takes records out, and
 * look.c, which only looks at them.
 */
#ifndef SONDE_RING_RING_MEMORY_H
#define SONDE_RING_RING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/ring.h"
#include "wire/record.h"

/* What the reader remembers of one ring. */
struct reader_level {
	uint64_t sent; /* position up to which records went out, in the writer's count */
	uint64_t end_ns; /* of the last packet: the next one's records are not before it */
	uint64_t sequence; /* packets, and gaps where a flight recorder overwrote */
	uint64_t name_packets; /* handed out that tell names */
	uint64_t stream_bytes; /* of packets handed out: where the next one will lie in its file */
	bool whole; /* the last sub-buffer went out in one piece */
	uint64_t lost; /* reported so far */
	uint64_t nested_lost;
};

struct ring {
	struct ring_config config;
	struct ring_cpu *control;
	size_t control_bytes;
	uint8_t *data;
	size_t data_bytes;
	size_t sub_stride;
	struct reader_level *levels; /* [cpus * RING_LEVELS] */
	uint8_t *copy; /* one sub-buffer, for the flight recorder */
	uint64_t packets;
	uint64_t settled_ns; /* as ring_settled_ns has it */
};

/* Where a ring stands: read once, consistent. */
struct position {
	uint64_t pos;
	uint64_t last_ns;
};

static inline uint32_t level_subs(const struct ring *ring, uint32_t level)
{
	return level ? RING_NESTED_SUBS : ring->config.sub_count;
}

static inline uint32_t cpu_subs(const struct ring *ring)
{
	return ring->config.sub_count + (RING_LEVELS - 1) * RING_NESTED_SUBS;
}

/* The element of the map that sub-buffer @number of a level is in. */
static inline uint32_t sub_element(const struct ring *ring, uint32_t cpu, uint32_t level,
				   uint64_t number)
{
	uint32_t key = cpu * cpu_subs(ring) + (uint32_t)(number & (level_subs(ring, level) - 1));

	if (level)
		key += ring->config.sub_count + (level - 1) * RING_NESTED_SUBS;
	return key;
}

static inline uint8_t *sub_at(const struct ring *ring, uint32_t cpu, uint32_t level,
			      uint64_t number)
{
	return ring->data + sub_element(ring, cpu, level, number) * ring->sub_stride;
}

/* `last_ns` belongs to the record that ends at `pos` only if `pos` did not move in between. */
static inline struct position position_get(const struct ring_level *level)
{
	struct position p;

	do {
		p.pos = __atomic_load_n(&level->pos, __ATOMIC_ACQUIRE);
		p.last_ns = __atomic_load_n(&level->last_ns, __ATOMIC_ACQUIRE);
	} while (p.pos != __atomic_load_n(&level->pos, __ATOMIC_ACQUIRE));
	return p;
}

#endif /* SONDE_RING_RING_MEMORY_H */
