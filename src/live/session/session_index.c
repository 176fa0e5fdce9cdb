// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "live/session/session_index.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/io.h"
#include "ctf/packet.h"
#include "ctf/trace_class.h"
#include "trace/frame_input.h"
#include "trace/stream_input.h"
#include "wire/ctf.h"
#include "wire/index.h"

#define HEAD_MIN_BYTES 512u /* more than most heads have */
#define HEAD_MAX_BYTES (1u << 20)
#define WRITE_BYTES (64u << 10)

struct maker {
	struct stream_input *input;
	const struct ctf_trace_class *trace;
	struct buffer head; /* of one packet */
	struct buffer entries; /* that are to be written */
	uint64_t slots[CTF_SLOTS_MAX];
	uint64_t size; /* of the stream */
	int fd;
};

static void put_be32(struct buffer *out, uint32_t value)
{
	value = htobe32(value);
	buffer_append(out, &value, sizeof(value));
}

static void put_be64(struct buffer *out, uint64_t value)
{
	value = htobe64(value);
	buffer_append(out, &value, sizeof(value));
}

static void begin(struct buffer *out)
{
	put_be32(out, INDEX_MAGIC);
	put_be32(out, INDEX_MAJOR);
	put_be32(out, INDEX_MINOR);
	put_be32(out, INDEX_ENTRY_BYTES);
}

/* @bytes: of the packet; if the content size is not given, it is all of it. */
static void put_entry(struct buffer *out, const struct packet *packet, uint64_t at, uint64_t bytes)
{
	const uint64_t content = packet->content_bits;

	put_be64(out, at);
	put_be64(out, bytes * 8);
	put_be64(out, content < bytes * 8 ? content : bytes * 8);
	put_be64(out, packet->has_begin ? packet->begin : 0);
	put_be64(out, packet->has_end ? packet->end : 0);
	put_be64(out, packet->discarded);
	put_be64(out, packet->stream->id);
	put_be64(out, 0); /* an unused instance */
	put_be64(out, packet->sequence);
}

/* Heads may be of any length: more is read where it was not enough. */
static int read_head(struct maker *maker, uint64_t at, struct packet *ret, struct diag *diag)
{
	for (size_t len = HEAD_MIN_BYTES; len <= HEAD_MAX_BYTES; len *= 8) {
		ssize_t got;
		char *room;
		int err;

		buffer_reset(&maker->head);
		room = buffer_reserve(&maker->head, len);
		if (!room)
			return -ENOMEM;
		got = maker->input->ops->read(maker->input, room, len, at);
		if (got < 0)
			return diag_set(diag, (int)got, "it cannot be read");
		err = packet_parse(maker->trace, (const uint8_t *)room, (size_t)got, maker->slots,
				   0, ret, diag);
		if (err != -ENODATA || (size_t)got < len)
			return err == -ENODATA ? diag_set(diag, err, "it is cut off") : err;
	}
	return diag_set(diag, -E2BIG, "its head has more than %u bytes", HEAD_MAX_BYTES);
}

static int flush(struct maker *maker)
{
	int err = buffer_error(&maker->entries);

	err = err ?: write_all(maker->fd, maker->entries.data, maker->entries.len);
	buffer_reset(&maker->entries);
	return err;
}

/* Where the packet at @at ends: @at where it does not. */
static uint64_t end_of(const struct maker *maker, const struct packet *packet, uint64_t at)
{
	const uint64_t left = maker->size - at;
	const uint64_t bytes = packet->packet_bits / 8;

	if (packet->packet_bits == UINT64_MAX)
		return maker->size;
	return bytes <= left ? at + bytes : at;
}

static int walk(struct maker *maker, const bool *stop, struct diag *diag)
{
	uint64_t at = 0, next;
	int err = 0;

	while (at < maker->size && !err) {
		struct diag why = {0};
		struct packet packet;

		if (__atomic_load_n(stop, __ATOMIC_ACQUIRE))
			return -ECANCELED;
		err = read_head(maker, at, &packet, &why);
		if (err == -ENOMEM)
			return err;
		next = err ? at : end_of(maker, &packet, at);
		if (next == at) {
			(void)diag_set(diag, 0, "packet at offset %" PRIu64 ": %s", at,
				       err ? why.text : "it is cut off");
			break;
		}
		put_entry(&maker->entries, &packet, at, next - at);
		at = next;
		if (maker->entries.len >= WRITE_BYTES)
			err = flush(maker);
	}
	return err && !*diag->text ? err : flush(maker);
}

int session_index_of_one(uint64_t bytes, int *ret)
{
	const struct ctf_stream_class class = {0};
	const struct packet packet = {.stream = &class, .content_bits = bytes * 8};
	struct buffer entries;
	int err, fd = memfd_create("sonde-index", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	buffer_init(&entries);
	begin(&entries);
	put_entry(&entries, &packet, 0, bytes);
	err = buffer_error(&entries) ?: write_all(fd, entries.data, entries.len);
	buffer_fini(&entries);
	if (err)
		(void)fd_close(fd);
	else
		*ret = fd;
	return err;
}

int session_index_make(int dir, const char *name, const struct ctf_trace_class *trace,
		       const bool *stop, int *ret, struct diag *diag)
{
	struct maker *maker = calloc(1, sizeof(*maker));
	int err = -ENOMEM;

	if (!maker)
		return err;
	*diag = (struct diag){0};
	maker->trace = trace;
	buffer_init(&maker->head);
	buffer_init(&maker->entries);
	maker->fd = memfd_create("sonde-index", MFD_CLOEXEC);
	err = maker->fd < 0 ? -errno : stream_open(dir, name, &maker->input);
	begin(&maker->entries);
	err = err ?: maker->input->ops->size(maker->input, &maker->size);
	err = err ?: walk(maker, stop, diag);
	if (maker->input)
		maker->input->ops->close(maker->input);
	buffer_fini(&maker->head);
	buffer_fini(&maker->entries);
	if (err)
		(void)fd_close(maker->fd);
	else
		*ret = maker->fd;
	free(maker);
	return err;
}
