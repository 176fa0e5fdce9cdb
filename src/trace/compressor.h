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

struct compressor;
struct stream_file;

struct compressor_config {
	int level; /* trace/frame_writer.h */
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
