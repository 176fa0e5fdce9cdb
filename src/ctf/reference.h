/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reference: finds the fields that sequences and variants name (CTF 1.8.3, section 7.3.2) and
 * gives each a slot, in which a walk keeps its value.
 */
#ifndef SONDE_CTF_REFERENCE_H
#define SONDE_CTF_REFERENCE_H

struct ctf_event_decl;
struct ctf_stream_class;
struct ctf_trace_class;
struct diag;

/* All of the packet header, packet context, event header and event context of @stream. */
int reference_resolve(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
		      struct diag *diag);
/* The context of one event of @stream. */
int reference_resolve_event(struct ctf_trace_class *trace, const struct ctf_stream_class *stream,
			    const struct ctf_event_decl *event, struct diag *diag);

#endif /* SONDE_CTF_REFERENCE_H */
