/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * head_plan: how the headers of a stream's events are read without a look at their types: where in
 * them the id and the time are, and by id everything else about an event.
 *
 * It is for headers of which id and time are always at the same place: LTTng's compact and large
 * ones in their short form, our own (wire/record.h), barectf's. Headers that do not follow it (long forms,
 * unknown ids) are left to the reader of any header.
 */
#ifndef SONDE_CTF_HEAD_PLAN_H
#define SONDE_CTF_HEAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ctf_byte_plan;
struct ctf_layout;
struct ctf_stream_class;
struct ctf_trace_class;
struct diag;
struct event_class;

/* A number within the 8 bytes (of a task: 4) from `byte` on. */
struct ctf_place {
	uint64_t mask; /* 0: it is not there, and is 0 */
	uint32_t byte;
	uint8_t shift; /* once the bytes are in the host's order */
	bool swap; /* they are not */
};

/* One id. */
struct ctf_head_slot {
	const struct ctf_layout *layout; /* NULL = no such event */
	const struct event_class *class;
	const uint32_t *offsets;
	uint32_t stride; /* bytes to the next event; 0 = only the event itself knows */
	uint32_t bytes; /* from its start to the payload, where there is a stride or a plan: */
	const struct ctf_byte_plan *bytes_plan; /* of an event without a stride; NULL = take steps */
	struct ctf_place task; /* from the start of the event; its mask is 0 without one */
};

struct ctf_head_plan {
	struct ctf_place id;
	struct ctf_place time;
	uint64_t first_id; /* that have this form */
	uint64_t last_id;
	uint32_t reach; /* bytes that have to be there, so that all of it can be loaded */
	uint32_t head_bits; /* where it ends */
	uint32_t align; /* bits: where events begin */
	uint16_t id_slot; /* where the id is kept if it is used; 0 = unused */
	bool is_ns; /* the clock counts ns */
	uint64_t base_ns; /* when it stood at 0 */
	struct ctf_head_slot *slots;
	size_t slot_count;
};

/* Sets stream->plan where it applies, once the events have layouts. -ENOMEM or 0. */
int head_plan_make(struct ctf_trace_class *trace, struct ctf_stream_class *stream,
		   struct diag *diag);

static inline uint64_t ctf_place_load(const struct ctf_place *place, const uint8_t *event)
{
	uint64_t word;

	memcpy(&word, event + place->byte, sizeof(word));
	if (__builtin_expect(place->swap, 0))
		word = __builtin_bswap64(word);
	return word >> place->shift & place->mask;
}

static inline int32_t ctf_place_task(const struct ctf_place *place, const uint8_t *event)
{
	uint32_t word;

	if (!place->mask)
		return -1;
	memcpy(&word, event + place->byte, sizeof(word));
	if (__builtin_expect(place->swap, 0))
		word = __builtin_bswap32(word);
	return (int32_t)(word >> place->shift & (uint32_t)place->mask);
}

#endif /* SONDE_CTF_HEAD_PLAN_H */
