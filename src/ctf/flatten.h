/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flatten: makes fields of types: members of structures and what variants choose become fields with
 * dotted names, arrays of anything but numbers become lists; and beside the fields the steps
 * (ctf/steps.h) by which they are found in an event.
 *
 * ctf/flatten hands it the contexts of an event and its payload, one after the other.
 */
#ifndef SONDE_CTF_FLATTEN_H
#define SONDE_CTF_FLATTEN_H

#include "ctf/flatten_state.h"

/*
 * Where the fields of an event class lie: those of its contexts, then those of its payload,
 * as they lie in the packet.
 *
 * Where nothing but numbers and arrays of them is inside, offsets are the same for all events of the
 * class; else the decoder takes the steps of each event and finds them.
 */

struct ctf_event_decl;
struct ctf_layout;
struct ctf_stream_class;
struct ctf_trace_class;
struct diag;

/*
 * Makes the layout of @decl, an event of @stream, in memory of the trace's arena. -EBADMSG: a length or
 * a tag that is not there, the diag names it and its line; -E2BIG: over a limit.
 */
int ctf_layout_make(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		    const struct ctf_event_decl *decl, struct ctf_layout **ret, struct diag *diag);

struct ctf_type;
struct event_class;

/* Caller's memory; all that is made lives in the trace's arena. */
void flatten_init(struct flatten *flatten, struct ctf_trace_class *trace,
		  const struct ctf_stream_class *stream, const struct ctf_event_decl *decl,
		  struct ctf_steps *steps, struct diag *diag);
/*
 * Adds what is inside the structure @type, which is called @scope ("event.fields"); NULL is an empty
 * one. 0, or -errno with the diag filled.
 */
int flatten_scope(struct flatten *flatten, const char *scope, const struct ctf_type *type);
/* The same of a context. Names that the payload has, too, get "context." in front. */
int flatten_context(struct flatten *flatten, const char *scope, const struct ctf_type *type);
/* The same of the packet context, first of all: it lies elsewhere, so that @steps alone lead through it. */
int flatten_packet(struct flatten *flatten, const struct ctf_type *type, struct ctf_steps *steps);
/* All was added: @class gets its fields. */
int flatten_finish(struct flatten *flatten, struct event_class *class);

#endif /* SONDE_CTF_FLATTEN_H */
