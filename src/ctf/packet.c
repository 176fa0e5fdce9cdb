// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/packet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/diag.h"
#include "ctf/trace_class.h"
#include "ctf/walk.h"
#include "wire/index.h"
#include "wire/record.h"

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

/* Says what a failed walk of @what means. */
static int fail_walk(struct diag *diag, int err, const char *what)
{
	if (err == -ENODATA)
		return diag_set(diag, err, "the %s is cut off", what);
	if (err == -E2BIG)
		return diag_set(diag, -EBADMSG,
				"the %s takes too many steps to read, or is too large", what);
	if (err == -EILSEQ)
		return diag_set(diag, -EBADMSG, "the %s changes the byte order inside a byte",
				what);
	return diag_set(diag, err, "the %s does not have the form that the metadata gives", what);
}

static int check_header(const struct walk *walk, struct diag *diag)
{
	if (walk_has(walk, CTF_ROLE_MAGIC) && walk->values[CTF_ROLE_MAGIC] != PACKET_MAGIC)
		return diag_set(diag, -EBADMSG, "no packet begins here: magic 0x%08" PRIx64,
				walk->values[CTF_ROLE_MAGIC]);
	return 0;
}

static const struct ctf_stream_class *find_stream(const struct ctf_trace_class *trace,
						  const struct walk *walk)
{
	if (walk_has(walk, CTF_ROLE_STREAM))
		return ctf_trace_class_stream(trace, walk->values[CTF_ROLE_STREAM]);
	return trace->stream_count == 1 ? trace->streams[0] : ctf_trace_class_stream(trace, 0);
}

/* Sizes must be possible, or everything behind would be read from the wrong place. */
static int check_sizes(const struct packet *packet, struct diag *diag)
{
	if (packet->packet_bits != UINT64_MAX && (packet->packet_bits % 8 || !packet->packet_bits))
		return diag_set(diag, -EBADMSG, "a packet cannot have %" PRIu64 " bits",
				packet->packet_bits);
	if (packet->content_bits > packet->packet_bits)
		return diag_set(diag, -EBADMSG,
				"the packet's content has %" PRIu64 " bits, the packet %" PRIu64,
				packet->content_bits, packet->packet_bits);
	if (packet->content_bits < packet->head_bits)
		return diag_set(diag, -EBADMSG,
				"the packet's content has %" PRIu64 " bits, its head %" PRIu64,
				packet->content_bits, packet->head_bits);
	return 0;
}

static void fill_packet(struct packet *packet, const struct walk *walk)
{
	const uint64_t *values = walk->values;

	packet->head_bits = walk->pos;
	packet->clock = walk->clock;
	packet->packet_bits = UINT64_MAX;
	if (walk_has(walk, CTF_ROLE_PACKET))
		packet->packet_bits = values[CTF_ROLE_PACKET];
	packet->content_bits = packet->packet_bits;
	if (walk_has(walk, CTF_ROLE_CONTENT))
		packet->content_bits = values[CTF_ROLE_CONTENT];
	if (!walk_has(walk, CTF_ROLE_PACKET))
		packet->packet_bits = packet->content_bits;
	packet->has_begin = walk_has(walk, CTF_ROLE_BEGIN);
	packet->begin = values[CTF_ROLE_BEGIN];
	packet->has_end = walk_has(walk, CTF_ROLE_END);
	packet->end = values[CTF_ROLE_END];
	packet->ends_early = packet->has_begin && packet->has_end && packet->stream->whole_end &&
			     packet->end < packet->begin;
	packet->has_discarded = walk_has(walk, CTF_ROLE_DISCARDED);
	packet->discarded = values[CTF_ROLE_DISCARDED];
	packet->nested = walk_has(walk, CTF_ROLE_NESTED) ? values[CTF_ROLE_NESTED] : 0;
	packet->recursion = walk_has(walk, CTF_ROLE_RECURSION) ? values[CTF_ROLE_RECURSION] : 0;
	packet->has_sequence = walk_has(walk, CTF_ROLE_SEQUENCE);
	packet->sequence = values[CTF_ROLE_SEQUENCE];
	packet->has_name_packets = walk_has(walk, CTF_ROLE_NAME_PACKETS);
	packet->name_packets = values[CTF_ROLE_NAME_PACKETS];
	packet->cpu = walk_has(walk, CTF_ROLE_CPU) ? (int32_t)values[CTF_ROLE_CPU] : -1;
	packet->level = walk_has(walk, CTF_ROLE_LEVEL) ? (uint32_t)values[CTF_ROLE_LEVEL] : 0;
}

int packet_parse(const struct ctf_trace_class *trace, const uint8_t *data, size_t len,
		 uint64_t *slots, uint64_t clock, struct packet *ret, struct diag *diag)
{
	struct walk walk = {.data = data, .end = (uint64_t)len * 8, .clock = clock, .slots = slots};
	struct packet packet = {0};
	int err = walk_type(&walk, trace->packet_header);

	if (err)
		return fail_walk(diag, err, "packet header");
	err = check_header(&walk, diag);
	if (err)
		return err;
	packet.is_foreign = walk.uuid && trace->has_uuid &&
			    memcmp(walk.uuid, trace->uuid, CTF_UUID_BYTES);
	packet.stream = find_stream(trace, &walk);
	if (!packet.stream)
		return diag_set(diag, -EBADMSG, "the metadata has no stream with id %" PRIu64,
				walk.values[CTF_ROLE_STREAM]);
	packet.has_instance = walk_has(&walk, CTF_ROLE_INSTANCE);
	packet.instance = walk.values[CTF_ROLE_INSTANCE];
	packet.context_at = walk.pos;
	walk_reset(&walk);
	err = walk_type(&walk, packet.stream->packet_context);
	if (err)
		return fail_walk(diag, err, "packet context");
	fill_packet(&packet, &walk);
	err = check_sizes(&packet, diag);
	if (!err)
		*ret = packet;
	return err;
}
