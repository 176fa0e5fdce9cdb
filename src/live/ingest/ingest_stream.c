// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/ingest/ingest_files.h"
#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_session.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "wire/index.h"

int ingest_stream_new(struct ingest_session *session, const struct ingest_command *add,
		      struct ingest_stream **ret)
{
	struct ingest_stream *stream = calloc(1, sizeof(*stream));
	int err;

	if (!stream)
		return -ENOMEM;
	stream->session = session;
	ingest_pending_init(&stream->pending, &session->pending);
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
	ingest_pending_fini(&stream->pending);
	free(stream);
}

int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown)
{
	stream->shown = shown;
	return ingest_files_show(stream);
}

/* Files of which all is complete go. */
static int settle(struct ingest_stream *stream)
{
	return ingest_files_pop(stream, stream->pending.done);
}

/* It is there on both sides: it goes into the index, and to viewers. */
static int publish(struct ingest_stream *stream, const struct ingest_packet *packet)
{
	int err = ingest_files_pop(stream, packet->number) ?: ingest_files_entry(stream, packet);

	if (!err && stream->shown)
		session_stream_packets(stream->shown, stream->files->entries);
	return err ?: settle(stream);
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
	return open_next(stream, number) ?: settle(stream);
}

/* A packet of @len bytes may need another file. If too many files wait for an index that never began, none is to
 * come. */
static int make_room(struct ingest_stream *stream, uint32_t len)
{
	if (stream->file_count == INGEST_FILES_MAX)
		ingest_pending_give_up(&stream->pending);
	return settle(stream)							 ?:
		       ingest_files_room(stream, stream->pending.next_data, len) ?:
										   settle(stream);
}

int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err;

	if (stream->is_metadata || stream->receiving || !(data->len + (uint64_t)data->padding) ||
	    !ingest_files_newest(stream)->data) /* it has left its last chunk */
		return -EPROTO;
	err = ingest_pending_begin(&stream->pending, data->number);
	err = err   ?:
		      ingest_quota_take(stream->session->place,
					data->len + (uint64_t)data->padding + INDEX_ENTRY_BYTES);
	err = err ?: make_room(stream, data->len);
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
	const struct ingest_packet packet = {
		.number = stream->pending.next_data,
		.offset = file->bytes,
		.bytes = (uint64_t)stream->got + stream->padding,
		.len = stream->got,
	};
	struct ingest_packet whole;
	int got;

	got = stream->padding ? ingest_file_truncate(file, file->bytes + packet.bytes) : 0;
	if (got)
		return got;
	got = ingest_pending_data(&stream->pending, &packet, &whole);
	if (got < 0)
		return got;
	file->bytes += packet.bytes;
	stream->receiving = false;
	got = got ? publish(stream, &whole) : 0;
	if (!got && stream->pivoting && stream->pending.next_data == stream->pivot)
		got = switch_file(stream, stream->pivot);
	return got;
}

int ingest_stream_bytes(struct ingest_stream *stream, const void *bytes, size_t len)
{
	const struct ingest_file *file = ingest_files_newest(stream);
	int err = ingest_file_write(file, bytes, len, file->bytes + stream->got);

	stream->got += (uint32_t)len;
	stream->left -= (uint32_t)len;
	if (!err && !stream->left)
		err = end_packet(stream);
	if (err)
		ingest_stream_abort(stream);
	return err;
}

void ingest_stream_abort(struct ingest_stream *stream)
{
	if (!stream->receiving)
		return;
	stream->receiving = false;
	(void)ingest_file_truncate(ingest_files_newest(stream), ingest_files_newest(stream)->bytes);
}

int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding)
{
	struct ingest_file *file = ingest_files_newest(stream);
	uint64_t end = file->bytes + len + padding;
	int err;

	if (!stream->is_metadata || !file->data)
		return -EPROTO;
	err = ingest_quota_take(stream->session->place, len + padding);
	err = err ?: ingest_file_write(file, bytes, len, file->bytes);
	if (!err && padding)
		err = ingest_file_truncate(file, end);
	file->bytes = end;
	return err;
}

int ingest_stream_cut(struct ingest_stream *stream)
{
	const struct ingest_file *file = ingest_files_newest(stream);

	if (!stream->numbered || stream->ring || stream->receiving || stream->pending.count ||
	    stream->rotating || !file->number || !file->bytes || !file->data)
		return 0;
	return ingest_files_push(stream, file->chunk, stream->pending.next_data) ?: settle(stream);
}

