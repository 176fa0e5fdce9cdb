/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk: reads a structure by its description: packet headers and contexts, event headers. It keeps
 * the values whose roles readers know, follows the clock, and knows where the structure ends.
 */
#ifndef SONDE_CTF_WALK_H
#define SONDE_CTF_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf/type.h"
#include "wire/ctf.h"

struct walk {
	const uint8_t *data; /* the window of the packet that is read */
	uint64_t base; /* bits from the start of the packet to the window: a whole byte */
	uint64_t pos; /* bits from the start of the packet, like the next */
	uint64_t end;
	uint64_t clock; /* cycles */
	uint64_t steps; /* taken in this packet (walk_may_spend) */
	bool any; /* there was a number: */
	bool big_endian; /* its byte order */
	uint64_t *slots; /* CTF_SLOTS_MAX of them at least, kept from structure to structure */
	uint32_t seen; /* 1 << role */
	uint64_t values[CTF_ROLE_COUNT];
	const uint8_t *uuid; /* in the window; NULL = not met */
};

/* Forgets roles, and continues from the same position. */
void walk_reset(struct walk *walk);
static inline bool walk_has(const struct walk *walk, enum ctf_role role)
{
	return walk->seen >> role & 1;
}

static inline uint64_t walk_align(uint64_t pos, uint32_t align)
{
	return (pos + align - 1) & ~((uint64_t)align - 1);
}

/* Whether a packet may take @steps to where it is read up to, @pos bits from its start. */
static inline bool walk_may_spend(uint64_t steps, uint64_t pos)
{
	return steps <= CTF_STEPS_FREE + pos * CTF_STEPS_PER_BIT;
}

/* 0 with pos behind it; -ENODATA: the window ends first; -EBADMSG: a tag that chooses nothing; -EILSEQ: the byte order changes inside a byte;
 * -E2BIG: over a limit. NULL is an empty structure. */
int walk_type(struct walk *walk, const struct ctf_type *type);

#endif /* SONDE_CTF_WALK_H */
