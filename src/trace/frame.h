/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame: what a zstd frame (wire/frame.h) says of itself: how long it is, and what it holds. All of
 * it is checked against our limits before anything is decompressed.
 */
#ifndef SONDE_TRACE_FRAME_H
#define SONDE_TRACE_FRAME_H

#include "wire/frame.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * Makes zstd frames (wire/frame.h) of packets: compressed, or, if there is not enough time
 * for that, stored as they are, which costs nothing but the writing.
 */

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

/*
 * Where in a compressed stream file its frames are, and in the stream what they hold. It
 * knows one of so many that it stays small; from there on, frames are found one behind the other.
 */

#define FRAME_MAP_PLACES 4096u

struct frame_place {
	uint64_t file_at;
	uint64_t plain_at; /* in the stream */
};

struct frame_map {
	struct frame_place places[FRAME_MAP_PLACES]; /* ascending */
	size_t count;
	size_t added; /* frames, ever */
	size_t step; /* of these, one is a place */
};

void frame_map_init(struct frame_map *map);
/* The frame behind the one that was added last. */
void frame_map_add(struct frame_map *map, const struct frame_place *place);
/* The last known place at @plain_at or before; else that of the first frame. */
struct frame_place frame_map_find(const struct frame_map *map, uint64_t plain_at);

struct diag;

struct frame {
	size_t head_bytes;
	size_t content_bytes;
	size_t bytes; /* of the whole frame, as far as frame_measure has come */
	bool has_checksum;
	bool whole; /* `bytes` is its length */
};

/* The head: -ENODATA it is cut off, -ENOTSUP or -E2BIG not ours to read, -EBADMSG no frame. */
int frame_parse(const uint8_t *bytes, size_t len, struct frame *ret, struct diag *diag);
/*
 * Goes on over the blocks of a frame of which @len bytes are available: 0 = all of them are, and
 * frame->whole; -ENODATA = frame->bytes are needed to go on; -EBADMSG.
 */
int frame_measure(struct frame *frame, const uint8_t *bytes, size_t len, struct diag *diag);

#endif /* SONDE_TRACE_FRAME_H */
