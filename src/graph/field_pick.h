/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * field_pick: a number that is to be drawn: a field of events, by its name alone or with the events'
 * ("sys.exit:ret"), or what follows from several events ("dur", schema/derived).
 */
#ifndef SONDE_GRAPH_FIELD_PICK_H
#define SONDE_GRAPH_FIELD_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/derived.h"
#include "schema/event.h"

struct diag;
struct event;
struct select;
struct trace_info;

#define FIELD_PICK_EVENT_BYTES 128u

struct field_pick {
	/* What was asked for. */
	const char *name; /* of the field; borrowed */
	char event[FIELD_PICK_EVENT_BYTES]; /* a pattern; "" = any */
	double factor; /* values are multiplied by it; 1 unless the caller sets it */
	/* Once bound; borrowed from the classes. */
	const struct field *field; /* NULL: it is derived */
	enum derived derived; /* only then */
};

/* Where one class has it. */
struct field_place {
	enum { PLACE_NONE, PLACE_INT, PLACE_FLOAT, PLACE_DERIVED } kind;
	uint32_t index; /* of the field, or an enum derived */
	bool is_signed;
	bool optional;
	uint64_t none; /* of an unsigned one: the value that means "no limit"; 0 = none */
};

/* Takes "FIELD" or "EVENT:FIELD" apart; borrows @text. -EINVAL: it names nothing. */
int field_pick_parse(struct field_pick *pick, const char *text, struct diag *diag);
/*
 * Finds it among the classes that are shown. -ENOENT: none has it, the diag has a name that is near;
 * -EINVAL: it is not a number, or different classes measure different things by it.
 */
int field_pick_bind(struct field_pick *pick, const struct trace_info *info,
		    const struct select *select, struct diag *diag);
/* Once bound. */
struct field_place field_pick_place(const struct field_pick *pick, const struct event_class *class);
const char *field_pick_unit(const struct field_pick *pick);
/* What it is, in words: the field's description, or its name. */
const char *field_pick_text(const struct field_pick *pick);

/* The number in @event, whose class has it at @place. False: it is not there, or stands for none. */
static inline bool field_place_get(const struct field_place *place, const struct event *event,
				   const struct event_facts *facts, double *ret)
{
	uint64_t value;

	if (place->kind == PLACE_NONE || (place->optional && !event_has(event, place->index)))
		return false;
	if (place->kind == PLACE_FLOAT) {
		*ret = event_float(event, place->index, 0);
		return true;
	}
	if (place->kind == PLACE_DERIVED) {
		*ret = (double)facts->derived[place->index];
		return facts->has >> place->index & 1;
	}
	value = event_uint(event, place->index);
	*ret = place->is_signed ? (double)(int64_t)value : (double)value;
	return !place->none || value != place->none;
}

#endif /* SONDE_GRAPH_FIELD_PICK_H */
