/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_place: where in a tree of nodes something is being made: the structures around it, and which
 * names mean what from there (CTF 1.8.3, 7.3.2, as far as babeltrace2 2.0 follows it).
 */
#ifndef SONDE_CTF_NATURAL_PLACE_H
#define SONDE_CTF_NATURAL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf/natural_node.h"

/* The fields of an event, or of an item of a list. */
struct natural_frame {
	const struct event_class *class;
	const struct natural_node *list; /* of an item; NULL = the event */
	struct natural_frame *outer;
	const bool *renamed; /* of the event, by field of the context */
	size_t variant; /* the next one of the class that is to be made */
};

/* A structure that is being made of the fields [first, end) of its frame. */
struct natural_place {
	struct natural_frame *frame;
	const struct natural_place *outer;
	uint32_t first;
	uint32_t end;
	size_t scope; /* so much of their names leads here */
	const char *member; /* what the member that is being made is called */
	struct natural_node *node;
	struct natural_node *last; /* member so far */
};

/* In front of members of contexts that are called like one of the payload's: readers add it. */
#define NATURAL_RENAMED "context."

/* Whether readers will put NATURAL_RENAMED in front of field @i of the context again. */
bool natural_is_renamed(const struct event_class *class, size_t i);
/* How much of the name of field @i is before its name in here. */
size_t natural_place_scope(const struct natural_place *place, uint32_t i);
/* Whether something in here is called so. */
bool natural_place_has(const struct natural_place *place, const char *name);
/* The field that is @at, seen from one of @frame, which becomes the frame that it is in; NULL = nowhere. */
const struct field *natural_frame_find(const struct natural_frame **frame,
				       const struct field_ref *at);
/* Whether the last part of the name of @field, which is in @frame, means it in here. */
bool natural_place_sees(const struct natural_place *place, const struct natural_frame *frame,
			const struct field *field);
/* The last part of a dotted name. */
const char *natural_last_name(const char *name);
/* Whether @name, or the first parts of it, is the @len bytes of @wanted. */
bool natural_name_begins(const char *name, const char *wanted, size_t len);

#endif /* SONDE_CTF_NATURAL_PLACE_H */
