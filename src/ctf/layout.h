/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout: where the fields of an event class lie: those of its contexts, then those of its payload,
 * as they lie in the packet.
 *
 * Where nothing but numbers and arrays of them is inside, offsets are the same for all events of the
 * class; else the decoder takes the steps of each event and finds them.
 */
#ifndef SONDE_CTF_LAYOUT_H
#define SONDE_CTF_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "ctf/steps.h"
#include "schema/event.h"

struct ctf_event_decl;
struct ctf_stream_class;
struct ctf_trace_class;
struct diag;

struct ctf_layout {
	struct event_class class;
	struct ctf_steps
		packet_steps; /* of the packet context, where it has fields (ctf_stream_class.shows_packet) */
	struct ctf_steps steps;
	uint32_t align; /* bits: where the first of it begins, from the start of the packet */
	uint32_t align_max; /* of anything inside: a fixed layout holds where it begins at such */
	uint32_t bits; /* of a fixed layout */
	/* The task, where contexts tell it. */
	uint8_t tid_bits; /* 0 = they do not */
	bool tid_big_endian;
	bool tid_signed;
	uint16_t tid_slot; /* where steps keep it */
	uint32_t tid_offset; /* bits, of a fixed layout */
};

/*
 * Makes the layout of @decl, an event of @stream, in memory of the trace's arena. -EBADMSG: a length or
 * a tag that is not there, the diag names it and its line; -E2BIG: over a limit.
 */
int ctf_layout_make(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		    const struct ctf_event_decl *decl, struct ctf_layout **ret, struct diag *diag);

#endif /* SONDE_CTF_LAYOUT_H */
