/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_type: fields of an event class as types again: dotted names are structures, options variants,
 * items what lists are of. Only ctf/natural calls it.
 */
#ifndef SONDE_CTF_NATURAL_TYPE_H
#define SONDE_CTF_NATURAL_TYPE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the labels of a number choose the options of a variant, as TSDL has it: by
 * their names alone.
 */

struct event_variant;
struct field;

/*
 * They do, and choose the same as the source has it: each option that has fields, none of them two,
 * with names that can be written as they are.
 */
bool natural_tag_fits(const struct event_variant *variant, const struct field *tag);
/* The label of @tag that chooses an option of @variant, or NULL. */
const char *natural_tag_label(const struct event_variant *variant, size_t option,
			      const struct field *tag);

struct natural_frame;
struct natural_maker;
struct natural_node;

/* The outermost structure of the fields [@first, @end) of @frame, an event's; @task: with its task in front. */
const struct natural_node *natural_type_root(struct natural_maker *maker,
					     struct natural_frame *frame, size_t first, size_t end,
					     bool task);

#endif /* SONDE_CTF_NATURAL_TYPE_H */
