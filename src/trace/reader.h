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
/* The caller closes *@ret by its ops. Streams that cannot be read are told by ops->problem. */
int reader_open(const char *name, struct event_source **ret, struct diag *diag);

#endif /* SONDE_TRACE_READER_H */
