// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame_writer.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct frame_writer {
	ZSTD_CCtx *context;
	void *frame;
	size_t room;
};

int frame_writer_new(int level, struct frame_writer **ret)
{
	struct frame_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	writer->context = ZSTD_createCCtx();
	if (!writer->context) {
		free(writer);
		return -ENOMEM;
	}
	/* Neither can fail: the level is within what zstd takes. */
	(void)ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, level);
	(void)ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
	*ret = writer;
	return 0;
}

void frame_writer_free(struct frame_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->context);
	free(writer->frame);
	free(writer);
}

static int reserve(struct frame_writer *writer, size_t room)
{
	void *frame;

	if (room <= writer->room)
		return 0;
	frame = realloc(writer->frame, room);
	if (!frame)
		return -ENOMEM;
	writer->frame = frame;
	writer->room = room;
	return 0;
}

int frame_writer_compress(struct frame_writer *writer, const void *packet, size_t len,
			  struct frame_parts *ret)
{
	size_t got;

	if (len > FRAME_CONTENT_MAX_BYTES)
		return -E2BIG;
	if (reserve(writer, ZSTD_compressBound(len)))
		return -ENOMEM;
	got = ZSTD_compress2(writer->context, writer->frame, writer->room, packet, len);
	if (ZSTD_isError(got))
		return -ENOMEM; /* there is room, so nothing else can be */
	ret->parts[0] = (struct iovec){writer->frame, got};
	ret->count = 1;
	return 0;
}

static size_t store_head(uint8_t *at, size_t len)
{
	const uint32_t magic = htole32(FRAME_MAGIC), size = htole32((uint32_t)len);

	memcpy(at, &magic, sizeof(magic));
	at[4] = FRAME_SINGLE_SEGMENT | 2 << FRAME_SIZE_SHIFT;
	memcpy(at + 5, &size, sizeof(size));
	return 9;
}

static void store_block_head(uint8_t at[FRAME_BLOCK_HEAD_BYTES], size_t len, bool last)
{
	const uint32_t head = (uint32_t)len << 3 | FRAME_BLOCK_RAW << 1 | last;

	at[0] = (uint8_t)head;
	at[1] = (uint8_t)(head >> 8);
	at[2] = (uint8_t)(head >> 16);
}

int frame_store(const void *packet, size_t len, struct frame_parts *ret)
{
	uint8_t *heads = ret->heads;
	size_t head_bytes;

	if (!len || len > FRAME_CONTENT_MAX_BYTES)
		return -E2BIG;
	head_bytes = store_head(heads, len);
	ret->count = 0;
	for (size_t at = 0, block; at < len; at += block) {
		block = len - at < FRAME_BLOCK_MAX_BYTES ? len - at : FRAME_BLOCK_MAX_BYTES;
		store_block_head(heads + head_bytes, block, at + block == len);
		head_bytes += FRAME_BLOCK_HEAD_BYTES;
		ret->parts[ret->count++] = (struct iovec){heads, head_bytes};
		ret->parts[ret->count++] = (struct iovec){(char *)packet + at, block};
		heads += head_bytes;
		head_bytes = 0;
	}
	return 0;
}
