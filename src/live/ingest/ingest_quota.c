// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_quota.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/diag.h"
#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_stream.h"
#include "live/ingest/stored_files.h"
#include "live/session/session.h"
#include "live/session/session_list.h"

#define FILES_OF_QUOTA 64u /* that one stream alone would have */
#define FILE_LEAST (64u << 10)
#define FILE_MOST (64u << 20)
#define ROOM_OF_QUOTA \
	16u /* a sixteenth of it is made free, so that it is not done for each packet */

uint64_t ingest_quota_file_bytes(const struct ingest_quota *quota)
{
	uint64_t bytes = quota->most / FILES_OF_QUOTA;

	if (!quota->most)
		return 0;
	return bytes < FILE_LEAST ? FILE_LEAST : bytes > FILE_MOST ? FILE_MOST : bytes;
}

/* The inodes of all that is being written to. */
static int add_inodes(const struct ingest_place *place, struct map *inodes)
{
	const void *key;
	void *value;

	for (size_t at = 0; map_next(&place->streams, &at, &key, &value);) {
		const struct ingest_stream *stream = *(struct ingest_stream **)value;

		for (size_t i = 0; i < stream->file_count; i++) {
			uint64_t inode = stream->files[i].inode;

			if (stream->files[i].data && !map_at(inodes, &inode))
				return -ENOMEM;
		}
	}
	return 0;
}

/* Of files that have gone, viewers see no more, and the disk is free of them. */
static void hide_gone(struct session *session)
{
	for (size_t i = 0; i < session->trace_count; i++) {
		const struct session_trace *trace = session->traces[i];

		for (size_t j = 0; j < trace->stream_count; j++)
			session_stream_forget_gone(trace->streams[j]);
	}
}

static void hide_all_gone(const struct ingest_place *place)
{
	for (size_t i = 0; place->list && i < place->list->count; i++)
		hide_gone(place->list->sessions[i]);
}

static void say(const struct ingest_quota *quota, uint64_t packets, uint64_t bytes)
{
	char count[32], size[32], most[32];
	struct diag diag;

	if (!quota->log || !bytes)
		return;
	(void)diag_set(&diag, 0, "--quota %s is used up: the oldest %s packets, %s, are dropped",
		       size_format(most, sizeof(most), quota->most),
		       count_format(count, sizeof(count), packets),
		       size_format(size, sizeof(size), bytes));
	quota->log(quota->ctx, diag.text);
}

/* Until no more than @target bytes are stored, or nothing more can go. */
static void drop_oldest(struct ingest_place *place, const struct stored_files *stored,
			uint64_t target)
{
	struct ingest_quota *quota = &place->quota;
	uint64_t packets = 0, bytes = 0;

	for (size_t i = 0; i < stored->count && quota->stored > target; i++) {
		const struct stored_file *file = &stored->files[i];

		stored_files_remove(place->files, place->output, file);
		quota->stored -= file->bytes;
		packets += file->packets;
		bytes += file->bytes;
	}
	quota->dropped_packets += packets;
	quota->dropped_bytes += bytes;
	if (bytes)
		hide_all_gone(place);
	say(quota, packets, bytes);
}

/* Counts again, and drops files until at most @target bytes are stored. */
static int sweep(struct ingest_place *place, uint64_t target)
{
	struct stored_files stored = {0};
	struct map in_use;
	int err;

	map_init(&in_use, sizeof(uint64_t), sizeof(bool), 0);
	err = add_inodes(place, &in_use);
	err = err ?: stored_files_list(place->output, &in_use, &place->marks, &stored);
	if (!err) {
		place->quota.stored = stored.bytes;
		drop_oldest(place, &stored, target);
	}
	stored_files_fini(&stored);
	map_fini(&in_use);
	return err;
}

/* Streams leave the files that they are in, so that these can go. */
static int cut_streams(const struct ingest_place *place)
{
	const void *key;
	void *value;
	int err = 0;

	for (size_t at = 0; !err && map_next(&place->streams, &at, &key, &value);)
		err = ingest_stream_cut(*(struct ingest_stream **)value);
	return err;
}

static int make_room(struct ingest_place *place, uint64_t bytes)
{
	struct ingest_quota *quota = &place->quota;
	uint64_t target = quota->most - quota->most / ROOM_OF_QUOTA;
	int err;

	if (bytes > target)
		return -EDQUOT;
	target -= bytes;
	err = sweep(place, target);
	if (!err && quota->stored > quota->most - bytes)
		err = cut_streams(place) ?: sweep(place, target);
	return err ?: quota->stored > quota->most - bytes ? -EDQUOT : 0;
}

int ingest_quota_count(struct ingest_place *place)
{
	const struct ingest_quota *quota = &place->quota;
	int err = quota->most ? sweep(place, quota->most) : 0;

	return err ?: quota->stored > quota->most ? -EDQUOT : 0;
}

int ingest_quota_take(struct ingest_place *place, uint64_t bytes)
{
	struct ingest_quota *quota = &place->quota;
	int err = 0;

	if (!quota->most)
		return 0;
	if (quota->stored > quota->most || bytes > quota->most - quota->stored)
		err = make_room(place, bytes);
	quota->stored += err ? 0 : bytes;
	return err;
}
