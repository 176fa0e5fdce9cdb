// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384u

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t room;
	max_align_t data[];
};

void arena_init(struct arena *arena)
{
	arena->chunks = NULL;
}

void arena_fini(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
}

static struct arena_chunk *add_chunk(struct arena *arena, size_t bytes)
{
	size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + room);

	if (!chunk)
		return NULL;
	chunk->room = room;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = arena->chunks;
	const size_t align = alignof(max_align_t);
	void *ret;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + align - 1) & ~(align - 1);
	if (!chunk || chunk->room - chunk->used < bytes)
		chunk = add_chunk(arena, bytes);
	if (!chunk)
		return NULL;
	ret = (char *)chunk->data + chunk->used;
	chunk->used += bytes;
	return ret;
}

char *arena_text(struct arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

/* Arrays double: whenever the count is a power of two from 4 on, or 0, the array is full. */
void *arena_push(struct arena *arena, void **array, size_t *count, size_t item)
{
	if (!*count || (*count >= 4 && !(*count & (*count - 1)))) {
		size_t room = *count ? *count * 2 : 4;
		void *grown = arena_alloc(arena, room * item);

		if (!grown)
			return NULL;
		if (*count)
			memcpy(grown, *array, *count * item);
		*array = grown;
	}
	return (char *)*array + (*count)++ * item;
}
