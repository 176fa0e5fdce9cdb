/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_writer: makes zstd frames (wire/frame.h) of packets: compressed, or, if there is not enough time
 * for that, stored as they are, which costs nothing but the writing.
 */
#ifndef SONDE_TRACE_FRAME_WRITER_H
#define SONDE_TRACE_FRAME_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "wire/frame.h"

#define FRAME_LEVEL_MIN (-50)
#define FRAME_LEVEL_MAX 19
#define FRAME_LEVEL_DEFAULT 1

#define FRAME_BLOCKS_MAX (FRAME_CONTENT_MAX_BYTES / FRAME_BLOCK_MAX_BYTES)

struct frame_writer;

/* The pieces of a frame, for writev. */
struct frame_parts {
	struct iovec parts[2 * FRAME_BLOCKS_MAX];
	int count;
	uint8_t heads[FRAME_HEAD_MAX_BYTES + FRAME_BLOCKS_MAX * FRAME_BLOCK_HEAD_BYTES];
};

/* @level: as zstd's, FRAME_LEVEL_MIN to FRAME_LEVEL_MAX. 0 or -ENOMEM. */
int frame_writer_new(int level, struct frame_writer **ret);
void frame_writer_free(struct frame_writer *writer);

/* One frame with a checksum. -E2BIG where a packet is longer than a frame may hold. @ret looks into
 * the writer, until its next call. */
int frame_writer_compress(struct frame_writer *writer, const void *packet, size_t len,
			  struct frame_parts *ret);
/* One frame of blocks that are stored, without a checksum. @ret looks into @packet and itself. */
int frame_store(const void *packet, size_t len, struct frame_parts *ret);

#endif /* SONDE_TRACE_FRAME_WRITER_H */
