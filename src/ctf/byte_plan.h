/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * byte_plan: the steps of an event class (ctf/steps.h) as operations on whole bytes, worked out once.
 * Numbers and arrays that lie side by side are one operation. ctf/decoder runs it for each event.
 *
 * A plan never decides what is an error: what it does not take, the steps take or refuse. What it
 * takes has the offsets, the length and the values that the steps would find.
 */
#ifndef SONDE_CTF_BYTE_PLAN_H
#define SONDE_CTF_BYTE_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct ctf_byte_op;
struct ctf_layout;

struct ctf_byte_plan {
	struct ctf_byte_op *ops;
	size_t count;
};

/* In memory of @arena. *@ret is NULL if some step needs bits, a list or a choice. 0 or -ENOMEM. */
int byte_plan_make(struct arena *arena, const struct ctf_layout *layout,
		   const struct ctf_byte_plan **ret);

/*
 * Takes the event whose contexts and payload begin at @payload, @at bytes into its packet, in a window
 * that ends at @end. Fills in @offsets (event_class.offset_count of them) and, in @slots, the values
 * that lengths and the task need. Returns the first byte after the event, which has one at least, or
 * NULL: take the steps.
 */
const uint8_t *byte_plan_run(const struct ctf_byte_plan *plan, const uint8_t *payload, uint64_t at,
			     const uint8_t *end, uint64_t *slots, uint32_t *offsets);

#endif /* SONDE_CTF_BYTE_PLAN_H */
