/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_reader: the events of one stream, packet after packet, in bounded memory; and what was
 * lost between the packets.
 *
 * Events point into the reader's window, so stream_reader_refill may only be called when no code
 * uses the last batch any more. trace/merge keeps to that.
 */
#ifndef SONDE_TRACE_STREAM_READER_H
#define SONDE_TRACE_STREAM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/source.h"

struct ctf_trace_class;
struct event_batch;
struct packet_map;
struct problem_list;
struct stream_ends;
struct stream_input;
struct stream_reader;
struct stream_total;

/* Where a stream was before a file begins. */
struct stream_before {
	uint64_t sequence; /* of its last packet */
	uint64_t discarded; /* events, until then */
};

enum stream_state {
	STREAM_READY, /* stream_reader_run gives events from stream_reader_next_ns on */
	STREAM_HUNGRY, /* stream_reader_refill is next */
	STREAM_END,
};

/*
 * Takes @input, also when it fails; borrows the rest. @window_bytes: memory to look through, grown
 * only for an event that is longer. NULL = no memory.
 */
struct stream_reader *stream_reader_new(struct stream_input *input,
					const struct ctf_trace_class *trace, size_t window_bytes,
					struct problem_list *problems);
void stream_reader_free(struct stream_reader *reader);
/* The name of the file, or the like. Borrowed. */
const char *stream_reader_name(const struct stream_reader *reader);
/* Its first and last packet; false: its packets are not counted. */
bool stream_reader_ends(struct stream_reader *reader, struct stream_ends *ret);
/* The stream was in another file before: counts losses from where that file ended. Before anything is
 * read. */
void stream_reader_continue(struct stream_reader *reader, const struct stream_before *before);

/* Where its packets break the standard and can be read all the same goes to @breaches. Before anything is read;
 * without this it goes nowhere. */
void stream_reader_note_gaps(struct stream_reader *reader, struct trace_gaps *gaps);
void stream_reader_note_breaches(struct stream_reader *reader, struct problem_list *breaches);

/* What the trace's end mark says of the stream, borrowed: after its last packet, later losses are reported;
 * missing packets go to @missing. Before anything else. */
void stream_reader_expect(struct stream_reader *reader, const struct stream_total *total,
			  struct problem_list *missing);

/* One of very many streams: it has a window only while its events are read. */
void stream_reader_save(struct stream_reader *reader);

enum stream_state stream_reader_state(const struct stream_reader *reader);
/* No event to come is earlier. */
int64_t stream_reader_next_ns(const struct stream_reader *reader);
/* Packets begun so far. */
uint64_t stream_reader_packets(const struct stream_reader *reader);

/*
 * A follower's look at a stream that grows: the data that has come may be read from here on, and a
 * reader that had come to the end continues. @grows: it still grows, so that a packet of which
 * a part is there waits for the rest. Returns whether data can be read.
 */
bool stream_reader_look(struct stream_reader *reader, bool grows);
/* What takes long, and gives no events, ends when @is_stopped (NULL: never). */
void stream_reader_stop_when(struct stream_reader *reader, source_stop_fn *is_stopped);
/* Goes on to the next packet, of one that is STREAM_HUNGRY, if that takes no reading: events that were given stay
 * valid. Whether it did; else stream_reader_refill does. */
bool stream_reader_advance(struct stream_reader *reader);
/* Reads on: the next piece of the packet or the next packet. 0, -ENOMEM, or -EINTR: stopped. */
int stream_reader_refill(struct stream_reader *reader);
/* Appends events up to @limit_ns. It stops at the limit, where the batch is full or where the
 * state is no longer STREAM_READY. */
void stream_reader_run(struct stream_reader *reader, int64_t limit_ns, struct event_batch *batch);

/* Goes on by @trace, of which more is described than of the one that it had. Not with
 * stream_reader_seek. */
void stream_reader_renew(struct stream_reader *reader, const struct ctf_trace_class *trace);

/* Leaves out packets that have nothing of @span, as source_ops.seek; the end of the span is the
 * caller's to see to. Events given before stay valid. 0 or -ENOMEM. */
int stream_reader_seek(struct stream_reader *reader, const struct source_span *span);
/* Where its packets are; NULL: that is not known. Borrowed. */
const struct packet_map *stream_reader_map(struct stream_reader *reader);

#endif /* SONDE_TRACE_STREAM_READER_H */
