// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "live/ingest_stream.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "live/ingest_message.h"
#include "live/ingest_store.h"
#include "live/session.h"
#include "wire/index.h"

#define COPY_BYTES (256u << 10)

struct ingest_packet {
	uint64_t offset;
	uint64_t bytes; /* 0 = it has not come */
	struct ingest_index index; /* packet_bits = 0: likewise */
};

static int write_index_head(int fd)
{
	const uint32_t words[] = {htobe32(INDEX_MAGIC), htobe32(INDEX_MAJOR), htobe32(INDEX_MINOR),
				  htobe32(INDEX_ENTRY_BYTES)};

	return write_all(fd, words, sizeof(words));
}

static void close_file(struct ingest_file *file)
{
	fd_close(file->data_fd);
	fd_close(file->index_fd);
	session_file_unref(file->shown);
	*file = (struct ingest_file){.data_fd = -1, .index_fd = -1};
}

static int open_file(const struct ingest_stream *stream, bool apart, uint64_t first,
		     struct ingest_file *file)
{
	int err;

	*file = (struct ingest_file){.data_fd = -1, .index_fd = -1, .first = first};
	err = ingest_store_stream(stream->session_fd, apart ? INGEST_NEXT_CHUNK : "", stream->path,
				  stream->channel, &file->data_fd,
				  stream->is_metadata ? NULL : &file->index_fd);
	if (!err && !stream->is_metadata)
		err = write_index_head(file->index_fd);
	return err;
}

int ingest_stream_new(int session_fd, const char *path, const char *channel, uint64_t chunk,
		      bool apart, struct ingest_stream **ret)
{
	struct ingest_stream *stream = calloc(1, sizeof(*stream));
	int err;

	if (!stream)
		return -ENOMEM;
	stream->session_fd = session_fd;
	stream->chunk = chunk;
	stream->is_metadata = !strcmp(channel, RELAY_METADATA_CHANNEL);
	stream->old = (struct ingest_file){.data_fd = -1, .index_fd = -1};
	snprintf(stream->path, sizeof(stream->path), "%s", path);
	snprintf(stream->channel, sizeof(stream->channel), "%s", channel);
	err = open_file(stream, apart, 0, &stream->file);
	if (err)
		ingest_stream_free(stream);
	else
		*ret = stream;
	return err;
}

void ingest_stream_free(struct ingest_stream *stream)
{
	if (!stream)
		return;
	ingest_stream_abort(stream);
	close_file(&stream->file);
	close_file(&stream->old);
	free(stream->pending);
	free(stream);
}

/* Viewers get the newest file, which what they are told from now on is in. */
static int show_file(struct ingest_stream *stream)
{
	struct ingest_file *file = &stream->file;
	int data_fd, index_fd, err;

	if (!stream->shown || file->data_fd < 0)
		return 0;
	data_fd = fcntl(file->data_fd, F_DUPFD_CLOEXEC, 0);
	index_fd = fcntl(file->index_fd, F_DUPFD_CLOEXEC, 0);
	if (data_fd < 0 || index_fd < 0) {
		err = -errno;
		fd_close(data_fd);
		fd_close(index_fd);
		return err;
	}
	err = session_file_new(data_fd, index_fd, &file->shown);
	err = err ?: session_stream_file(stream->shown, file->shown);
	if (!err && file->entries)
		session_stream_packets(stream->shown, file->entries);
	return err;
}

int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown)
{
	stream->shown = shown;
	return show_file(stream);
}

/* The place of packet @number, which is not in file and index yet. */
static int get_pending(struct ingest_stream *stream, uint64_t number, struct ingest_packet **ret)
{
	uint64_t i = number - stream->done;

	if (number < stream->done || i >= INGEST_PENDING_MAX)
		return -EPROTO;
	if (i >= stream->pending_room) {
		size_t room = i < 16 ? 16 : 2 * (size_t)i;
		struct ingest_packet *pending = realloc(stream->pending, room * sizeof(*pending));

		if (!pending)
			return -ENOMEM;
		stream->pending = pending;
		stream->pending_room = room;
	}
	for (; stream->pending_count <= i; stream->pending_count++)
		stream->pending[stream->pending_count] = (struct ingest_packet){0};
	*ret = &stream->pending[i];
	return 0;
}

