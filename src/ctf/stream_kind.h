/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_kind: what metadata tells of streams and clock, in the words of schema/trace_info.h: for
 * who writes events again, in another trace.
 */
#ifndef SONDE_CTF_STREAM_KIND_H
#define SONDE_CTF_STREAM_KIND_H

struct ctf_trace_class;
struct diag;

/* Fills trace->kinds and trace->clock, and tells each event class its stream. Last, when all else
 * is resolved. 0 or -ENOMEM. */
int stream_kinds_make(struct ctf_trace_class *trace, struct diag *diag);

#endif /* SONDE_CTF_STREAM_KIND_H */
