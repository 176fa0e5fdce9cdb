/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural_node: one of the types of an event in the form in which it is written, a node of the trees that
 * ctf/natural_trees makes; and how it gets there. A tree is completed even if memory is missing:
 * the error is checked once, then. Only ctf/natural and its parts use this.
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
struct natural_frame;
struct natural_place;

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

#endif /* SONDE_CTF_NATURAL_NODE_H */
