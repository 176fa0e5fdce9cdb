/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack: the fields of an event's stack, as readers see them: frames of the kernel and of the program, innermost first.
 * In a trace they stand once for many events (wire/stack.h), and source/stacked gives them to each.
 */
#ifndef SONDE_SCHEMA_STACK_H
#define SONDE_SCHEMA_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/field.h"

#define STACK_STATE "stack_state"
#define STACK_KERNEL_DEPTH "kernel_depth"
#define STACK_USER_DEPTH "user_depth"
#define STACK_KERNEL_STACK "kernel_stack"
#define STACK_USER_STACK "user_stack"
#define STACK_FIELD_COUNT 5u
#define STACK_NAME \
	"stack" /* of the whole as one text, in expressions and groups (analyse/stack_text) */
#define STACK_OF_WAKER_NAME "waker_stack" /* of the wakeup that ended a wait, likewise */

/* The first are those of enum stack_cut (wire/note.h). */
enum stack_state {
	STACK_STATE_WHOLE,
	STACK_STATE_KERNEL_CUT,
	STACK_STATE_USER_CUT,
	STACK_STATE_BOTH_CUT,
	STACK_STATE_NONE, /* there are no frames */
	STACK_STATE_FAILED, /* it could not be taken */
	STACK_STATE_LOST, /* what has the frames is not there */
};

/* Describes them: state, depths, stacks, as fields from @first on of some class. Where they are, each event knows. */
void stack_fields(struct field fields[STACK_FIELD_COUNT], uint32_t first);

/* Whether one of them is called so. */
bool stack_has_field(const char *name);

#endif /* SONDE_SCHEMA_STACK_H */
