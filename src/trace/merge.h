/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge: the events of many streams in order of time, a batch at a time.
 *
 * A stream is read on as long as its next event is not later than the next of any other, so that
 * long runs of one stream cost nothing. A stream whose window is used up waits until the batch
 * that looks into it has been given out.
 */
#ifndef SONDE_TRACE_MERGE_H
#define SONDE_TRACE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/source.h"

struct ctf_trace_class;
struct event;
struct merge;
struct stream_chain;
struct stream_reader;

/* NULL = no memory. */
struct merge *merge_new(void);
/* Frees the streams too. */
void merge_free(struct merge *merge);
/* Takes @stream, also when it fails; at any time. 0 or -ENOMEM. */
int merge_add(struct merge *merge, struct stream_reader *stream);
/* Adds all streams, which are of @trace, to @chain. 0 or -ENOMEM. */
int merge_chain(const struct merge *merge, const struct ctf_trace_class *trace,
		struct stream_chain *chain);
/* Frees @stream, which has ended, when the last batch is no longer used. */
void merge_drop(struct merge *merge, const struct stream_reader *stream);
/* merge_next and merge_seek look at it from packet to packet. */
void merge_stop_when(struct merge *merge, source_stop_fn *is_stopped);
/* The next events: their count, 0 at the end, -ENOMEM, -EINTR: stopped. Borrowed until the next call. */
int merge_next(struct merge *merge, const struct event **ret);
/* Looks at what streams that grow have by now; those that had ended and have more go on. @grow: they
 * do still (stream_reader_look). */
void merge_look(struct merge *merge, bool grow);
/* Nothing later than @ns goes out until the next call. */
void merge_until(struct merge *merge, int64_t ns);
/* As source_ops.seek. */
int merge_seek(struct merge *merge, const struct source_span *span);
/* As source_ops.cut. */
size_t merge_cut(struct merge *merge, uint64_t bytes, int64_t *moments, size_t room);
/* Packets of all streams, begun so far. */
uint64_t merge_packets(const struct merge *merge);

#endif /* SONDE_TRACE_MERGE_H */
