/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolve: what can be known only when all metadata is read: byte orders, clocks, which field a
 * sequence or a variant refers to, events sorted into their streams, layouts of payloads.
 */
#ifndef SONDE_CTF_RESOLVE_H
#define SONDE_CTF_RESOLVE_H

struct ctf_trace_class;
struct diag;

/* Finishes @trace. 0, or -errno with the diag filled. */
int resolve_trace(struct ctf_trace_class *trace, struct diag *diag);

#endif /* SONDE_CTF_RESOLVE_H */
