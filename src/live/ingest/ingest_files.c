// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live/ingest/ingest_chunk.h"
#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_stream.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"

#define SHOWN_MAX 256u /* files of a stream that are held open for viewers */

struct ingest_file *ingest_files_newest(const struct ingest_stream *stream)
{
	return &stream->files[stream->file_count - 1];
}

static struct ingest_file_place place_of(const struct ingest_stream *stream, uint64_t chunk)
{
	return (struct ingest_file_place){
		.pool = stream->session->place->files,
		.folder = ingest_chunk_folder(stream->session, chunk),
		.path = stream->path,
		.channel = stream->channel,
		.counted = stream->session->counted,
		.numbered = stream->numbered,
		.ring = stream->ring,
	};
}

int ingest_files_push(struct ingest_stream *stream, uint64_t chunk, uint64_t first)
{
	const struct ingest_file_place place = place_of(stream, chunk);
	bool follows = stream->file_count && ingest_files_newest(stream)->chunk == chunk;
	struct ingest_file file = {.first = first}, *files;
	int err = 0;

	if (stream->file_count == INGEST_FILES_MAX)
		return -ENOBUFS;
	files = realloc(stream->files, (stream->file_count + 1) * sizeof(*files));
	if (!files)
		return -ENOMEM;
	stream->files = files;
	if (chunk != INGEST_CHUNK_NONE)
		err = ingest_file_open(&place,
				       follows ? ingest_files_newest(stream)->number + 1 : 0, first,
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

int ingest_files_show(struct ingest_stream *stream)
{
	struct session_stream *shown = stream->shown;
	uint64_t most = stream->ring && stream->ring < SHOWN_MAX ? stream->ring : SHOWN_MAX;

	while (shown && shown->file_count >= most && !stream->files->shown)
		session_stream_drop(shown);
	return make_index(stream, shown) ?: ingest_file_show(stream->files, shown);
}

int ingest_files_entry(struct ingest_stream *stream, const struct ingest_packet *packet)
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
	return ingest_files_show(stream);
}

void ingest_files_limit(struct ingest_stream *stream, const struct ingest_command *add)
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

int ingest_files_pop(struct ingest_stream *stream, uint64_t done)
{
	int err = 0;

	while (!err && stream->file_count > 1 && done >= stream->files[1].first)
		err = pop_file(stream);
	return err;
}

int ingest_files_room(struct ingest_stream *stream, uint64_t number, uint64_t len)
{
	const struct ingest_file *file = ingest_files_newest(stream);

	if (!stream->file_bytes || !file->bytes ||
	    (file->bytes + len <= stream->file_bytes && !(stream->first_alone && !file->number)))
		return 0;
	return ingest_files_push(stream, file->chunk, number);
}

size_t ingest_files_find(const struct ingest_stream *stream, size_t count, uint64_t number)
{
	while (count > 1 && stream->files[count - 1].first > number)
		count--;
	return count - 1;
}

void ingest_files_remove(struct ingest_stream *stream, size_t from, size_t to)
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

void ingest_files_fini(struct ingest_stream *stream)
{
	for (size_t i = 0; i < stream->file_count; i++)
		ingest_file_close(&stream->files[i]);
	free(stream->files);
}
