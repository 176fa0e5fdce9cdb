/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decoder: the events of one packet after the other, as views into the packet's bytes.
 *
 * It sees a packet through a window: some bytes of it, which the caller moves along. So packets
 * of any size are read in bounded memory.
 */
#ifndef SONDE_CTF_DECODER_H
#define SONDE_CTF_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf/packet.h"
#include "schema/event.h"
#include "wire/ctf.h"

struct ctf_stream_class;
struct ctf_trace_class;
struct diag;

/* Where decoded events go. Who owns the batch empties it (both counts) before each new one. */
struct event_batch {
	struct event *events;
	size_t count;
	size_t room;
	uint32_t *offsets; /* of events that have no fixed layout, and of items of lists */
	size_t offset_count;
	size_t offset_room; /* CTF_FIELDS_MAX at least */
	uint64_t steps; /* that its events took; the decoder's own */
	/* Copies of events that have fields of their packet's context, together with it. */
	uint8_t *copies; /* the owner of the batch frees them */
	size_t copy_bytes;
	size_t copy_room;
	bool full; /* no more events fit: set by the decoder */
};

struct decoder {
	const struct ctf_trace_class *trace;
	struct packet packet;
	bool torn; /* the packet's end is missing: a truncated event is not reported again */
	const uint8_t *data; /* the window; positions are bits from the start of the packet */
	uint64_t window_begin;
	uint64_t window_end;
	uint64_t pos;
	uint64_t end; /* of what can be read of the packet's content */
	uint64_t clock; /* cycles */
	uint64_t steps; /* taken in this packet (walk_may_spend) */
	int64_t next_ns; /* no event to come is earlier */
	uint8_t *head; /* of the packet, where events have fields of it; else nothing */
	size_t head_bytes;
	uint64_t slots[2 * CTF_SLOTS_MAX]; /* of heads, then of contexts and payloads */
};

/* Caller's memory. decoder_fini frees what it keeps of a packet, where events have fields of that. */
void decoder_init(struct decoder *decoder, const struct ctf_trace_class *trace);
void decoder_fini(struct decoder *decoder);
/*
 * Goes on, in the middle of a packet too, by @trace: the same that it had, of which more is described. -EPROTO:
 * it lacks the stream that the packet is of.
 */
int decoder_renew(struct decoder *decoder, const struct ctf_trace_class *trace);
/*
 * Reads the head of a packet of which @len bytes are available, and makes them the window. The
 * packet has @available bytes in all, as far as its file has them. Errors as packet_parse.
 */
int decoder_open(struct decoder *decoder, const uint8_t *data, size_t len, uint64_t available,
		 struct diag *diag);
/* In place of decoder_open, for events of @stream without a packet around them: @len bytes of them,
 * where the stream's clock stands at @clock. */
void decoder_open_events(struct decoder *decoder, const struct ctf_stream_class *stream,
			 int32_t cpu, uint64_t clock, const uint8_t *data, size_t len);
/* The window now is @data, which begins @at bytes into the packet. Borrowed until the next one. */
void decoder_set_window(struct decoder *decoder, uint64_t at, const uint8_t *data, size_t len);
/* The byte of the packet at which the next window has to begin, or before. */
uint64_t decoder_byte(const struct decoder *decoder);

/*
 * Appends events to @batch, as long as they are not later than @limit_ns. 1 = there may be more,
 * but later than the limit (next_ns says when) or beyond the batch (batch->full); 0 = the packet is
 * done; -EAGAIN = the window ends, more of the packet is needed; else -errno and the diag, and
 * nothing more can be read of this packet.
 */
int decoder_run(struct decoder *decoder, int64_t limit_ns, struct event_batch *batch,
		struct diag *diag);

#endif /* SONDE_CTF_DECODER_H */
