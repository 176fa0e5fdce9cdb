/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * name_stream: what a trace that is made of a selection has to tell beside its events, so that they
 * show with the names that they had: of tasks, cgroups, namespaces and files.
 *
 * The names are notes in a stream of their own, in a hidden file: other readers see the events
 * that were chosen and no others.
 */
#ifndef SONDE_TRACE_NAME_STREAM_H
#define SONDE_TRACE_NAME_STREAM_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct event;
struct name_stream;
struct packet_writer;
struct view;

#define NAMES_STREAM ".names"

/* Borrows @view. @id: of its stream class. NULL = no memory. */
struct name_stream *name_stream_new(const struct view *view, uint32_t id);
void name_stream_free(struct name_stream *ns);

/* Appends the stream class and its event classes. 0 or -errno. */
int name_stream_describe(const struct name_stream *ns, struct buffer *out);

/* Whether something has to be told before @event, which is about to be written: then it is in notes
 * that name_stream_tell writes. The view has learnt from @event already. */
bool name_stream_needs(struct name_stream *ns, const struct event *event);
/* @clock: of that event. 0 or -errno. */
int name_stream_tell(struct name_stream *ns, struct packet_writer *pw, uint64_t clock,
		     const struct event *event);

#endif /* SONDE_TRACE_NAME_STREAM_H */
