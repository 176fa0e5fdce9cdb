/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_node: one of the types of an event in the form in which it is written, a node of the trees that
 * ctf/natural makes; and how it gets there. A tree is completed even if memory is missing:
 * the error is checked once, then. And where in a tree something is being made: the structures around
 * it, and which names mean what from there (CTF 1.8.3, 7.3.2, as far as babeltrace2 2.0 follows it).
 * Only ctf/natural and its parts use this.
 */
#ifndef SONDE_CTF_NATURAL_NODE_H
#define SONDE_CTF_NATURAL_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/event.h"
#include "schema/variant.h"
#include "wire/record.h"

struct arena;
struct buffer;

enum natural_kind {
	NATURAL_FIELD, /* a value, or numbers side by side */
	NATURAL_LIST, /* `inner` is what an item of it is */
	NATURAL_STRUCT, /* `inner` are its members */
	NATURAL_VARIANT, /* `inner` are its options */
	NATURAL_LENGTH, /* that of `of` */
	NATURAL_TAG, /* selects the option of `of` */
	NATURAL_TASK, /* the event's task, if it is not a field */
};

/* `option` of the one that is chosen where the event has nothing of a variant. */
#define NATURAL_NOTHING UINT32_MAX

struct natural_node {
	enum natural_kind kind;
	uint32_t align; /* bits */
	const char *name; /* as TSDL has it; of an item NULL */
	const struct natural_node *next; /* member or option */
	const struct natural_node *inner; /* the first one */
	const struct natural_node *list; /* in whose items it is; NULL = in the event itself */
	uint32_t index; /* of a field, in its class */
	uint32_t option; /* of an option: which of its variant's */
	struct field field; /* as written */
	const char *path; /* to a length or a tag; NULL = `field.count` */
	const struct event_variant *variant;
	bool own_tag; /* the variant's tag is a field of the source */
	const struct natural_node *of;
	uint32_t bits; /* of what is added: a length, a tag, a task */
};

/* As records are aligned: nothing that we write is aligned to more. */
#define NATURAL_ALIGN_BITS (8 * RECORD_ALIGN)
/* Of a length that is added, and of a task. */
#define NATURAL_WORD_BITS 32u

/* Out of memory is sticky: nodes are still made, all in a spare one, and tied to nothing. */
struct natural_maker {
	struct arena *arena;
	const struct event_class *class;
	size_t shared; /* so many fields of the context are in the stream's */
	int err;
	struct natural_node spare;
};

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

/* A field of a class as written: whole bytes, little-endian. */
struct field natural_field(const struct field *field);

/* One in @frame; never NULL. */
struct natural_node *natural_node_make(struct natural_maker *maker, enum natural_kind kind,
				       const struct natural_frame *frame);
/* @name as TSDL can have it, in the maker's arena. */
const char *natural_node_name(struct natural_maker *maker, const char *name, size_t len);
/* What is in @text, kept there; ends @text. */
const char *natural_node_text(struct natural_maker *maker, struct buffer *text);
/* The next member of the structure at @place, which is aligned as its members are. */
void natural_node_append(const struct natural_maker *maker, struct natural_place *place,
			 struct natural_node *node);

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

#endif /* SONDE_CTF_NATURAL_NODE_H */
