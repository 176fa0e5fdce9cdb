// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/ingest/ingest_files.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_pending.h"
#include "live/ingest/ingest_quota.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "wire/index.h"
#include "wire/lttng_relay.h"

struct ingest_stream {
	struct ingest_folder *folder; /* borrowed */
	bool is_metadata;
	struct ingest_files files;
	struct ingest_pending pending; /* which packet comes next, and those of which half is here */
	uint64_t number; /* of the packet that is being received */
	uint32_t left; /* bytes of it */
	uint32_t padding; /* behind it */
	uint32_t got;
	bool receiving;
	uint64_t last_sequence; /* of the last index entry, where pending.has_index */
	bool rotating; /* at sequence number `rotate_at`, to chunk `next_chunk` */
	uint64_t rotate_at;
	bool pivoting; /* that will be packet `pivot`, whose data is still to come */
	uint64_t pivot;
	uint64_t next_chunk;
	bool lost; /* nothing of it is stored any more: it has no files, and nothing is pending */
	uint64_t lost_until; /* the packets before it have come */
};

int ingest_stream_new(struct ingest_folder *folder, const struct ingest_command *add,
		      struct ingest_stream **ret)
{
	struct ingest_stream *stream = calloc(1, sizeof(*stream));
	int err;

	if (!stream)
		return -ENOMEM;
	stream->folder = folder;
	stream->is_metadata = !strcmp(add->name, RELAY_METADATA_CHANNEL);
	ingest_pending_init(&stream->pending, &folder->pending);
	err = ingest_files_init(&stream->files, folder, add);
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
	if (stream->files.shown)
		session_stream_end(stream->files.shown);
	ingest_files_fini(&stream->files);
	ingest_pending_fini(&stream->pending);
	free(stream);
}

int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown)
{
	return ingest_files_show(&stream->files, shown);
}

static struct ingest_file *newest(const struct ingest_stream *stream)
{
	return ingest_files_newest(&stream->files);
}

/* Files of which all is complete go. */
static int settle(struct ingest_stream *stream)
{
	return ingest_files_pop(&stream->files, stream->pending.done);
}

/* It is there on both sides: it goes into the index, and to viewers. */
static int publish(struct ingest_stream *stream, const struct ingest_packet *packet)
{
	int err = ingest_files_pop(&stream->files, packet->number) ?:
			  ingest_files_entry(&stream->files, packet);

	if (!err && stream->files.shown)
		session_stream_packets(stream->files.shown, stream->files.all->entries);
	if (err == -ESTALE)
		ingest_folder_lose(stream->folder, 1, packet->bytes);
	return err ?: settle(stream);
}

/* One of its files cannot be used any more, and all that is done with these is in vain. Packets whose index is still to
 * come are lost, as that would go there. */
static void lose(struct ingest_stream *stream)
{
	struct ingest_file *file = newest(stream);
	uint64_t chunk = stream->rotating ? stream->next_chunk : file->chunk;
	const struct ingest_packet *packet;

	for (uint64_t i = 0; (packet = ingest_pending_get(&stream->pending, i)); i++)
		ingest_folder_lose(stream->folder, 1, packet->bytes);
	ingest_folder_lose_stream(stream->folder, stream->files.path, stream->files.channel);
	stream->lost = true;
	stream->lost_until = stream->pending.next_data;
	stream->rotating = stream->pivoting = false;
	ingest_pending_fini(&stream->pending);
	ingest_pending_init(&stream->pending, &stream->folder->pending);
	ingest_files_close(&stream->files, chunk);
	if (stream->files.shown)
		session_stream_end(stream->files.shown);
}

/* @err: the result of a change. -ESTALE: the stream is lost; the connection goes on, so it returns 0. */
static int keep_or_lose(struct ingest_stream *stream, int err)
{
	if (err != -ESTALE)
		return err;
	lose(stream);
	return 0;
}

/* Packets from @number on go to the next chunk. */
static int open_next(struct ingest_stream *stream, uint64_t number)
{
	stream->rotating = false;
	stream->pivoting = false;
	return ingest_files_push(&stream->files, stream->next_chunk, number);
}

static int switch_file(struct ingest_stream *stream, uint64_t number)
{
	return open_next(stream, number) ?: settle(stream);
}

/* A packet of @len bytes may need another file. If too many files wait for an index that never began, none is to
 * come. */
static int make_room(struct ingest_stream *stream, uint32_t len)
{
	if (stream->files.count == INGEST_FILES_MAX)
		ingest_pending_give_up(&stream->pending);
	return settle(stream)								 ?:
		       ingest_files_room(&stream->files, stream->pending.next_data, len) ?:
		       settle(stream);
}

