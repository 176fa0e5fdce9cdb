/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_type: fields of an event class as types again: dotted names are structures, options variants,
 * items what lists are of. Only ctf/natural_trees calls it.
 */
#ifndef SONDE_CTF_NATURAL_TYPE_H
#define SONDE_CTF_NATURAL_TYPE_H

#include <stdbool.h>
#include <stddef.h>

struct natural_frame;
struct natural_maker;
struct natural_node;

/* The outermost structure of the fields [@first, @end) of @frame, an event's; @task: with its task in front. */
const struct natural_node *natural_type_root(struct natural_maker *maker,
					     struct natural_frame *frame, size_t first, size_t end,
					     bool task);

#endif /* SONDE_CTF_NATURAL_TYPE_H */
