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

#include "wire/record.h"

/* Of all CPUs; ring.c maps it. */
struct ring_memory {
	uint32_t cpus;
	uint32_t sub_shift; /* log2 of a sub-buffer's bytes */
	uint32_t sub_count; /* sub-buffers of level 0 */
	bool overwrite;
	uint64_t start_ns; /* CLOCK_MONOTONIC: not after the first record */
	struct ring_cpu *control;
	size_t control_bytes;
	uint8_t *data;
	size_t data_bytes;
	size_t sub_stride;
};

/* Where a ring stands: read once, consistent. */
struct position {
	uint64_t pos;
	uint64_t last_ns;
};

static inline uint32_t level_subs(const struct ring_memory *memory, uint32_t level)
{
	return level ? RING_NESTED_SUBS : memory->sub_count;
}

static inline uint32_t cpu_subs(const struct ring_memory *memory)
{
	return memory->sub_count + (RING_LEVELS - 1) * RING_NESTED_SUBS;
}

/* The element of the map that sub-buffer @number of a level is in. */
static inline uint32_t sub_element(const struct ring_memory *memory, uint32_t cpu, uint32_t level,
				   uint64_t number)
{
	uint32_t key =
		cpu * cpu_subs(memory) + (uint32_t)(number & (level_subs(memory, level) - 1));

	if (level)
		key += memory->sub_count + (level - 1) * RING_NESTED_SUBS;
	return key;
}

static inline uint8_t *sub_at(const struct ring_memory *memory, uint32_t cpu, uint32_t level,
			      uint64_t number)
{
	return memory->data + sub_element(memory, cpu, level, number) * memory->sub_stride;
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
