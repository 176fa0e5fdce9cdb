/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_trees: the types of an event of any class, as trees of nodes (ctf/natural_node.h): which there
 * have to be, and which fields each of them has. Only ctf/natural calls it.
 */
#ifndef SONDE_CTF_NATURAL_TREES_H
#define SONDE_CTF_NATURAL_TREES_H

#include <stdbool.h>

struct arena;
struct event_class;
struct natural_node;

/* All NULL where fields one after the other do as well. */
struct natural_trees {
	const struct natural_node *shared; /* the context that is a stream's; NULL = none */
	const struct natural_node *context; /* the event's own; NULL = none */
	const struct natural_node *payload;
};

/*
 * Makes all in @arena; they borrow @class. @has_heads: its events have record heads (wire/record.h),
 * which tell the task, but for those that share a context. -ENOMEM.
 */
int natural_trees_make(const struct event_class *class, bool has_heads, struct arena *arena,
		       struct natural_trees *ret);

#endif /* SONDE_CTF_NATURAL_TREES_H */