int ingest_stream_reset(struct ingest_stream *stream)
{
	struct ingest_file *file = ingest_files_newest(stream);
	int err = file->data ? ingest_file_truncate(file, 0) : -EPROTO;

	file->bytes = err ? file->bytes : 0;
	return err;
}

/* The packets that wait for their index, which are in the first @count files, and the one that is being received, go
 * to new ones behind these. */
static int move_packets(struct ingest_stream *stream, size_t count)
{
	uint32_t partial = stream->receiving ? stream->got : 0;
	const struct ingest_file *from;
	struct ingest_packet *packet;
	int err = 0;

	for (uint64_t i = 0; !err && (packet = ingest_pending_get(&stream->pending, i)); i++) {
		err = ingest_files_room(stream, packet->number, packet->len);
		from = &stream->files[ingest_files_find(stream, count, packet->number)];
		err = err   ?:
			      ingest_file_copy(from, packet->offset, packet->bytes,
					       ingest_files_newest(stream));
		packet->offset = ingest_files_newest(stream)->bytes;
		ingest_files_newest(stream)->bytes += err ? 0 : packet->bytes;
	}
	if (err || !stream->receiving)
		return err;
	err = ingest_files_room(stream, stream->pending.next_data,
				(uint64_t)partial + stream->left);
	from = &stream->files[count - 1];
	return err ?: ingest_file_copy(from, from->bytes, partial, ingest_files_newest(stream));
}

/* What was moved goes from the first @count files, the last of which may have held nothing else. */
static int cut_files(struct ingest_stream *stream, size_t count, uint64_t number, uint64_t offset)
{
	size_t last = ingest_files_find(stream, count, number);
	struct ingest_file *file = &stream->files[last];
	int err = ingest_file_truncate(file, offset);

	file->bytes = offset;
	ingest_files_remove(stream, last + 1, count);
	return err;
}

/* All packets that wait for their index go to the next chunk, the first of them is @number. */
static int split_files(struct ingest_stream *stream, uint64_t number)
{
	const struct ingest_packet *first = ingest_pending_get(&stream->pending, 0);
	uint64_t offset = first ? first->offset : ingest_files_newest(stream)->bytes;
	size_t count = stream->file_count;

	return open_next(stream, number)			?:
		       move_packets(stream, count)		?:
		       cut_files(stream, count, number, offset) ?:
								  settle(stream);
}

/* Whether the index has come up to the last packet of the old chunk. Without any index, only a new chunk for
 * everything is known. */
static bool is_pivot_known(const struct ingest_stream *stream)
{
	return !stream->rotate_at ||
	       (stream->pending.has_index && stream->last_sequence >= stream->rotate_at - 1);
}

/* The sequence numbers of packets come with their index: once that of the last packet of the old chunk is here,
 * the next one is the first of the new chunk. */
static int find_pivot(struct ingest_stream *stream)
{
	const struct ingest_pending *pending = &stream->pending;
	uint64_t pivot = pending->next_index;
	bool has_begun = pending->next_data > pivot ||
			 (pending->next_data == pivot && stream->receiving);

	if (!stream->rotating || stream->pivoting || !is_pivot_known(stream))
		return 0;
	if (has_begun && stream->next_chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	if (has_begun)
		return split_files(stream, pivot);
	if (pending->next_data == pivot)
		return switch_file(stream, pivot);
	stream->pivoting = true;
	stream->pivot = pivot;
	return 0;
}

int ingest_stream_rotate(struct ingest_stream *stream, uint64_t sequence, uint64_t chunk)
{
	int err;

	if (stream->rotating || ingest_files_newest(stream)->chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	if (!sequence && stream->pending.given_up)
		return -EPROTO; /* where the first packets are is not known any more */
	stream->rotate_at = sequence;
	stream->next_chunk = chunk;
	if (stream->is_metadata)
		return switch_file(stream, 0);
	stream->rotating = true;
	err = find_pivot(stream);
	if (err == -EPROTO)
		stream->rotating = false;
	return err;
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
	struct ingest_packet whole;
	int got;

	if (stream->is_metadata)
		return -EPROTO;
	if (!index->packet_bits) {
		if (stream->shown && !stream->pending.count)
			session_stream_beacon(stream->shown, index->end);
		return 0;
	}
	got = ingest_pending_index(&stream->pending, index, &whole);
	if (got < 0)
		return got;
	stream->last_sequence = index->sequence;
	got = got ? publish(stream, &whole) : 0;
	return got ?: find_pivot(stream);
}
