/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet_writer: one stream of a trace that is written from events: packs them into packets and
 * appends these to the stream's file. Losses stand in the counters of packets again, at
 * the place where they happened.
 */
#ifndef SONDE_TRACE_PACKET_WRITER_H
#define SONDE_TRACE_PACKET_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "ctf/metadata_write.h"

struct event;
struct frame_writer;
struct lost_payload;
struct natural;
struct packet_writer;
struct stream_file;
struct stream_total;

struct packet_spec {
	uint8_t uuid[16];
	uint32_t stream; /* id of the stream class */
	enum metadata_form form;
	uint32_t cpu;
	uint32_t level;
	struct frame_writer *frames; /* borrowed: the file is one of frames; NULL = it is not */
};

/* Takes @file, also when it fails. NULL = no memory. */
struct packet_writer *packet_writer_new(struct stream_file *file, const struct packet_spec *spec);

/* @clock: the event's time in ns of the trace's clock. After an error all calls return it. */
int packet_writer_event(struct packet_writer *pw, uint64_t clock, const struct natural *natural,
			const struct event *event);
/* Events are missing here: a new packet begins that says so. */
int packet_writer_lost(struct packet_writer *pw, uint64_t clock, const struct lost_payload *lost);
/* Bytes of the packet that is being filled: if that is enough, the caller has it written. */
size_t packet_writer_pending(const struct packet_writer *pw);
int packet_writer_flush(struct packet_writer *pw);
/* Of packets written: events, lost, packets and last_packet. */
void packet_writer_total(const struct packet_writer *pw, struct stream_total *ret);
uint64_t packet_writer_bytes(const struct packet_writer *pw);

/* Writes what is left, and always frees @pw (NULL is fine); the first error ever seen. */
int packet_writer_close(struct packet_writer *pw);

#endif /* SONDE_TRACE_PACKET_WRITER_H */
