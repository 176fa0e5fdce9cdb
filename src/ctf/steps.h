/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steps: the way through the contexts and the payload of an event, worked out once per class by
 * ctf/flatten: the order of values, which of them are fields, and which values decide the next step.
 *
 * A step belongs to a frame: the event, or one item of a list. A frame has an array of offsets,
 * which the steps fill in; it says where the frame's fields lie (schema/event.h).
 */
#ifndef SONDE_CTF_STEPS_H
#define SONDE_CTF_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Integers of 1 to 64 bits that begin at any bit (CTF 1.8.3, section 4.1.5). */

/* The caller has checked that all of the bits are there. Not sign-extended. */
uint64_t bits_get(const uint8_t *bytes, uint64_t at, unsigned int size, bool big_endian);
uint64_t bits_sign(uint64_t value, unsigned int size);
/* The clock after it met an integer of @size bits that holds its lower bits (section 8). */
uint64_t bits_clock(uint64_t clock, uint64_t value, unsigned int size);

struct ctf_choice;
struct ctf_step;
struct event_class;

/* `field` of a value that is not a field. */
#define CTF_NO_FIELD UINT32_MAX

enum ctf_step_kind {
	CTF_STEP_BITS, /* `bits` of them: a number, an array of numbers, or nothing but alignment */
	CTF_STEP_LEB128, /* a number of variable length */
	CTF_STEP_STRING,
	CTF_STEP_SEQUENCE, /* numbers side by side, as many as a value says */
	CTF_STEP_LIST, /* items, each of which takes the steps of `inner[0]` */
	CTF_STEP_CHOICE, /* the steps of one of `inner`, or an end to it all, unless `optional` */
};

struct ctf_steps {
	struct ctf_step *steps;
	size_t count;
};

struct ctf_step {
	enum ctf_step_kind kind;
	uint32_t align; /* bits */
	uint32_t field; /* in its frame; CTF_NO_FIELD = none */
	uint32_t bits; /* all; of a sequence, of one element */
	uint32_t count; /* items of a list, unless `from` */
	uint16_t from; /* slot of the value that is a length or a tag; 0 = none */
	uint16_t slot; /* where the value of this number is kept; 0 = unused */
	uint8_t size; /* bits of this number */
	bool is_signed; /* this number; of a choice, its tag */
	bool big_endian;
	bool optional;
	const struct ctf_steps *inner;
	const struct ctf_choice *choices; /* which of `inner` */
	size_t choice_count;
	const struct event_class *items; /* of a list: the frame of each item */
};

/* Where the steps are being taken. Positions are bits from the start of the packet. */
struct ctf_stepper {
	const uint8_t *data; /* the window of the packet that is read */
	uint64_t window_begin;
	uint64_t end;
	uint64_t pos;
	uint64_t base; /* what offsets are counted from: a whole byte */
	uint64_t *slots; /* 2 * CTF_SLOTS_MAX: values of headers, then of contexts and payload */
	bool big_endian; /* the last number, of which more may be in the same byte */
	bool any; /* there was one */
	uint64_t steps; /* taken so far: CTF_STEPS_MAX at most */
	uint32_t *pool; /* for the offsets of items */
	size_t room;
};

/*
 * 0 with pos behind it all, and @offsets filled in for a frame of @class. -ENODATA: the window ends
 * first; -EBADMSG: a tag that chooses nothing; -EILSEQ: the byte order changes inside a byte; -E2BIG: over a limit; -ENOBUFS: the pool is too small.
 */
int ctf_steps_run(struct ctf_stepper *stepper, const struct ctf_steps *steps,
		  const struct event_class *class, uint32_t *offsets);
/* The same for more of a frame: entries that are filled in already stay. */
int ctf_steps_run_on(struct ctf_stepper *stepper, const struct ctf_steps *steps,
		     const struct event_class *class, uint32_t *offsets);

#endif /* SONDE_CTF_STEPS_H */
