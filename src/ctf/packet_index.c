// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/packet_index.h"

#include <errno.h>

#include "base/cursor.h"
#include "base/diag.h"
#include "wire/index.h"

int packet_index_parse(const uint8_t *bytes, size_t len, struct packet_index *ret,
		       struct diag *diag)
{
	struct cursor cur;
	uint32_t magic, major, minor, entry_bytes;

	cursor_init(&cur, bytes, len);
	magic = cursor_be32(&cur);
	major = cursor_be32(&cur);
	minor = cursor_be32(&cur);
	entry_bytes = cursor_be32(&cur);
	if (cur.short_read)
		return diag_set(diag, -ENODATA, "the index is cut off in its first %u bytes",
				INDEX_HEAD_BYTES);
	if (magic != INDEX_MAGIC)
		return diag_set(diag, -EBADMSG, "bad index magic 0x%08x", magic);
	if (major != INDEX_MAJOR)
		return diag_set(diag, -ENOTSUP, "version %u.%u of the index cannot be read", major,
				minor);
	if (entry_bytes < (minor ? INDEX_ENTRY_BYTES : INDEX_ENTRY_1_0_BYTES) ||
	    entry_bytes > INDEX_ENTRY_MAX_BYTES)
		return diag_set(diag, -EBADMSG, "entries of an index cannot have %u bytes",
				entry_bytes);
	ret->entry_bytes = entry_bytes;
	ret->count = cursor_left(&cur) / entry_bytes;
	return 0;
}

int packet_index_get(const struct packet_index *index, const uint8_t *bytes, size_t i,
		     struct index_packet *ret)
{
	struct cursor cur;
	uint64_t packet_bits, content_bits;

	cursor_init(&cur, bytes + INDEX_HEAD_BYTES + i * index->entry_bytes, index->entry_bytes);
	*ret = (struct index_packet){.offset = cursor_be64(&cur)};
	packet_bits = cursor_be64(&cur);
	content_bits = cursor_be64(&cur);
	ret->packet_bytes = packet_bits / 8;
	ret->content_bytes = content_bits / 8 + !!(content_bits % 8);
	ret->begin = cursor_be64(&cur);
	ret->end = cursor_be64(&cur);
	ret->discarded = cursor_be64(&cur);
	ret->stream_id = cursor_be64(&cur);
	ret->has_sequence = index->entry_bytes >= INDEX_ENTRY_BYTES;
	if (ret->has_sequence) {
		ret->instance_id = cursor_be64(&cur);
		ret->sequence = cursor_be64(&cur);
	}
	ret->file_offset = ret->offset;
	ret->file_bytes = ret->packet_bytes;
	if (index->entry_bytes == INDEX_ENTRY_FRAME_BYTES) {
		ret->file_bytes = cursor_be64(&cur);
		ret->offset = cursor_be64(&cur);
	}
	if (packet_bits % 8 || !packet_bits || content_bits > packet_bits ||
	    ret->offset > INT64_MAX || ret->packet_bytes > (uint64_t)INT64_MAX - ret->offset ||
	    ret->file_offset > INT64_MAX ||
	    ret->file_bytes > (uint64_t)INT64_MAX - ret->file_offset)
		return -EBADMSG;
	return 0;
}
