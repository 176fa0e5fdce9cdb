// SPDX-License-Identifier: BSD-2-Clause
#include "ring/look.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ring/ring.h"
#include "ring/ring_memory.h"

/* What has been seen of one ring. */
struct seen_level {
	uint64_t pos; /* in the writer's count */
	uint64_t clock_ns; /* of the last record */
	uint64_t records;
	uint64_t unseen;
	bool skipped; /* so `unseen` has to be found out again */
};

struct look {
	const struct ring_memory *memory;
	struct seen_level *levels; /* [cpus * RING_LEVELS] */
	uint8_t *copy; /* of one sub-buffer, where the writer may come round */
};

int look_open(const struct ring *ring, struct look **ret)
{
	const struct ring_memory *memory = ring_memory(ring);
	size_t count = (size_t)memory->cpus * RING_LEVELS;
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return -ENOMEM;
	look->memory = memory;
	look->levels = calloc(count, sizeof(*look->levels));
	look->copy = malloc(memory->sub_stride);
	if (!look->levels || !look->copy) {
		look_close(look);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		look->levels[i] = (struct seen_level){.pos = sizeof(struct packet_head),
						      .clock_ns = memory->start_ns};
	*ret = look;
	return 0;
}

void look_close(struct look *look)
{
	if (!look)
		return;
	free(look->levels);
	free(look->copy);
	free(look);
}

/* Whether the writer has come to sub-buffer @number again. */
static bool is_gone(const struct look *look, const struct ring_level *level, uint32_t v,
		    uint64_t number)
{
	uint64_t pos = __atomic_load_n(&level->pos, __ATOMIC_RELAXED);

	return pos >> look->memory->sub_shift >= number + level_subs(look->memory, v);
}

/*
 * The records of sub-buffer @number in [from, to): in place, unless the writer can come round,
 * else a copy; NULL: it has come round during the copy.
 */
static const uint8_t *take_span(const struct look *look, uint32_t cpu, uint32_t v, uint64_t number,
				uint32_t from, uint32_t to)
{
	const struct ring_level *level = &look->memory->control[cpu].level[v];
	const uint8_t *sub = sub_at(look->memory, cpu, v, number);

	if (!look->memory->overwrite && number >= level->consumed)
		return sub + from;
	memcpy(look->copy, sub + from, to - from);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return is_gone(look, level, v, number) ? NULL : look->copy;
}

/* The next span of one ring, not beyond @stop. True: there may be more. */
static bool look_step(struct look *look, uint32_t cpu, uint32_t v, struct position stop,
		      look_viewer view, void *ctx)
{
	struct seen_level *seen = &look->levels[cpu * RING_LEVELS + v];
	const struct ring_level *level = &look->memory->control[cpu].level[v];
	uint32_t shift = look->memory->sub_shift, mask = (1u << shift) - 1;
	uint32_t slots = level_subs(look->memory, v);
	uint64_t current = stop.pos >> shift, number = seen->pos >> shift;
	struct look_span span = {.cpu = cpu, .level = v};
	uint64_t begin_ns;
	uint32_t from, to;

	if (number + slots <= current) {
		seen->skipped = true;
		number = current - slots + 1;
		seen->pos = (number << shift) + sizeof(struct packet_head);
	}
	if (seen->pos >= stop.pos)
		return false;
	from = (uint32_t)seen->pos & mask;
	to = current > number ? level->used[number & (slots - 1)] : (uint32_t)stop.pos & mask;
	begin_ns = level->begin_ns[number & (slots - 1)];
	if (to > from && to <= mask) {
		/* Else the writer is just opening its place again. */
		if (begin_ns <= stop.last_ns)
			span.records = take_span(look, cpu, v, number, from, to);
		span.len = to - from;
		span.clock_ns = from == sizeof(struct packet_head) ? begin_ns : seen->clock_ns;
		if (span.records)
			seen->records += view(ctx, &span, &seen->clock_ns);
		else
			seen->skipped = true;
	}
	seen->pos = current > number ? ((number + 1) << shift) + sizeof(struct packet_head) :
				       stop.pos;
	return current > number;
}

/* Counts records that were written and not seen: only if a part was skipped, since the writer counts its record
 * a moment before it publishes it. */
static void count_unseen(struct seen_level *seen, uint64_t records)
{
	if (seen->skipped && records > seen->records + seen->unseen)
		seen->unseen = records - seen->records;
	seen->skipped = false;
}

void look_run(struct look *look, look_viewer view, void *ctx)
{
	for (uint32_t cpu = 0; cpu < look->memory->cpus; cpu++) {
		for (uint32_t v = 0; v < RING_LEVELS; v++) {
			const struct ring_level *level = &look->memory->control[cpu].level[v];
			uint64_t records = __atomic_load_n(&level->records, __ATOMIC_ACQUIRE);
			struct position stop = position_get(level);

			while (look_step(look, cpu, v, stop, view, ctx))
				;
			count_unseen(&look->levels[cpu * RING_LEVELS + v], records);
		}
	}
}

uint64_t look_unseen(const struct look *look)
{
	uint64_t unseen = 0;

	for (size_t i = 0; i < (size_t)look->memory->cpus * RING_LEVELS; i++)
		unseen += look->levels[i].unseen;
	return unseen;
}
