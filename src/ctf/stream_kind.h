/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_kind: the streams and the clock of metadata, as schema/trace_info.h describes them: for
 * writers of events into another trace.
 */
#ifndef SONDE_CTF_STREAM_KIND_H
#define SONDE_CTF_STREAM_KIND_H

struct ctf_trace_class;
struct diag;

/* Fills trace->kinds and trace->clock, and sets the stream of each event class. Called last, when all else
 * is resolved. 0 or -ENOMEM. */
int stream_kinds_make(struct ctf_trace_class *trace, struct diag *diag);

#endif /* SONDE_CTF_STREAM_KIND_H */
