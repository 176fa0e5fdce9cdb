/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * tracepoint: how the kernel half turns a tracepoint's data, in the kernel's own layout, into a
 * record: a plan for each tracepoint, made by user space (probe/tracepoint.h), which one program
 * (probe/tracepoint.bpf.c) follows.
 *
 * Positions `from` count from the start of the tracepoint's data, as in its format file;
 * positions `to` from the start of the record, with a head of RECORD_HEAD_BYTES.
 */
#ifndef SONDE_WIRE_TRACEPOINT_H
#define SONDE_WIRE_TRACEPOINT_H

#include <linux/types.h>

#include "wire/record.h"

/* Ids of event classes: those below are measurements of our own. */
#define TRACEPOINT_FIRST_ID 256u
#define TRACEPOINT_MAX 256u /* recorded by one recorder */
_Static_assert(TRACEPOINT_FIRST_ID + TRACEPOINT_MAX <= RECORD_ID_EXTENDED, "compact ids");

#define TRACEPOINT_RUN_MAX 16u
#define TRACEPOINT_DYNAMIC_MAX 8u
#define TRACEPOINT_FIXED_MAX 1024u /* head and fixed part */
/* All of a record, but for its end: the NULs of texts that have no room at all, and what was cut.
 * With an extended head that is still below RECORD_MAX_BYTES. */
#define TRACEPOINT_BYTES_MAX 2016u
#define TRACEPOINT_END_BYTES (TRACEPOINT_DYNAMIC_MAX + RECORD_ALIGN + sizeof(__u32))
_Static_assert(TRACEPOINT_BYTES_MAX + TRACEPOINT_END_BYTES + RECORD_EXTENDED_BYTES <=
		       RECORD_MAX_BYTES + RECORD_HEAD_BYTES,
	       "room");

/* Fields that follow each other without a hole, copied at once. */
struct tracepoint_run {
	__u16 from;
	__u16 to;
	__u16 bytes;
	__u16 unused;
};

/* A text or an array whose length each event has: a word in the fixed part says how long it is
 * and where. In the record they follow the fixed part, one behind the other, and behind the last one,
 * aligned, stands how many bytes did not fit (u32). */
struct tracepoint_dynamic {
	__u16 from; /* of that word */
	__u16 to; /* of an array: where the record counts its elements, u16 */
	__u8 is_text;
	__u8 is_relative; /* its place counts from behind the word */
	__u8 element_shift; /* log2 of an element's bytes */
	__u8 unused;
};

struct tracepoint_plan {
	__u16 id; /* of its records */
	__u16 fixed_bytes; /* head and fixed part */
	__u8 run_count;
	__u8 dynamic_count;
	__u8 stacks; /* sides of the stack that is recorded (wire/stack.h) */
	__u8 unused;
	struct tracepoint_run runs[TRACEPOINT_RUN_MAX];
	struct tracepoint_dynamic dynamic[TRACEPOINT_DYNAMIC_MAX];
};

#endif /* SONDE_WIRE_TRACEPOINT_H */
