// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "live/ingest_files.h"
#include "live/ingest_message.h"
#include "live/ingest_place.h"
#include "live/ingest_session.h"
#include "live/session.h"
#include "wire/index.h"

struct ingest_packet {
	uint64_t offset;
	uint64_t bytes; /* 0 = it has not come */
	uint32_t len; /* without padding */
	struct ingest_index index; /* packet_bits = 0: likewise */
};

int ingest_stream_new(struct ingest_session *session, const struct ingest_command *add,
		      struct ingest_stream **ret)
{
	struct ingest_stream *stream = calloc(1, sizeof(*stream));
	int err;

	if (!stream)
		return -ENOMEM;
	stream->session = session;
	stream->is_metadata = !strcmp(add->name, RELAY_METADATA_CHANNEL);
	if (!stream->is_metadata)
		ingest_files_limit(stream, add);
	stream->path = strdup(add->path);
	stream->channel = strdup(add->name);
	err = stream->path && stream->channel ? ingest_files_push(stream, add->chunk, 0) : -ENOMEM;
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
	ingest_files_fini(stream);
	free(stream->path);
	free(stream->channel);
	stream->session->pending -= stream->pending_count;
	free(stream->pending);
	free(stream);
}

int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown)
{
	stream->shown = shown;
	return ingest_files_show(stream);
}

/* The place of packet @number, which is not in file and index yet. */
static int get_pending(struct ingest_stream *stream, uint64_t number, struct ingest_packet **ret)
{
	uint64_t i = number - stream->done;

	if (number < stream->done || i >= INGEST_PENDING_MAX)
		return -EPROTO;
	if (i >= stream->pending_count &&
	    i - stream->pending_count >= INGEST_PENDING_ALL - stream->session->pending)
		return -ENOBUFS;
	if (i >= stream->pending_room) {
		size_t room = i < 16 ? 16 : 2 * (size_t)i;
		struct ingest_packet *pending = realloc(stream->pending, room * sizeof(*pending));

		if (!pending)
			return -ENOMEM;
		stream->pending = pending;
		stream->pending_room = room;
	}
	for (; stream->pending_count <= i; stream->pending_count++) {
		stream->pending[stream->pending_count] = (struct ingest_packet){0};
		stream->session->pending++;
	}
	*ret = &stream->pending[i];
	return 0;
}

static void pop(struct ingest_stream *stream, size_t count)
{
	stream->session->pending -= count;
	stream->pending_count -= count;
	stream->done += count;
	memmove(stream->pending, stream->pending + count,
		stream->pending_count * sizeof(*stream->pending));
}

/* Everything that is there on both sides goes into the index, and to viewers. */
static int finish_packets(struct ingest_stream *stream)
{
	size_t count = 0;
	int err = ingest_files_pop(stream, stream->done);

	for (; !err && count < stream->pending_count; count++) {
		const struct ingest_packet *packet = &stream->pending[count];

		if (!packet->bytes || !packet->index.packet_bits)
			break;
		if (packet->index.packet_bits / 8 != packet->bytes)
			return -EPROTO;
		err = ingest_file_entry(stream->files, packet->offset, &packet->index);
		if (!err && stream->shown)
			session_stream_packets(stream->shown, stream->files->entries);
		err = err ?: ingest_files_pop(stream, stream->done + count + 1);
	}
	if (count)
		pop(stream, count);
	return err;
}

/* Packets from @number on go to the next chunk. */
static int open_next(struct ingest_stream *stream, uint64_t number)
{
	stream->rotating = false;
	stream->pivoting = false;
	return ingest_files_push(stream, stream->next_chunk, number);
}

static int switch_file(struct ingest_stream *stream, uint64_t number)
{
	return open_next(stream, number) ?: finish_packets(stream);
}

int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err;

	if (stream->is_metadata || stream->receiving || data->number != stream->next ||
	    !(data->len + (uint64_t)data->padding) ||
	    ingest_files_newest(stream)->data_fd < 0) /* it has left its last chunk */
		return -EPROTO;
	err = ingest_quota_take(stream->session->place,
				data->len + (uint64_t)data->padding + INDEX_ENTRY_BYTES);
	err = err ?: ingest_files_room(stream, stream->next, data->len) ?: finish_packets(stream);
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
	struct ingest_file *file = ingest_files_newest(stream);
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
	packet->len = stream->got;
	file->bytes += bytes;
	stream->receiving = false;
	stream->next++;
	if (stream->pivoting && stream->next == stream->pivot)
		return switch_file(stream, stream->next);
	return finish_packets(stream);
}

