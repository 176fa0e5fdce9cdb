// SPDX-License-Identifier: BSD-2-Clause
#include "schema/stack.h"

#include <stddef.h>
#include <string.h>

static const struct field_label states[] = {
	{STACK_STATE_WHOLE, STACK_STATE_WHOLE, "WHOLE"},
	{STACK_STATE_KERNEL_CUT, STACK_STATE_KERNEL_CUT, "KERNEL_CUT"},
	{STACK_STATE_USER_CUT, STACK_STATE_USER_CUT, "USER_CUT"},
	{STACK_STATE_BOTH_CUT, STACK_STATE_BOTH_CUT, "BOTH_CUT"},
	{STACK_STATE_NONE, STACK_STATE_NONE, "NONE"},
	{STACK_STATE_FAILED, STACK_STATE_FAILED, "FAILED"},
	{STACK_STATE_LOST, STACK_STATE_LOST, "LOST"},
};

static struct field number(const char *name, const char *text, const char *unit, uint16_t bits)
{
	return (struct field){
		.name = name,
		.text = text,
		.unit = unit,
		.kind = FIELD_INT,
		.scope = FIELD_SCOPE_OBJECT,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.bits = bits,
		.align_bits = bits < 32 ? bits : 32,
		.count = 1,
	};
}

static struct field frames(const char *name, const char *text, uint32_t length)
{
	struct field field = number(name, text, NULL, 64);

	field.show = FIELD_SHOW_SYMBOL;
	field.count = 0;
	field.length = length;
	return field;
}

void stack_fields(struct field fields[STACK_FIELD_COUNT], uint32_t first)
{
	fields[0] = number(
		STACK_STATE,
		"WHOLE; which sides had more frames than are here; NONE: no frames; FAILED: it "
		"could not be taken; LOST: its frames are not in the trace",
		NULL, 32);
	fields[0].labels = states;
	fields[0].label_count = sizeof(states) / sizeof(states[0]);
	fields[1] = number(STACK_KERNEL_DEPTH, "frames of the kernel's stack", "frames", 16);
	fields[2] = number(STACK_USER_DEPTH, "frames of the program's stack", "frames", 16);
	/* The length of a sequence: 1 + the index of what counts its elements. */
	fields[3] = frames(STACK_KERNEL_STACK, "pc in the kernel, then its callers", first + 2);
	fields[4] = frames(STACK_USER_STACK, "pc in the program, then its callers", first + 3);
}

bool stack_has_field(const char *name)
{
	static const char *const names[STACK_FIELD_COUNT] = {STACK_STATE, STACK_KERNEL_DEPTH,
							     STACK_USER_DEPTH, STACK_KERNEL_STACK,
							     STACK_USER_STACK};

	for (size_t i = 0; i < STACK_FIELD_COUNT; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}
