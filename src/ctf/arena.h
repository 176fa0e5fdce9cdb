/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena: memory that is given back all at once. The description of a trace lives in one.
 */
#ifndef SONDE_CTF_ARENA_H
#define SONDE_CTF_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena_spare;

#define ARENA_SPARE_SIZES 48u

struct arena {
	struct arena_chunk *chunks;
	struct arena_spare
		*spares[ARENA_SPARE_SIZES]; /* what arrays gave back, by log2 of its bytes */
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);

/* Zeroed and aligned for anything; NULL = no memory. */
void *arena_alloc(struct arena *arena, size_t bytes);
/* A copy with a NUL behind it. */
char *arena_text(struct arena *arena, const char *text, size_t len);
/*
 * Appends a zeroed item to the array at *@array, which has *@count items of @item bytes and came
 * from here (or is NULL and empty). The item, or NULL; the array may move, and another one gets the place
 * where it was.
 */
void *arena_push(struct arena *arena, void **array, size_t *count, size_t item);
/* Once nothing more is pushed: moves the array to where it has as much room as it needs, if there is memory. */
void arena_fit(struct arena *arena, void **array, size_t count, size_t item);

#endif /* SONDE_CTF_ARENA_H */
