// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
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

static struct ingest_file *newest(const struct ingest_stream *stream)
{
	return &stream->files[stream->file_count - 1];
}

static struct ingest_file_place place_of(const struct ingest_stream *stream, uint64_t chunk)
{
	return (struct ingest_file_place){
		.session = stream->session->dir,
		.folder = ingest_session_folder(stream->session, chunk),
		.path = stream->path,
		.channel = stream->channel,
		.is_metadata = stream->is_metadata,
		.numbered = stream->numbered,
		.ring = stream->ring,
	};
}

/* Packets from @first on go to a new file in @chunk. */
static int push_file(struct ingest_stream *stream, uint64_t chunk, uint64_t first)
{
	const struct ingest_file_place place = place_of(stream, chunk);
	bool follows = stream->file_count && newest(stream)->chunk == chunk;
	struct ingest_file file = {.data_fd = -1, .index_fd = -1, .first = first}, *files;
	int err = 0;

	if (stream->file_count == INGEST_FILES_MAX)
		return -ENOBUFS;
	files = realloc(stream->files, (stream->file_count + 1) * sizeof(*files));
	if (!files)
		return -ENOMEM;
	stream->files = files;
	if (chunk != INGEST_CHUNK_NONE)
		err = ingest_file_open(&place, follows ? newest(stream)->number + 1 : 0, first,
				       &file);
	if (err)
		return err;
	file.chunk = chunk;
	files[stream->file_count++] = file;
	return 0;
}

/* Viewers have what is kept, and the first of those that are open, which what they are told next is in. */
static int show_file(struct ingest_stream *stream)
{
	struct session_stream *shown = stream->shown;

	while (shown && stream->ring && shown->file_count >= stream->ring && !stream->files->shown)
		session_stream_drop(shown);
	return ingest_file_show(stream->files, shown);
}

/* The index of the first file is complete. */
static int pop_file(struct ingest_stream *stream)
{
	ingest_file_close(stream->files);
	stream->file_count--;
	memmove(stream->files, stream->files + 1, stream->file_count * sizeof(*stream->files));
	return show_file(stream);
}

/* As its session asks, and so that there is something to drop when there is a quota. */
static void limit_files(struct ingest_stream *stream, const struct ingest_command *add)
{
	uint64_t most = ingest_quota_file_bytes(&stream->session->place->quota);

	stream->file_bytes = add->file_bytes;
	stream->ring = add->file_bytes ? add->file_count : 0;
	if (most && !stream->ring) {
		stream->first_alone = true;
		if (!stream->file_bytes || stream->file_bytes > most)
			stream->file_bytes = most;
	}
	stream->numbered = stream->file_bytes;
}

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
		limit_files(stream, add);
	stream->path = strdup(add->path);
	stream->channel = strdup(add->name);
	err = stream->path && stream->channel ? push_file(stream, add->chunk, 0) : -ENOMEM;
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
	for (size_t i = 0; i < stream->file_count; i++)
		ingest_file_close(&stream->files[i]);
	free(stream->files);
	free(stream->path);
	free(stream->channel);
	free(stream->pending);
	free(stream);
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

static void pop(struct ingest_stream *stream, size_t count)
{
	stream->pending_count -= count;
	stream->done += count;
	memmove(stream->pending, stream->pending + count,
		stream->pending_count * sizeof(*stream->pending));
}

/* Files of which all packets are in the index are done with. */
static int pop_files(struct ingest_stream *stream, uint64_t done)
{
	int err = 0;

	while (!err && stream->file_count > 1 && done >= stream->files[1].first)
		err = pop_file(stream);
	return err;
}

