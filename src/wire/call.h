/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * call: how the kernel half packs the arguments of a system call: a plan for each call, made by user space
 * from the table of calls (schema/calls.h), which probe/sys.bpf.c follows.
 */
#ifndef SONDE_WIRE_CALL_H
#define SONDE_WIRE_CALL_H

#include <linux/types.h>

#include "wire/record.h"
#include "wire/tracepoint.h"

/* Ids of event classes: the row in the table and this. */
#define CALL_FIRST_ID 512u
#define CALL_ROWS_MAX (RECORD_ID_EXTENDED - CALL_FIRST_ID)
_Static_assert(TRACEPOINT_FIRST_ID + TRACEPOINT_MAX <= CALL_FIRST_ID, "ids of their own");

#define CALL_NUMBERS_PLANNED 512u /* calls with higher numbers have no plan */
#define CALL_PLAN_ARGS 6u

/* Instead of an id: */
#define CALL_PLAN_NONE 0u /* six words, as the class sys.enter has them */
#define CALL_PLAN_UNWANTED 1u /* nothing is recorded */

/* Of an argument: its bytes, 4 or 8; and whether a 32-bit caller passes it with a sign. */
#define CALL_ARG_BYTES 0x0cu
#define CALL_ARG_EXTEND 0x10u
/* Of the third one: it is no argument, but the first 8 bytes of what the first one points to; all bits: not readable. */
#define CALL_ARG_POINTED 0x20u

/* Behind the rest of a record: as much of each text that arguments point to as is recorded, with a NUL; aligned to
 * RECORD_ALIGN, how each is (__u32). */
#define CALL_TEXT_BYTES 256u /* at most, with its NUL */
#define CALL_TEXTS_MAX 3u
enum call_text_state {
	CALL_TEXT_WHOLE,
	CALL_TEXT_CUT, /* it goes on */
	CALL_TEXT_MISSING, /* not readable, or not in memory when the call began */
	CALL_TEXT_NULL, /* the pointer is NULL */
};

/* The same for the address of a socket: how many bytes are recorded (__u32), these, aligned to RECORD_ALIGN, how it is. */
#define CALL_ADDRESS_BYTES 128u /* at most */

/* Of an argument that is the address of a socket, and of the one with its length: 1 + their number. */
#define CALL_ADDRESS_ARG 0x0fu
#define CALL_ADDRESS_LENGTH_SHIFT 4

/* Behind the states of texts, the same for a list of texts: each with its NUL. */
#define CALL_LIST_BYTES 256u
#define CALL_LIST_MAX 32u /* texts */

struct call_plan {
	__u16 id;
	__u8 bytes; /* of all arguments */
	__u8 args[CALL_PLAN_ARGS];
	__u8 texts; /* a bit for each argument that points to a text to be recorded */
	__u8 stacks; /* sides of the stack that is recorded (wire/stack.h), if any call has one */
	__u8 address; /* that is to be recorded; 0: none. No call has one beside texts */
	__u8 pair; /* 1 + the number of an argument that points to two descriptors when the call ends; 0: none */
	__u8 list; /* 1 + the number of an argument that is a list of texts; 0: none */
};

#endif /* SONDE_WIRE_CALL_H */
