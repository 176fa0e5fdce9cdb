/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text_value: the value of one field as text for people: a number with its name, or the name in its place. For
 * output/text and output/text_call.
 */
#ifndef SONDE_OUTPUT_TEXT_VALUE_H
#define SONDE_OUTPUT_TEXT_VALUE_H

#include <stdint.h>

struct event;
struct names;
struct plan;
struct plan_field;
struct view;

struct text_values {
	const struct view *view; /* borrowed */
	struct names *names; /* owned by the holder */
};

/* At @p, where plan_room() fits, the value of a field that @event has, and that is not derived; returns the end. */
char *text_value_write(char *p, const struct text_values *values, const struct plan *plan,
		       const struct plan_field *pf, const struct event *event);

/* Element @i of a stack: its name alone, or, without one, its address. */
char *text_value_frame(char *p, const struct text_values *values, const struct plan *plan,
		       const struct plan_field *pf, const struct event *event, uint32_t i);

#endif /* SONDE_OUTPUT_TEXT_VALUE_H */
