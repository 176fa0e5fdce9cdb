/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader: a trace directory as a source of events: its metadata, its stream files, merged.
 */
#ifndef SONDE_TRACE_READER_H
#define SONDE_TRACE_READER_H

#include <stdbool.h>

struct diag;
struct event_source;

/* Whether @name is a directory: then this is the reader to ask, and to complain. */
bool reader_is(const char *name);
/* The caller closes *@ret by its ops. Streams that cannot be read are reported by ops->problem. */
int reader_open(const char *name, struct event_source **ret, struct diag *diag);
/* The same of one of many traces that are read as one: it keeps no file open. */
int reader_open_many(const char *name, struct event_source **ret, struct diag *diag);
/* The same of a trace that may still grow: ops->next waits for more until no process writes it any more.
 * -EAGAIN and -ESTALE as trace/follow. */
int reader_follow(const char *name, struct event_source **ret, struct diag *diag);
/* The same for a trace that is only for this reading: data that was read is removed from
 * the files, so that they stay small. */
int reader_consume(const char *name, struct event_source **ret, struct diag *diag);

#endif /* SONDE_TRACE_READER_H */
