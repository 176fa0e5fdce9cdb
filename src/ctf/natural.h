/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * natural: an event class in the form in which we write it again, whatever form it was read in:
 * little-endian, each field on its own bytes, as wire/record.h aligns them; or as it was, where
 * nothing moves in it from event to event.
 *
 * Names, sizes, labels and meanings stay, so that every reader shows the same.
 */
#ifndef SONDE_CTF_NATURAL_H
#define SONDE_CTF_NATURAL_H

#include <stdbool.h>

#include "schema/event.h"

struct buffer;
struct diag;

struct natural {
	struct event_class class; /* what metadata_write_event takes */
	struct field *fields;
	uint32_t *aligns; /* bits: on what each field begins */
	bool same; /* the payload is copied as it is */
};

/* Borrows @class. -ENOTSUP: it has variants, or arrays of what are no numbers; -ENOMEM. */
int natural_init(struct natural *natural, const struct event_class *class, struct diag *diag);
void natural_fini(struct natural *natural);

/* Appends the payload of @event, an event of the class that @natural was made of, to the packet
 * @out, whose first byte is the packet's and whose length is a multiple of RECORD_ALIGN. Nothing
 * follows the last field: a reader would take padding at the end of a packet for an event. Out of
 * memory stays in @out. */
void natural_pack(const struct natural *natural, const struct event *event, struct buffer *out);

#endif /* SONDE_CTF_NATURAL_H */
