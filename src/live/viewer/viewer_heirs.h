/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewer_heirs: after a reconnect, finds the new traces and streams that continue the old ones. Numbers
 * are new then: a trace is known again by its metadata, a stream by the name of its channel.
 */
#ifndef SONDE_LIVE_VIEWER_VIEWER_HEIRS_H
#define SONDE_LIVE_VIEWER_VIEWER_HEIRS_H

struct viewer_set;
struct viewer_trace;

/* Once what a new trace says is known, it may be one that was attached before: it takes its place then. */
void viewer_heirs_find(struct viewer_set *set, struct viewer_trace *trace);
/* Ends old traces that no new one continues, once it is known that none will. */
void viewer_heirs_end(struct viewer_set *set);

#endif /* SONDE_LIVE_VIEWER_VIEWER_HEIRS_H */
