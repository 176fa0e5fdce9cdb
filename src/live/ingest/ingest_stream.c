// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "live/ingest/ingest_file.h"
#include "live/ingest/ingest_folder.h"
#include "live/ingest/ingest_pending.h"
#include "live/ingest/ingest_quota.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "wire/index.h"
#include "wire/lttng_relay.h"

#define SHOWN_MAX 256u /* files of a stream that are held open for viewers */

struct ingest_stream {
	struct ingest_folder *folder; /* borrowed */
	char *path;
	char *channel;
	bool is_metadata;
	bool numbered; /* its files are limited: */
	bool first_alone; /* the first packet has a file for itself, which stays */
	uint64_t file_bytes; /* to that; 0 = not */
	uint64_t ring; /* of so many, the oldest of which is overwritten; 0 = all are kept */
	/* Files for which data is still to come: packets go to the last, their index entries to the
	 * first, until it is complete. There is always one. */
	struct ingest_file *files;
	size_t file_count;
	struct ingest_pending pending; /* which packet comes next, and those of which half is here */
	uint32_t left; /* bytes of the packet that is being received */
	uint32_t padding; /* behind it */
	uint32_t got;
	bool receiving;
	uint64_t last_sequence; /* of the last index entry, where pending.has_index */
	bool rotating; /* at sequence number `rotate_at`, to chunk `next_chunk` */
	uint64_t rotate_at;
	bool pivoting; /* that will be packet `pivot`, whose data is still to come */
	uint64_t pivot;
	uint64_t next_chunk;
	struct session_stream *shown; /* NULL: not shown */
};

static struct ingest_file *newest(const struct ingest_stream *stream)
{
	return &stream->files[stream->file_count - 1];
}

static struct ingest_file_place place_of(const struct ingest_stream *stream, uint64_t chunk)
{
	return (struct ingest_file_place){
		.pool = stream->folder->files,
		.folder = ingest_folder_of_chunk(stream->folder, chunk),
		.path = stream->path,
		.channel = stream->channel,
		.counted = stream->folder->counted,
		.numbered = stream->numbered,
		.ring = stream->ring,
	};
}

/* Packets from @first on go to a new file in @chunk, or to none (INGEST_CHUNK_NONE). -ENOBUFS: there are as many
 * already as may wait. */
static int push_file(struct ingest_stream *stream, uint64_t chunk, uint64_t first)
{
	const struct ingest_file_place place = place_of(stream, chunk);
	bool follows = stream->file_count && newest(stream)->chunk == chunk;
	struct ingest_file file = {.first = first}, *files;
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

/* Of the first file, if it is @needed and not there: streams of snapshots have none. */
static int make_index(struct ingest_stream *stream, bool needed)
{
	struct ingest_file *file = stream->files;
	const struct ingest_file_place place = place_of(stream, file->chunk);

	if (!needed || file->index || !file->data)
		return 0;
	return ingest_file_index(&place, file);
}

/* Shows viewers the kept files, and the first of these, which has the packets that they learn of next. */
static int show_file(struct ingest_stream *stream)
{
	struct session_stream *shown = stream->shown;
	uint64_t most = stream->ring && stream->ring < SHOWN_MAX ? stream->ring : SHOWN_MAX;

	while (shown && shown->file_count >= most && !stream->files->shown)
		session_stream_drop(shown);
	return make_index(stream, shown) ?: ingest_file_show(stream->files, shown);
}

/* An entry of the index, which is made when the first one comes: @packet is in the first file. */
static int add_entry(struct ingest_stream *stream, const struct ingest_packet *packet)
{
	return make_index(stream, true) ?:
		       ingest_file_entry(stream->files, packet->offset, &packet->index);
}

/* The index of the first file is complete. */
static int pop_file(struct ingest_stream *stream)
{
	ingest_file_close(stream->files);
	stream->file_count--;
	memmove(stream->files, stream->files + 1, stream->file_count * sizeof(*stream->files));
	return show_file(stream);
}

/* Packets before @done are complete: files that have no others are done with. */
static int pop_files(struct ingest_stream *stream, uint64_t done)
{
	int err = 0;

	while (!err && stream->file_count > 1 && done >= stream->files[1].first)
		err = pop_file(stream);
	return err;
}

/* How long its files get: as its session asks, and so that a quota has files to drop. */
static void limit_files(struct ingest_stream *stream, const struct ingest_command *add)
{
	uint64_t most = ingest_quota_file_bytes(stream->folder->quota);

	stream->file_bytes = add->file_bytes;
	stream->ring = add->file_bytes ? add->file_count : 0;
	if (most && !stream->ring) {
		stream->first_alone = true;
		if (!stream->file_bytes || stream->file_bytes > most)
			stream->file_bytes = most;
	}
	stream->numbered = stream->file_bytes;
}

/* Packet @number, of @len bytes without its padding, may make it necessary that another file begins. As
 * lttng-relayd has it, what a file has counts with padding, and what comes without. */
static int begin_file(struct ingest_stream *stream, uint64_t number, uint64_t len)
{
	const struct ingest_file *file = newest(stream);

	if (!stream->file_bytes || !file->bytes ||
	    (file->bytes + len <= stream->file_bytes && !(stream->first_alone && !file->number)))
		return 0;
	return push_file(stream, file->chunk, number);
}

/* Which of the first @count files packet @number is in. */
static size_t find_file(const struct ingest_stream *stream, size_t count, uint64_t number)
{
	while (count > 1 && stream->files[count - 1].first > number)
		count--;
	return count - 1;
}

/* Files @from to @to, the latter not included, go from the disk. */
static void remove_files(struct ingest_stream *stream, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct ingest_file_place place = place_of(stream, stream->files[i].chunk);

		ingest_file_remove(&place, &stream->files[i]);
		ingest_file_close(&stream->files[i]);
	}
	memmove(stream->files + from, stream->files + to,
		(stream->file_count - to) * sizeof(*stream->files));
	stream->file_count -= to - from;
}

