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

/* What was an array, until another one is put there. */
struct arena_spare {
	struct arena_spare *next;
};

void arena_init(struct arena *arena)
{
	*arena = (struct arena){.chunks = NULL};
}

void arena_fini(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
	arena_init(arena);
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

/* The number of the smallest power of two that is @bytes or more. */
static unsigned int size_of(size_t bytes)
{
	return bytes > 1 ? 64u - (unsigned int)__builtin_clzll(bytes - 1) : 0;
}

/* Room for @count items where an array grows: the bytes are a power of two. */
static size_t array_bytes(size_t count, size_t item)
{
	size_t room = 4;

	while (room < count)
		room *= 2;
	return (size_t)1 << size_of(room * item);
}

static void give_back(struct arena *arena, void *block, size_t bytes)
{
	struct arena_spare *spare = block;
	unsigned int size = size_of(bytes);

	if (size >= ARENA_SPARE_SIZES)
		return;
	spare->next = arena->spares[size];
	arena->spares[size] = spare;
}

/* Not zeroed. */
static void *take_spare(struct arena *arena, size_t bytes)
{
	unsigned int size = size_of(bytes);
	struct arena_spare *spare = size < ARENA_SPARE_SIZES ? arena->spares[size] : NULL;

	if (spare)
		arena->spares[size] = spare->next;
	return spare;
}

/* Arrays double: whenever the count is a power of two from 4 on, or 0, the array is full. */
void *arena_push(struct arena *arena, void **array, size_t *count, size_t item)
{
	if (!*count || (*count >= 4 && !(*count & (*count - 1)))) {
		size_t used = *count * item, bytes = array_bytes(*count + 1, item);
		void *spare = take_spare(arena, bytes), *grown = spare ?: arena_alloc(arena, bytes);

		if (!grown)
			return NULL;
		if (spare)
			memset((char *)spare + used, 0, bytes - used);
		if (*count) {
			memcpy(grown, *array, used);
			give_back(arena, *array, array_bytes(*count, item));
		}
		*array = grown;
	}
	return (char *)*array + (*count)++ * item;
}

void arena_fit(struct arena *arena, void **array, size_t count, size_t item)
{
	const size_t bytes = array_bytes(count, item);
	void *fit;

	if (!count || count * item > bytes / 2 + bytes / 4)
		return;
	fit = arena_alloc(arena, count * item);
	if (!fit)
		return;
	memcpy(fit, *array, count * item);
	give_back(arena, *array, bytes);
	*array = fit;
}
