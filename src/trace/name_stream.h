/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name_stream: what a trace that is made of a selection has to tell beside its events, so that they
 * show with the names that they had: of tasks, cgroups, namespaces and files.
 *
 * The names are notes in a stream of their own for each trace that the events are of, in hidden files:
 * other readers see the events that were chosen and no others.
 */
#ifndef SONDE_TRACE_NAME_STREAM_H
#define SONDE_TRACE_NAME_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct event;
struct name_stream;
struct packet_writer;
struct analysis;

/* Of one trace; those of several that are in one are .names1, .names2 and so on. */
#define NAMES_STREAM ".names"
#define NAMES_STREAM_BYTES 24u /* of a file's name, NUL included */

void name_stream_file(uint32_t trace, char *name, size_t room);
/* Whether a file of this name is such a stream. */
bool name_stream_is_file(const char *name);

/* Borrows @analysis. NULL = no memory. */
struct name_stream *name_stream_new(const struct analysis *analysis);
void name_stream_free(struct name_stream *ns);

/* Appends stream class @id and its event classes. 0 or -errno. */
int name_stream_describe(const struct name_stream *ns, uint32_t id, struct buffer *out);

/* The trace that @event is of, and its notes: below trace_info_traces. */
uint32_t name_stream_trace(const struct name_stream *ns, const struct event *event);
/* Whether a note is needed before @event, which is written next: then it is among the notes
 * that name_stream_tell writes. The view has learnt from @event already. */
bool name_stream_needs(struct name_stream *ns, const struct event *event);
/* @clock: of that event. 0 or -errno. */
int name_stream_tell(struct name_stream *ns, struct packet_writer *pw, uint64_t clock,
		     const struct event *event);

#endif /* SONDE_TRACE_NAME_STREAM_H */