int ingest_stream_new(struct ingest_folder *folder, const struct ingest_command *add,
		      struct ingest_stream **ret)
{
	struct ingest_stream *stream = calloc(1, sizeof(*stream));
	int err;

	if (!stream)
		return -ENOMEM;
	stream->folder = folder;
	ingest_pending_init(&stream->pending, &folder->pending);
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
	if (stream->shown)
		session_stream_end(stream->shown);
	for (size_t i = 0; i < stream->file_count; i++)
		ingest_file_close(&stream->files[i]);
	free(stream->files);
	free(stream->path);
	free(stream->channel);
	ingest_pending_fini(&stream->pending);
	free(stream);
}

int ingest_stream_show(struct ingest_stream *stream, struct session_stream *shown)
{
	stream->shown = shown;
	return show_file(stream);
}

/* Files of which all is complete go. */
static int settle(struct ingest_stream *stream)
{
	return pop_files(stream, stream->pending.done);
}

/* It is there on both sides: it goes into the index, and to viewers. */
static int publish(struct ingest_stream *stream, const struct ingest_packet *packet)
{
	int err = pop_files(stream, packet->number) ?: add_entry(stream, packet);

	if (!err && stream->shown)
		session_stream_packets(stream->shown, stream->files->entries);
	return err ?: settle(stream);
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
	return open_next(stream, number) ?: settle(stream);
}

/* A packet of @len bytes may need another file. If too many files wait for an index that never began, none is to
 * come. */
static int make_room(struct ingest_stream *stream, uint32_t len)
{
	if (stream->file_count == INGEST_FILES_MAX)
		ingest_pending_give_up(&stream->pending);
	return settle(stream)						  ?:
		       begin_file(stream, stream->pending.next_data, len) ?:
									    settle(stream);
}