/* A packet may begin, which has room then. */
static int begin_packet(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err;

	if (!newest(stream)->data) /* it has left its last chunk */
		return -EPROTO;
	err = ingest_pending_begin(&stream->pending, data->number);
	err = err   ?:
		      ingest_quota_take(stream->folder->quota,
					data->len + (uint64_t)data->padding + INDEX_ENTRY_BYTES);
	return err ?: make_room(stream, data->len);
}

int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err;

	if (stream->is_metadata || stream->receiving || !(data->len + (uint64_t)data->padding) ||
	    data->number == RELAY_NO_PACKET)
		return -EPROTO;
	err = stream->lost ? 0 : keep_or_lose(stream, begin_packet(stream, data));
	if (err)
		return err;
	stream->receiving = true;
	stream->number = data->number;
	stream->left = data->len;
	stream->padding = data->padding;
	stream->got = 0;
	return stream->left ? 0 : ingest_stream_bytes(stream, NULL, 0);
}

static int end_packet(struct ingest_stream *stream)
{
	struct ingest_file *file = newest(stream);
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
	return got ?: 1;
}

/* The same of one that is not stored. */
static int lose_packet(struct ingest_stream *stream)
{
	ingest_folder_lose(stream->folder, 1, (uint64_t)stream->got + stream->padding);
	stream->lost_until = stream->number + 1;
	stream->receiving = false;
	return 1;
}

/* @len bytes came of the packet that is being received; the last ones may end it. */
static int store_bytes(struct ingest_stream *stream, const void *bytes, size_t len)
{
	const struct ingest_file *file = newest(stream);
	int err = ingest_file_write(file, bytes, len, file->bytes + stream->got - len);

	return err ?: stream->left ? 0 : end_packet(stream);
}

int ingest_stream_bytes(struct ingest_stream *stream, const void *bytes, size_t len)
{
	int got = 0;

	if (!stream->receiving || len > stream->left)
		return -EPROTO;
	stream->got += (uint32_t)len;
	stream->left -= (uint32_t)len;
	if (!stream->lost)
		got = store_bytes(stream, bytes, len);
	if (got == -ESTALE) {
		lose(stream);
		got = !stream->receiving; /* the packet was there, and was counted then */
	}
	if (got < 0)
		ingest_stream_abort(stream);
	else if (!got && stream->lost && !stream->left)
		got = lose_packet(stream);
	return got;
}

void ingest_stream_abort(struct ingest_stream *stream)
{
	if (!stream->receiving)
		return;
	stream->receiving = false;
	if (!stream->lost)
		(void)ingest_file_truncate(newest(stream), newest(stream)->bytes);
}

/* Text goes behind what is there. */
static int store_text(struct ingest_stream *stream, const void *bytes, size_t len, uint32_t padding)
{
	struct ingest_file *file = newest(stream);
	uint64_t end = file->bytes + len + padding;
	int err;

	if (!file->data)
		return -EPROTO;
	err = ingest_quota_take(stream->folder->quota, len + padding);
	err = err ?: ingest_file_write(file, bytes, len, file->bytes);
	if (!err && padding)
		err = ingest_file_truncate(file, end);
	file->bytes = end;
	return err;
}

int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding)
{
	int err = 0;

	if (!stream->is_metadata)
		return -EPROTO;
	if (!stream->lost)
		err = keep_or_lose(stream, store_text(stream, bytes, len, padding));
	if (stream->lost)
		ingest_folder_lose(stream->folder, 0, len + padding);
	return err;
}

int ingest_stream_cut(struct ingest_stream *stream)
{
	const struct ingest_file *file = newest(stream);

	if (!stream->files.numbered || stream->files.ring || stream->receiving ||
	    stream->pending.count || stream->rotating || !file->number || !file->bytes ||
	    !file->data)
		return 0;
	return keep_or_lose(
		stream, ingest_files_push(&stream->files, file->chunk, stream->pending.next_data) ?:
				settle(stream));
}

int ingest_stream_reset(struct ingest_stream *stream)
{
	struct ingest_file *file = newest(stream);
	int err = 0;

	if (!stream->lost)
		err = file->data ? ingest_file_truncate(file, 0) : -EPROTO;
	file->bytes = err ? file->bytes : 0;
	return keep_or_lose(stream, err);
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
		err = ingest_files_room(&stream->files, packet->number, packet->len);
		from = &stream->files.all[ingest_files_find(&stream->files, count, packet->number)];
		err = err ?: ingest_file_copy(from, packet->offset, packet->bytes, newest(stream));
		packet->offset = newest(stream)->bytes;
		newest(stream)->bytes += err ? 0 : packet->bytes;
	}
	if (err || !stream->receiving)
		return err;
	err = ingest_files_room(&stream->files, stream->pending.next_data,
				(uint64_t)partial + stream->left);
	from = &stream->files.all[count - 1];
	return err ?: ingest_file_copy(from, from->bytes, partial, newest(stream));
}

