/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source: opens whatever a SOURCE names, by what it is.
 */
#ifndef SONDE_SOURCE_SOURCE_H
#define SONDE_SOURCE_SOURCE_H

struct diag;
struct event_source;
struct viewer_options;

/* The caller closes *@ret by its ops. -ENOTSUP: a kind that cannot be read, the diag says more. */
int source_open(const char *name, struct event_source **ret, struct diag *diag);
/* The same for a trace that may still grow: events come until its end (trace/reader.h). */
int source_follow(const char *name, struct event_source **ret, struct diag *diag);

/* A live session, with options of its own (live/viewer/viewer_source.h). */
int source_open_live(const char *url, const struct viewer_options *options,
		     struct event_source **ret, struct diag *diag);

#endif /* SONDE_SOURCE_SOURCE_H */
