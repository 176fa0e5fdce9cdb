/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural: an event class in the form in which we write it again, whatever form it was read in:
 * little-endian, each field on its own bytes, as wire/record.h aligns them; or as it was, where
 * nothing moves in it from event to event.
 *
 * Names, sizes, labels and meanings stay, so that every reader shows the same. Classes with variants,
 * lists and the like are written by trees of nodes (below), the others by their fields.
 */
#ifndef SONDE_CTF_NATURAL_H
#define SONDE_CTF_NATURAL_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/event.h"

/*
 * The types of an event of any class, as trees of nodes (ctf/natural_node.h): which there
 * have to be, and which fields each of them has. Only ctf/natural calls it.
 */

struct arena;
struct buffer;
struct diag;
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

struct natural {
	struct event_class class;
	struct field *fields; /* NULL = those of the class that was read */
	uint32_t *aligns; /* bits: on what each field begins */
	bool same; /* the payload is copied unchanged, and so are the fields' places */
	unsigned int spare_bits; /* behind it, in its last byte */
	struct natural_trees trees; /* where there is a payload, none of what is above */
};

/*
 * Borrows @class, and has all that it is made of in @arena. @has_heads: its events have record heads
 * (wire/record.h). -ENOMEM.
 */
int natural_init(struct natural *natural, const struct event_class *class, bool has_heads,
		 struct arena *arena, struct diag *diag);

/* Appends the TSDL of the class, an event of @stream. As metadata_write_event. */
int natural_describe(const struct natural *natural, struct buffer *out, uint32_t stream);
/* The context that is a stream's, where it has one: "struct { ... }". */
void natural_describe_shared(const struct natural *natural, struct buffer *out);

/*
 * Appends the payload of @event, an event of the class that @natural was made of, to the packet @out,
 * whose first byte is the packet's and whose length is a multiple of RECORD_ALIGN. Nothing follows
 * the last field: a reader would take padding at the end of a packet for an event. Returns how many
 * bits of the last byte do not belong to it. Out of memory stays in @out.
 */
unsigned int natural_pack(const struct natural *natural, const struct event *event,
			  struct buffer *out);

#endif /* SONDE_CTF_NATURAL_H */