/* What was moved goes from the first @count files, the last of which may have held nothing else. */
static int cut_files(struct ingest_stream *stream, size_t count, uint64_t number, uint64_t offset)
{
	size_t last = ingest_files_find(&stream->files, count, number);
	struct ingest_file *file = &stream->files.all[last];
	int err = ingest_file_truncate(file, offset);

	file->bytes = offset;
	ingest_files_remove(&stream->files, last + 1, count);
	return err;
}

/* All packets that wait for their index go to the next chunk, the first of them is @number. */
static int split_files(struct ingest_stream *stream, uint64_t number)
{
	const struct ingest_packet *first = ingest_pending_get(&stream->pending, 0);
	uint64_t offset = first ? first->offset : newest(stream)->bytes;
	size_t count = stream->files.count;

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

static int rotate(struct ingest_stream *stream, uint64_t sequence, uint64_t chunk)
{
	int err;

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

int ingest_stream_rotate(struct ingest_stream *stream, uint64_t sequence, uint64_t chunk)
{
	if (stream->rotating || newest(stream)->chunk == INGEST_CHUNK_NONE)
		return -EPROTO;
	if (!stream->lost)
		return keep_or_lose(stream, rotate(stream, sequence, chunk));
	newest(stream)->chunk = chunk;
	return 0;
}

/* What the index says of a packet. */
static int take_entry(struct ingest_stream *stream, const struct ingest_index *index)
{
	struct ingest_packet whole;
	int got = ingest_pending_index(&stream->pending, index, &whole);

	if (got < 0)
		return got;
	stream->last_sequence = index->sequence;
	got = got ? publish(stream, &whole) : 0;
	return got ?: find_pivot(stream);
}

int ingest_stream_index(struct ingest_stream *stream, const struct ingest_index *index)
{
	if (stream->is_metadata)
		return -EPROTO;
	if (stream->lost)
		return 0;
	if (index->packet_bits)
		return keep_or_lose(stream, take_entry(stream, index));
	if (stream->files.shown && !stream->pending.count)
		session_stream_beacon(stream->files.shown, index->end);
	return 0;
}

void ingest_stream_hide_gone(const struct ingest_stream *stream)
{
	if (stream->files.shown)
		session_stream_forget_gone(stream->files.shown);
}

bool ingest_stream_is_metadata(const struct ingest_stream *stream)
{
	return stream->is_metadata;
}

const char *ingest_stream_channel(const struct ingest_stream *stream)
{
	return stream->files.channel;
}

bool ingest_stream_has(const struct ingest_stream *stream, uint64_t last)
{
	if (stream->lost)
		return last == RELAY_NO_PACKET || stream->lost_until > last;
	return ingest_pending_has(&stream->pending, last);
}

int ingest_stream_add_inodes(const struct ingest_stream *stream, struct map *inodes)
{
	return ingest_files_add_inodes(&stream->files, inodes);
}

void ingest_stream_state(const struct ingest_stream *stream, struct ingest_stream_state *ret)
{
	*ret = (struct ingest_stream_state){
		.next_data = stream->lost ? stream->lost_until : stream->pending.next_data,
		.next_index = stream->pending.next_index,
		.last_sequence = stream->last_sequence,
		.pending = stream->pending.count,
		.receiving = stream->receiving,
		.shown = stream->files.shown,
		.lost = stream->lost,
	};
}

bool ingest_stream_is_sound(const struct ingest_stream *stream)
{
	for (size_t i = 1; i < stream->files.count; i++) {
		if (stream->files.all[i].first < stream->files.all[i - 1].first)
			return false;
	}
	return ingest_pending_is_sound(&stream->pending) && stream->files.count &&
	       stream->files.count <= INGEST_FILES_MAX &&
	       !(stream->pivoting && stream->pivot <= stream->pending.next_data) &&
	       !(stream->lost && (stream->files.all[0].data || stream->pending.count)) &&
	       !(stream->receiving && !stream->left);
}

bool ingest_stream_is_in(const struct ingest_stream *stream, uint64_t chunk)
{
	return ingest_files_are_in(&stream->files, chunk);
}
