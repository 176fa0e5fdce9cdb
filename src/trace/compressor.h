/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compressor: threads that compress packets and append them to their stream files, so that the caller that
 * hands them over does not wait for that.
 *
 * Packets wait in queues of fixed size, a lane for each thread; all of one stream go through one
 * lane. Where more comes than can be compressed, packets are stored instead, in frames all the same;
 * and if a lane is full, the caller that hands over a packet empties it first. So nothing is lost here that a
 * recording without compression would have kept.
 */
#ifndef SONDE_TRACE_COMPRESSOR_H
#define SONDE_TRACE_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Packets that wait, first in, first out, in memory of a fixed size. One puts them in,
 * one takes them out; the lock is theirs.
 */

struct stream_file;

struct packet_queue {
	uint8_t *memory;
	size_t room;
	uint64_t head; /* bytes ever taken out, and put in: places are these modulo room */
	uint64_t tail;
};

/* What lies in front of each packet; @len = 0: nothing does from here to the end of the memory. */
struct queued_packet {
	struct stream_file *stream;
	size_t len;
	uint8_t bytes[];
};

/* @room: a power of two. 0 or -ENOMEM. */
int packet_queue_init(struct packet_queue *queue, size_t room);
void packet_queue_fini(struct packet_queue *queue);

/* Room for a packet of @len bytes, which is not in the queue before packet_queue_push; NULL = it
 * is full. */
struct queued_packet *packet_queue_reserve(struct packet_queue *queue, size_t len);
void packet_queue_push(struct packet_queue *queue, const struct queued_packet *packet);
/* The oldest, or NULL; it stays in its place until packet_queue_pop. */
const struct queued_packet *packet_queue_first(struct packet_queue *queue);
void packet_queue_pop(struct packet_queue *queue);
/* Memory that is taken. */
size_t packet_queue_bytes(const struct packet_queue *queue);

struct compressor;

struct compressor_config {
	int level; /* trace/frame.h */
	unsigned int lanes; /* threads; 0 = none: packets are compressed as they are handed over */
	size_t queue_bytes; /* of each lane, a power of two */
	bool patient; /* never store: it is enough if all is compressed some time */
	/* Each packet that could not be written; from any thread. NULL = not wanted. */
	void (*refused)(void *ctx, const void *packet, size_t len);
	void *ctx;
};

struct compressor_totals {
	uint64_t packets;
	uint64_t stored; /* of these, those that were not compressed */
	uint64_t plain_bytes; /* of packets */
	uint64_t frame_bytes; /* on disk */
	uint64_t refused; /* bytes of records that came behind the first error */
};

/* 0 or -errno. */
int compressor_new(const struct compressor_config *config, struct compressor **ret);
/*
 * A packet that starts with a struct packet_head (wire/record.h) and is whole; borrowed for the
 * call. @lane: any number, the same for all of a stream. One thread calls this, and what follows.
 * The first error of all that was written so far; it stays.
 */
int compressor_push(struct compressor *compressor, uint32_t lane, struct stream_file *stream,
		    const void *packet, size_t len);
/* All that was handed over is in its file. The first error, as above. */
int compressor_flush(struct compressor *compressor);
void compressor_totals(struct compressor *compressor, struct compressor_totals *ret);
/* Flushes; NULL is fine. The stream files may be closed then. */
void compressor_free(struct compressor *compressor);

#endif /* SONDE_TRACE_COMPRESSOR_H */
