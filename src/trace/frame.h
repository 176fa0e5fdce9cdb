/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame: what a zstd frame (wire/frame.h) says of itself: how long it is, and what it holds. All of
 * it is checked against our limits before anything is decompressed.
 */
#ifndef SONDE_TRACE_FRAME_H
#define SONDE_TRACE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
