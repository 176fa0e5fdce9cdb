/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compact: recognises our own event header (wire/record.h) in a stream class and makes the table
 * by which the decoder reads such events without looking at types.
 */
#ifndef SONDE_CTF_COMPACT_H
#define SONDE_CTF_COMPACT_H

#include <stdint.h>

#include "wire/record.h"

struct ctf_layout;
struct ctf_stream_class;
struct ctf_trace_class;
struct diag;
struct event_class;

/* One id. Records begin and end on RECORD_ALIGN, payloads follow the head at once. */
struct ctf_compact_slot {
	const struct event_class *class;
	const uint32_t *offsets;
	uint32_t stride; /* bytes of the whole record; 0 = not by this path */
	uint32_t walked; /* not 0: the payload's fields have to be walked */
	const struct ctf_layout *layout;
};

struct ctf_compact {
	struct ctf_compact_slot slots[1u << RECORD_ID_BITS];
};

/* Sets stream->compact where it applies, once references are resolved. -ENOMEM or 0. */
int compact_make(struct ctf_trace_class *trace, struct ctf_stream_class *stream, struct diag *diag);
/* Its table, once the events have layouts. */
void compact_fill(struct ctf_stream_class *stream);

#endif /* SONDE_CTF_COMPACT_H */
