// SPDX-License-Identifier: BSD-2-Clause
#include "trace/frame.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/diag.h"
#include "wire/frame.h"

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

void frame_map_init(struct frame_map *map)
{
	map->count = 0;
	map->added = 0;
	map->step = 1;
}

/* Every other place goes. */
static void thin_out(struct frame_map *map)
{
	map->count /= 2;
	for (size_t i = 1; i < map->count; i++)
		map->places[i] = map->places[2 * i];
	map->step *= 2;
}

void frame_map_add(struct frame_map *map, const struct frame_place *place)
{
	if (map->count == FRAME_MAP_PLACES)
		thin_out(map);
	if (map->added++ % map->step == 0)
		map->places[map->count++] = *place;
}

struct frame_place frame_map_find(const struct frame_map *map, uint64_t plain_at)
{
	size_t low = 0, high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->places[middle].plain_at <= plain_at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? map->places[low - 1] : (struct frame_place){0};
}

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
