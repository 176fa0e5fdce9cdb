/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena: memory that is given back all at once. The description of a trace lives in one.
 */
#ifndef SONDE_CTF_ARENA_H
#define SONDE_CTF_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
};

void arena_init(struct arena *arena);
void arena_fini(struct arena *arena);

/* Zeroed and aligned for anything; NULL = no memory. */
void *arena_alloc(struct arena *arena, size_t bytes);
/* A copy with a NUL behind it. */
char *arena_text(struct arena *arena, const char *text, size_t len);
/*
 * Appends a zeroed item to the array at *@array, which has *@count items of @item bytes and came
 * from here (or is NULL and empty). The item, or NULL; the array may move.
 */
void *arena_push(struct arena *arena, void **array, size_t *count, size_t item);

#endif /* SONDE_CTF_ARENA_H */
