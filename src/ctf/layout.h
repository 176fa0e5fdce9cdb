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

#endif /* SONDE_CTF_LAYOUT_H */