int ingest_stream_data(struct ingest_stream *stream, const struct ingest_data *data)
{
	int err;

	if (stream->is_metadata || stream->receiving || !(data->len + (uint64_t)data->padding) ||
	    !newest(stream)->data) /* it has left its last chunk */
		return -EPROTO;
	err = ingest_pending_begin(&stream->pending, data->number);
	err = err   ?:
		      ingest_quota_take(stream->folder->quota,
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

int ingest_stream_bytes(struct ingest_stream *stream, const void *bytes, size_t len)
{
	const struct ingest_file *file = newest(stream);
	int got;

	if (!stream->receiving || len > stream->left)
		return -EPROTO;
	got = ingest_file_write(file, bytes, len, file->bytes + stream->got);
	stream->got += (uint32_t)len;
	stream->left -= (uint32_t)len;
	if (!got && !stream->left)
		got = end_packet(stream);
	if (got < 0)
		ingest_stream_abort(stream);
	return got;
}

void ingest_stream_abort(struct ingest_stream *stream)
{
	if (!stream->receiving)
		return;
	stream->receiving = false;
	(void)ingest_file_truncate(newest(stream), newest(stream)->bytes);
}

int ingest_stream_metadata(struct ingest_stream *stream, const void *bytes, size_t len,
			   uint32_t padding)
{
	struct ingest_file *file = newest(stream);
	uint64_t end = file->bytes + len + padding;
	int err;

	if (!stream->is_metadata || !file->data)
		return -EPROTO;
	err = ingest_quota_take(stream->folder->quota, len + padding);
	err = err ?: ingest_file_write(file, bytes, len, file->bytes);
	if (!err && padding)
		err = ingest_file_truncate(file, end);
	file->bytes = end;
	return err;
}

int ingest_stream_cut(struct ingest_stream *stream)
{
	const struct ingest_file *file = newest(stream);

	if (!stream->numbered || stream->ring || stream->receiving || stream->pending.count ||
	    stream->rotating || !file->number || !file->bytes || !file->data)
		return 0;
	return push_file(stream, file->chunk, stream->pending.next_data) ?: settle(stream);
}

int ingest_stream_reset(struct ingest_stream *stream)
{
	struct ingest_file *file = newest(stream);
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
		err = begin_file(stream, packet->number, packet->len);
		from = &stream->files[find_file(stream, count, packet->number)];
		err = err ?: ingest_file_copy(from, packet->offset, packet->bytes, newest(stream));
		packet->offset = newest(stream)->bytes;
		newest(stream)->bytes += err ? 0 : packet->bytes;
	}
	if (err || !stream->receiving)
		return err;
	err = begin_file(stream, stream->pending.next_data, (uint64_t)partial + stream->left);
	from = &stream->files[count - 1];
	return err ?: ingest_file_copy(from, from->bytes, partial, newest(stream));
}

/* What was moved goes from the first @count files, the last of which may have held nothing else. */
static int cut_files(struct ingest_stream *stream, size_t count, uint64_t number, uint64_t offset)
{
	size_t last = find_file(stream, count, number);
	struct ingest_file *file = &stream->files[last];
	int err = ingest_file_truncate(file, offset);

	file->bytes = offset;
	remove_files(stream, last + 1, count);
	return err;
}

/* All packets that wait for their index go to the next chunk, the first of them is @number. */
static int split_files(struct ingest_stream *stream, uint64_t number)
{
	const struct ingest_packet *first = ingest_pending_get(&stream->pending, 0);
	uint64_t offset = first ? first->offset : newest(stream)->bytes;
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

	if (stream->rotating || newest(stream)->chunk == INGEST_CHUNK_NONE)
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

void ingest_stream_hide_gone(const struct ingest_stream *stream)
{
	if (stream->shown)
		session_stream_forget_gone(stream->shown);
}

bool ingest_stream_is_metadata(const struct ingest_stream *stream)
{
	return stream->is_metadata;
}

const char *ingest_stream_channel(const struct ingest_stream *stream)
{
	return stream->channel;
}

bool ingest_stream_has(const struct ingest_stream *stream, uint64_t last)
{
	return ingest_pending_has(&stream->pending, last);
}

int ingest_stream_add_inodes(const struct ingest_stream *stream, struct map *inodes)
{
	for (size_t i = 0; i < stream->file_count; i++) {
		const uint64_t inode = stream->files[i].inode;

		if (stream->files[i].data && !map_at(inodes, &inode))
			return -ENOMEM;
	}
	return 0;
}

void ingest_stream_state(const struct ingest_stream *stream, struct ingest_stream_state *ret)
{
	*ret = (struct ingest_stream_state){
		.next_data = stream->pending.next_data,
		.next_index = stream->pending.next_index,
		.last_sequence = stream->last_sequence,
		.pending = stream->pending.count,
		.receiving = stream->receiving,
		.shown = stream->shown,
	};
}

bool ingest_stream_is_sound(const struct ingest_stream *stream)
{
	for (size_t i = 1; i < stream->file_count; i++) {
		if (stream->files[i].first < stream->files[i - 1].first)
			return false;
	}
	return ingest_pending_is_sound(&stream->pending) && stream->file_count &&
	       stream->file_count <= INGEST_FILES_MAX &&
	       !(stream->pivoting && stream->pivot <= stream->pending.next_data) &&
	       !(stream->receiving && !stream->left);
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