static int write_entry(struct ingest_file *file, const struct ingest_packet *packet)
{
	const struct ingest_index *index = &packet->index;
	const uint64_t entry[] = {
		htobe64(packet->offset),  htobe64(index->packet_bits), htobe64(index->content_bits),
		htobe64(index->begin),	  htobe64(index->end),	       htobe64(index->discarded),
		htobe64(index->class_id), htobe64(index->instance),    htobe64(index->sequence),
	};

	_Static_assert(sizeof(entry) == INDEX_ENTRY_BYTES, "index entry");
	file->entries++;
	return write_all(file->index_fd, entry, sizeof(entry));
}

/* The index of the file before is complete. */
static int leave_old(struct ingest_stream *stream)
{
	bool was_open = stream->old.data_fd >= 0;

	close_file(&stream->old);
	return was_open ? show_file(stream) : 0;
}

static void pop(struct ingest_stream *stream, size_t count)
{
	stream->pending_count -= count;
	stream->done += count;
	memmove(stream->pending, stream->pending + count,
		stream->pending_count * sizeof(*stream->pending));
}

/* Everything that is there on both sides goes into the index, and to viewers. */
static int finish_packets(struct ingest_stream *stream)
{
	size_t count = 0;
	int err = 0;

	for (; !err && count < stream->pending_count; count++) {
		const struct ingest_packet *packet = &stream->pending[count];
		bool in_old = stream->done + count < stream->file.first;

		if (!packet->bytes || !packet->index.packet_bits)
			break;
		if (packet->index.packet_bits / 8 != packet->bytes)
			return -EPROTO;
		if (!in_old)
			err = leave_old(stream);
		err = err ?: write_entry(in_old ? &stream->old : &stream->file, packet);
		if (!err && stream->shown)
			session_stream_packets(stream->shown,
					       in_old ? stream->old.entries : stream->file.entries);
	}
	if (count)
		pop(stream, count);
	if (!err && stream->done >= stream->file.first)
		err = leave_old(stream);
	return err;
}

/* Packets from @number on go to a new file. */
static int open_next(struct ingest_stream *stream, uint64_t number)
{
	int err = 0;

	if (stream->old.data_fd >= 0)
		return -EPROTO; /* a rotation within another one */
	stream->rotating = false;
	stream->pivoting = false;
	stream->old = stream->file;
	stream->file = (struct ingest_file){.data_fd = -1, .index_fd = -1, .first = number};
	stream->chunk = stream->next_chunk;
	if (stream->next_chunk != INGEST_CHUNK_NONE)
		err = open_file(stream, stream->apart, number, &stream->file);
	return err;
}

static int switch_file(struct ingest_stream *stream, uint64_t number)
{
	return open_next(stream, number) ?: finish_packets(stream);
}

int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err = 0;

	if (stream->is_metadata || stream->receiving || data->number != stream->next ||
	    !(data->len + (uint64_t)data->padding))
		return -EPROTO;
	if (stream->file.data_fd < 0)
		err = -EPROTO; /* it has left its last chunk */
	else if (lseek(stream->file.data_fd, (off_t)stream->file.bytes, SEEK_SET) < 0)
		err = -errno;
	if (err)
		return err;
	stream->receiving = true;
	stream->left = data->len;
	stream->padding = data->padding;
	stream->got = 0;
	return stream->left ? 0 : ingest_stream_bytes(stream, NULL, 0);
}

static int end_packet(struct ingest_stream *stream)
{
	struct ingest_file *file = &stream->file;
	uint64_t bytes = (uint64_t)stream->got + stream->padding;
	struct ingest_packet *packet;
	int err;

	if (stream->padding && ftruncate(file->data_fd, (off_t)(file->bytes + bytes)))
		return -errno;
	if (!stream->indexed && stream->pending_count == INGEST_PENDING_MAX)
		pop(stream, stream->pending_count); /* of what nobody says anything */
	err = get_pending(stream, stream->next, &packet);
	if (err)
		return err;
	packet->offset = file->bytes;
	packet->bytes = bytes;
	file->bytes += bytes;
	stream->receiving = false;
	stream->next++;
	if (stream->pivoting && stream->next == stream->pivot)
		return switch_file(stream, stream->next);
	return finish_packets(stream);
}

