// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame.h"

#include <errno.h>
#include <inttypes.h>

#include "base/diag.h"
#include "wire/frame.h"

static uint64_t little_endian(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;

	while (len--)
		value = value << 8 | bytes[len];
	return value;
}

static size_t size_bytes(uint8_t descriptor)
{
	unsigned int flag = descriptor >> FRAME_SIZE_SHIFT;

	return flag ? 1u << flag : !!(descriptor & FRAME_SINGLE_SEGMENT);
}

/* RFC 8878, 3.1.1.1.2: an exponent and eighths. */
static uint64_t window_bytes(uint8_t window)
{
	uint64_t base = 1ull << (10 + (window >> 3));

	return base + base / 8 * (window & 7);
}

static int check_descriptor(uint8_t descriptor, struct diag *diag)
{
	if (descriptor & FRAME_RESERVED)
		return diag_set(diag, -EBADMSG, "a reserved bit of the frame's head is set");
	if (descriptor & FRAME_DICTIONARY_MASK)
		return diag_set(diag, -ENOTSUP, "the frame needs a dictionary");
	if (!size_bytes(descriptor))
		return diag_set(diag, -ENOTSUP, "the frame does not say how much it holds");
	return 0;
}

int frame_parse(const uint8_t *bytes, size_t len, struct frame *ret, struct diag *diag)
{
	size_t size_at = 5, size_len;
	uint64_t content;
	int err;

	if (len >= 4 && little_endian(bytes, 4) != FRAME_MAGIC)
		return diag_set(diag, -EBADMSG, "no zstd frame begins here: magic 0x%08" PRIx64,
				little_endian(bytes, 4));
	if (len < 6)
		return diag_set(diag, -ENODATA, "the frame's head is cut off");
	err = check_descriptor(bytes[4], diag);
	if (err)
		return err;
	if (!(bytes[4] & FRAME_SINGLE_SEGMENT)) {
		if (window_bytes(bytes[5]) > 1u << FRAME_WINDOW_MAX_LOG)
			return diag_set(diag, -E2BIG,
					"the frame asks for a window of %" PRIu64
					" bytes, more than %u",
					window_bytes(bytes[5]), 1u << FRAME_WINDOW_MAX_LOG);
		size_at++;
	}
	size_len = size_bytes(bytes[4]);
	if (len < size_at + size_len)
		return diag_set(diag, -ENODATA, "the frame's head is cut off");
	content = little_endian(bytes + size_at, size_len) + (size_len == 2 ? 256 : 0);
	if (content > FRAME_CONTENT_MAX_BYTES)
		return diag_set(diag, -E2BIG, "the frame holds %" PRIu64 " bytes, more than %u",
				content, FRAME_CONTENT_MAX_BYTES);
	if (!content)
		return diag_set(diag, -EBADMSG, "the frame holds nothing");
	*ret = (struct frame){
		.head_bytes = size_at + size_len,
		.content_bytes = (size_t)content,
		.bytes = size_at + size_len + FRAME_BLOCK_HEAD_BYTES,
		.has_checksum = bytes[4] & FRAME_HAS_CHECKSUM,
	};
	return 0;
}

/* Of the block whose head ends at frame->bytes. */
static int measure_block(struct frame *frame, const uint8_t *bytes, struct diag *diag)
{
	const uint64_t head = little_endian(bytes + frame->bytes - FRAME_BLOCK_HEAD_BYTES,
					    FRAME_BLOCK_HEAD_BYTES);
	const uint64_t size = head >> 3;

	if ((head >> 1 & 3) > FRAME_BLOCK_COMPRESSED)
		return diag_set(diag, -EBADMSG, "a block of the frame has no known type");
	/* A repeated byte says how often, and is one. */
	if (size > FRAME_BLOCK_MAX_BYTES)
		return diag_set(diag, -EBADMSG, "a block of the frame has %" PRIu64 " bytes", size);
	frame->bytes += (head >> 1 & 3) == FRAME_BLOCK_REPEAT ? 1 : (size_t)size;
	frame->whole = head & 1;
	if (!frame->whole)
		frame->bytes += FRAME_BLOCK_HEAD_BYTES;
	else if (frame->has_checksum)
		frame->bytes += FRAME_CHECKSUM_BYTES;
	if (frame->bytes > FRAME_BOUND(frame->content_bytes))
		return diag_set(diag, -EBADMSG,
				"the frame is longer than %zu bytes can be when compressed",
				frame->content_bytes);
	return 0;
}

int frame_measure(struct frame *frame, const uint8_t *bytes, size_t len, struct diag *diag)
{
	while (!frame->whole && frame->bytes <= len) {
		int err = measure_block(frame, bytes, diag);

		if (err)
			return err;
	}
	return frame->bytes <= len ? 0 : -ENODATA;
}