/* Everything that is there on both sides goes into the index, and to viewers. */
static int finish_packets(struct ingest_stream *stream)
{
	size_t count = 0;
	int err = pop_files(stream, stream->done);

	for (; !err && count < stream->pending_count; count++) {
		const struct ingest_packet *packet = &stream->pending[count];

		if (!packet->bytes || !packet->index.packet_bits)
			break;
		if (packet->index.packet_bits / 8 != packet->bytes)
			return -EPROTO;
		err = ingest_file_entry(stream->files, packet->offset, &packet->index);
		if (!err && stream->shown)
			session_stream_packets(stream->shown, stream->files->entries);
		err = err ?: pop_files(stream, stream->done + count + 1);
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
	return push_file(stream, stream->next_chunk, number);
}

static int switch_file(struct ingest_stream *stream, uint64_t number)
{
	return open_next(stream, number) ?: finish_packets(stream);
}

/* Packet @number, of @len bytes without its padding, may make it necessary that another file begins. As
 * lttng-relayd has it, what a file has counts with padding, and what comes without. */
static int make_room(struct ingest_stream *stream, uint64_t number, uint64_t len)
{
	const struct ingest_file *file = newest(stream);

	if (!stream->file_bytes || !file->bytes ||
	    (file->bytes + len <= stream->file_bytes && !(stream->first_alone && !file->number)))
		return 0;
	return push_file(stream, file->chunk, number);
}

int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err;

	if (stream->is_metadata || stream->receiving || data->number != stream->next ||
	    !(data->len + (uint64_t)data->padding) ||
	    newest(stream)->data_fd < 0) /* it has left its last chunk */
		return -EPROTO;
	err = ingest_quota_take(stream->session->place,
				data->len + (uint64_t)data->padding + INDEX_ENTRY_BYTES);
	err = err ?: make_room(stream, stream->next, data->len) ?: finish_packets(stream);
	if (!err && lseek(newest(stream)->data_fd, (off_t)newest(stream)->bytes, SEEK_SET) < 0)
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
	struct ingest_file *file = newest(stream);
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
	int err = len ? write_all(newest(stream)->data_fd, bytes, len) : 0;

	stream->got += (uint32_t)len;
	stream->left -= (uint32_t)len;
	return err ?: stream->left ? err : end_packet(stream);
}

void ingest_stream_abort(struct ingest_stream *stream)
{
	if (!stream->receiving)
		return;
	stream->receiving = false;
	(void)!ftruncate(newest(stream)->data_fd, (off_t)newest(stream)->bytes);
}

int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding)
{
	struct ingest_file *file = newest(stream);
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
	const struct ingest_file *file = newest(stream);

	if (!stream->numbered || stream->ring || stream->receiving || stream->pending_count ||
	    stream->rotating || !file->number || !file->bytes || file->data_fd < 0)
		return 0;
	return push_file(stream, file->chunk, stream->next) ?: finish_packets(stream);
}

int ingest_stream_reset(struct ingest_stream *stream)
{
	struct ingest_file *file = newest(stream);

	if (file->data_fd < 0)
		return -EPROTO;
	if (ftruncate(file->data_fd, 0) || lseek(file->data_fd, 0, SEEK_SET) < 0)
		return -errno;
	file->bytes = 0;
	return 0;
}

/* Which of the first @count files packet @number is in. */
static size_t file_of(const struct ingest_stream *stream, size_t count, uint64_t number)
{
	while (count > 1 && stream->files[count - 1].first > number)
		count--;
	return count - 1;
}

/* Packets from @number on, which are in the first @count files, go to new ones behind these. */
static int move_packets(struct ingest_stream *stream, size_t count, uint64_t number)
{
	uint64_t partial = stream->receiving ? stream->got : 0;
	const struct ingest_file *from;
	int err = 0;

	for (uint64_t at = number; !err && at < stream->next; at++) {
		struct ingest_packet *packet = &stream->pending[at - stream->done];

		err = make_room(stream, at, packet->len);
		from = &stream->files[file_of(stream, count, at)];
		err = err ?: ingest_file_copy(from, packet->offset, packet->bytes, newest(stream));
		packet->offset = newest(stream)->bytes;
		newest(stream)->bytes += err ? 0 : packet->bytes;
	}
	if (err || !stream->receiving)
		return err;
	err = make_room(stream, stream->next, partial + stream->left);
	from = &stream->files[count - 1];
	return err ?: ingest_file_copy(from, from->bytes, partial, newest(stream));
}

/* What was moved goes from the first @count files, the last of which may have held nothing else. */
static int cut_files(struct ingest_stream *stream, size_t count, uint64_t number, uint64_t offset)
{
	size_t last = file_of(stream, count, number);
	struct ingest_file *file = &stream->files[last];
	int err = ftruncate(file->data_fd, (off_t)offset) ? -errno : 0;

	file->bytes = offset;
	for (size_t i = last + 1; i < count; i++) {
		const struct ingest_file_place place = place_of(stream, stream->files[i].chunk);

		ingest_file_remove(&place, &stream->files[i]);
		ingest_file_close(&stream->files[i]);
	}
	memmove(stream->files + last + 1, stream->files + count,
		(stream->file_count - count) * sizeof(*stream->files));
	stream->file_count -= count - last - 1;
	return err;
}

/* Packets from @number on go to the next chunk, and some of them are here already; of none there is an index. */
static int split_files(struct ingest_stream *stream, uint64_t number)
{
	size_t count = stream->file_count;
	uint64_t offset = number < stream->next ? stream->pending[number - stream->done].offset :
						  newest(stream)->bytes;

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
	if (stream->rotating || newest(stream)->chunk == INGEST_CHUNK_NONE)
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
