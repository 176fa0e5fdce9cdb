/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * stack: the stacks of events under --stack, as the kernel half takes them (probe/stack.bpf.h) and the recorder asks for
 * them. The stack itself is a record, sonde.stack (wire/note.h); an event that has one begins with its id, a field
 * STACK_FIELD of 64 bits between head and the other fields.
 */
#ifndef SONDE_WIRE_STACK_H
#define SONDE_WIRE_STACK_H

#define STACK_FIELD "stack_id"
#define STACK_FIELD_BYTES 8u

enum stack_side { STACK_KERNEL, STACK_USER, STACK_SIDES };
#define STACK_BOTH 3u /* 1 << each */

/* Instead of the id of a stack: */
#define STACK_NONE 0u /* there are no frames: of a kernel thread's program, for example */
#define STACK_FAILED 1u /* it could not be taken */
#define STACK_REFUSED 2u /* within the kernel half: the event is lost as well */
#define STACK_ID_FIRST 16u

#define STACK_FRAMES_MAX 112u /* of each side */
#define STACK_FRAMES_DEFAULT 64u
/* Of the kernel's side, more than were asked for: so many functions may lie between what is measured and the one that
 * takes the stack. Readers leave them out. */
#define STACK_FRAMES_OVER 8u
/* Of these, so many are there everywhere, and not recorded: a helper of the kernel, stack_take, the program, and what
 * ran it. */
#define STACK_FRAMES_SKIP 4u

enum stack_count { STACK_COUNT_STORED, STACK_COUNT_FAILED, STACK_COUNTS };

#endif /* SONDE_WIRE_STACK_H */