int ingest_stream_bytes(struct ingest_stream *stream, const void *bytes, size_t len)
{
	const struct ingest_file *file = ingest_files_newest(stream);
	int err = write_at(file->data_fd, bytes, len, file->bytes + stream->got);

	stream->got += (uint32_t)len;
	stream->left -= (uint32_t)len;
	return err ?: stream->left ? err : end_packet(stream);
}

void ingest_stream_abort(struct ingest_stream *stream)
{
	if (!stream->receiving)
		return;
	stream->receiving = false;
	(void)!ftruncate(ingest_files_newest(stream)->data_fd,
			 (off_t)ingest_files_newest(stream)->bytes);
}

int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding)
{
	struct ingest_file *file = ingest_files_newest(stream);
	off_t end = (off_t)(file->bytes + len + padding);
	int err;

	if (!stream->is_metadata || file->data_fd < 0)
		return -EPROTO;
	err = ingest_quota_take(stream->session->place, len + padding);
	err = err ?: write_all(file->data_fd, bytes, len);
	if (!err && padding &&
	    (ftruncate(file->data_fd, end) || lseek(file->data_fd, end, SEEK_SET) < 0))
		err = -errno;
	file->bytes = (uint64_t)end;
	return err;
}

int ingest_stream_cut(struct ingest_stream *stream)
{
	const struct ingest_file *file = ingest_files_newest(stream);

	if (!stream->numbered || stream->ring || stream->receiving || stream->pending_count ||
	    stream->rotating || !file->number || !file->bytes || file->data_fd < 0)
		return 0;
	return ingest_files_push(stream, file->chunk, stream->next) ?: finish_packets(stream);
}

int ingest_stream_reset(struct ingest_stream *stream)
{
	struct ingest_file *file = ingest_files_newest(stream);

	if (file->data_fd < 0)
		return -EPROTO;
	if (ftruncate(file->data_fd, 0) || lseek(file->data_fd, 0, SEEK_SET) < 0)
		return -errno;
	file->bytes = 0;
	return 0;
}

/* Packets from @number on, which are in the first @count files, go to new ones behind these. */
static int move_packets(struct ingest_stream *stream, size_t count, uint64_t number)
{
	uint64_t partial = stream->receiving ? stream->got : 0;
	const struct ingest_file *from;
	int err = 0;

	for (uint64_t at = number; !err && at < stream->next; at++) {
		struct ingest_packet *packet = &stream->pending[at - stream->done];

		err = ingest_files_room(stream, at, packet->len);
		from = &stream->files[ingest_files_find(stream, count, at)];
		err = err   ?:
			      ingest_file_copy(from, packet->offset, packet->bytes,
					       ingest_files_newest(stream));
		packet->offset = ingest_files_newest(stream)->bytes;
		ingest_files_newest(stream)->bytes += err ? 0 : packet->bytes;
	}
	if (err || !stream->receiving)
		return err;
	err = ingest_files_room(stream, stream->next, partial + stream->left);
	from = &stream->files[count - 1];
	return err ?: ingest_file_copy(from, from->bytes, partial, ingest_files_newest(stream));
}

/* What was moved goes from the first @count files, the last of which may have held nothing else. */
static int cut_files(struct ingest_stream *stream, size_t count, uint64_t number, uint64_t offset)
{
	size_t last = ingest_files_find(stream, count, number);
	struct ingest_file *file = &stream->files[last];
	int err = ftruncate(file->data_fd, (off_t)offset) ? -errno : 0;

	file->bytes = offset;
	ingest_files_remove(stream, last + 1, count);
	return err;
}

/* Packets from @number on go to the next chunk, and some of them are here already; of none there is an index. */
static int split_files(struct ingest_stream *stream, uint64_t number)
{
	size_t count = stream->file_count;
	uint64_t offset = number < stream->next ? stream->pending[number - stream->done].offset :
						  ingest_files_newest(stream)->bytes;

	if (stream->next_chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	return open_next(stream, number)			?:
		       move_packets(stream, count, number)	?:
		       cut_files(stream, count, number, offset) ?:
								  finish_packets(stream);
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
	return stream->pivot <= stream->next ? split_files(stream, stream->pivot) : 0;
}

int ingest_stream_rotate(struct ingest_stream *stream, uint64_t sequence, uint64_t chunk)
{
	if (stream->rotating || ingest_files_newest(stream)->chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	stream->rotating = true;
	stream->rotate_at = sequence;
	stream->next_chunk = chunk;
	return stream->is_metadata ? switch_file(stream, 0) : find_pivot(stream);
}

bool ingest_stream_is_in(const struct ingest_stream *stream, uint64_t chunk)
{
	for (size_t i = 0; i < stream->file_count; i++) {
		if (stream->files[i].chunk == chunk)
			return true;
	}
	return false;
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