int ingest_stream_bytes(struct ingest_stream *stream, const void *bytes, size_t len)
{
	int err = len ? write_all(stream->file.data_fd, bytes, len) : 0;

	stream->got += (uint32_t)len;
	stream->left -= (uint32_t)len;
	return err ?: stream->left ? err : end_packet(stream);
}

void ingest_stream_abort(struct ingest_stream *stream)
{
	if (!stream->receiving)
		return;
	stream->receiving = false;
	(void)!ftruncate(stream->file.data_fd, (off_t)stream->file.bytes);
}

int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding)
{
	struct ingest_file *file = &stream->file;
	off_t end = (off_t)(file->bytes + len + padding);
	int err;

	if (!stream->is_metadata || file->data_fd < 0)
		return -EPROTO;
	err = write_all(file->data_fd, bytes, len);
	if (!err && padding &&
	    (ftruncate(file->data_fd, end) || lseek(file->data_fd, end, SEEK_SET) < 0))
		err = -errno;
	file->bytes = (uint64_t)end;
	return err;
}

static int copy(int from, uint64_t offset, uint64_t len, int to)
{
	char *block = malloc(COPY_BYTES);
	int err = block ? 0 : -ENOMEM;

	while (!err && len) {
		ssize_t got = read_at(from, block, len < COPY_BYTES ? len : COPY_BYTES, offset);

		err = got > 0 ? write_all(to, block, (size_t)got) : got < 0 ? (int)got : -EIO;
		offset += got > 0 ? (uint64_t)got : 0;
		len -= got > 0 ? (uint64_t)got : 0;
	}
	free(block);
	return err;
}

/* Packets from @number on go to a new file, and some of them are here already; of none there is an index. */
static int split_file(struct ingest_stream *stream, uint64_t number)
{
	uint64_t offset = number < stream->next ? stream->pending[number - stream->done].offset :
						  stream->file.bytes;
	uint64_t bytes = stream->file.bytes - offset, partial = stream->receiving ? stream->got : 0;
	int err;

	if (stream->next_chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	err = open_next(stream, number);
	err = err ?: copy(stream->old.data_fd, offset, bytes + partial, stream->file.data_fd);
	if (!err && ftruncate(stream->old.data_fd, (off_t)offset))
		err = -errno;
	stream->file.bytes = bytes;
	for (size_t i = 0; i < stream->pending_count; i++) {
		if (stream->done + i >= number)
			stream->pending[i].offset -= offset;
	}
	return err ?: finish_packets(stream);
}

/* The sequence numbers of packets come with their index: once that of the last packet of the old chunk is here,
 * it is known which one is the first of the new chunk. */
static int find_pivot(struct ingest_stream *stream)
{
	if (!stream->rotating || stream->pivoting ||
	    (stream->indexed ? stream->last_sequence + 1 < stream->rotate_at : stream->rotate_at))
		return 0;
	stream->pivoting = true;
	stream->pivot = stream->indexed ? stream->last_number + 1 : 0;
	if (stream->pivot == stream->next && !stream->receiving)
		return switch_file(stream, stream->pivot);
	return stream->pivot <= stream->next ? split_file(stream, stream->pivot) : 0;
}

int ingest_stream_rotate(struct ingest_stream *stream, uint64_t sequence, uint64_t chunk,
			 bool apart)
{
	if (stream->rotating || stream->chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	stream->rotating = true;
	stream->rotate_at = sequence;
	stream->next_chunk = chunk;
	stream->apart = apart;
	return stream->is_metadata ? switch_file(stream, 0) : find_pivot(stream);
}

int ingest_stream_index(struct ingest_stream *stream, const struct ingest_index *index)
{
	struct ingest_packet *packet;
	int err;

	if (stream->is_metadata)
		return -EPROTO;
	if (!index->packet_bits) {
		if (stream->shown && !stream->pending_count)
			session_stream_beacon(stream->shown, index->end);
		return 0;
	}
	if (stream->indexed && index->number != stream->last_number + 1)
		return -EPROTO;
	err = get_pending(stream, index->number, &packet);
	if (err)
		return err;
	stream->indexed = true;
	stream->last_number = index->number;
	stream->last_sequence = index->sequence;
	packet->index = *index;
	return finish_packets(stream) ?: find_pivot(stream);
}

bool ingest_stream_has(const struct ingest_stream *stream, uint64_t last)
{
	return last == RELAY_NO_PACKET || (stream->indexed ? stream->done : stream->next) > last;
}
