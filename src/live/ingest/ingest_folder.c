// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_quota.h"
#include "live/ingest/ingest_store.h"
#include "live/proto/ingest_message.h"
#include "live/session/relay_log.h"

static int mark(struct ingest_folder *folder)
{
	int err = store_mark_make(folder->root->dir, &folder->mark_fd, &folder->mark);

	return err ?: ingest_quota_own(folder->quota, folder->mark);
}

int ingest_folder_open(struct ingest_folder *folder, int output,
		       const struct ingest_command *create, bool by_session,
		       char path[RELAY_PATH_MAX])
{
	int err;

	folder->mark_fd = -1;
	folder->is_snapshot = create->is_snapshot;
	folder->root = pool_folder_new(NULL, -1, "");
	if (!folder->root)
		return -ENOMEM;
	err = ingest_store_session(output, create, by_session, &folder->root->dir, path);
	if (err)
		return err;
	snprintf(folder->root->path, sizeof(folder->root->path), "%s", path);
	err = folder->is_snapshot ? 0 : mark(folder);
	if (!err)
		folder->root->dir = file_pool_settle(folder->files, folder->root->dir);
	return err;
}

static void warn_of_losses(const struct ingest_folder *folder)
{
	const struct ingest_losses *losses = &folder->losses;
	char packets[32], bytes[32];
	struct diag diag;

	if (!losses->streams || !folder->warn)
		return;
	(void)diag_set(&diag, 0,
		       "%s: the trace is incomplete: packets that were not stored: %s (%s), in "
		       "streams: %llu",
		       folder->root->path, count_format(packets, sizeof(packets), losses->packets),
		       size_format(bytes, sizeof(bytes), losses->bytes),
		       (unsigned long long)losses->streams);
	folder->warn(folder->ctx, diag.text);
}

void ingest_folder_close(struct ingest_folder *folder)
{
	warn_of_losses(folder);
	if (folder->mark_fd >= 0)
		ingest_quota_disown(folder->quota, folder->mark);
	fd_close(folder->mark_fd);
	for (size_t i = 0; i < folder->chunk_count; i++)
		pool_folder_unref(folder->chunks[i].folder);
	pool_folder_unref(folder->root);
}

/* A snapshot gets a folder of its own, @name or that with a number, if it has none yet. */
static int enter_snapshot(struct ingest_folder *folder, const char *name)
{
	int dir, err;

	if (folder->mark_fd >= 0)
		return 0;
	err = ingest_store_folder(folder->root->dir, name, &dir);
	if (err)
		return err;
	fd_close(folder->root->dir);
	folder->root->dir = dir;
	return mark(folder);
}

static void log_chunk(const struct ingest_folder *folder, uint64_t id, const char *what)
{
	if (folder->log)
		relay_log_say(folder->log, RELAY_LOG_STREAMS, "session %llu: chunk %llu %s",
			      (unsigned long long)folder->session, (unsigned long long)id, what);
}

void ingest_folder_lose(struct ingest_folder *folder, uint64_t packets, uint64_t bytes)
{
	folder->losses.packets += packets;
	folder->losses.bytes += bytes;
	if (!folder->losses_of_all)
		return;
	folder->losses_of_all->packets += packets;
	folder->losses_of_all->bytes += bytes;
}

void ingest_folder_lose_stream(struct ingest_folder *folder, const char *path, const char *channel)
{
	struct diag diag;

	folder->losses.streams++;
	if (folder->losses_of_all)
		folder->losses_of_all->streams++;
	(void)diag_set(&diag, 0,
		       "%s: stream %s%s%s is not stored any more, as one of its files was removed, "
		       "replaced or shortened by another program; other streams are",
		       folder->root->path, path, *path ? "/" : "", channel);
	if (folder->warn)
		folder->warn(folder->ctx, diag.text);
}

/* Its place among the open chunks; their number = it is not open. */
static size_t find_chunk(const struct ingest_folder *folder, uint64_t id)
{
	size_t i = 0;

	while (i < folder->chunk_count && folder->chunks[i].id != id)
		i++;
	return i;
}

bool ingest_folder_has_chunk(const struct ingest_folder *folder, uint64_t id)
{
	return find_chunk(folder, id) < folder->chunk_count;
}

bool ingest_folder_takes_chunk(const struct ingest_folder *folder, uint64_t id)
{
	size_t i = find_chunk(folder, id);

	return i < folder->chunk_count && !folder->chunks[i].closing;
}

struct pool_folder *ingest_folder_of_chunk(const struct ingest_folder *folder, uint64_t id)
{
	size_t i = find_chunk(folder, id);

	return i < folder->chunk_count ? folder->chunks[i].folder : folder->root;
}

int ingest_folder_add_chunk(struct ingest_folder *folder, const struct ingest_command *chunk)
{
	char name[RELAY_NAME_MAX];
	struct ingest_chunk *made;
	int err = 0;

	if (folder->chunk_count == INGEST_CHUNKS_MAX ||
	    ingest_folder_has_chunk(folder, chunk->id) || chunk->id == INGEST_CHUNK_NONE)
		return -EPROTO;
	snprintf(name, sizeof(name), "%s", chunk->name);
	if (!*name)
		ingest_store_chunk_name(chunk->id, chunk->time_s, chunk->time_s, name);
	if (folder->is_snapshot)
		err = enter_snapshot(folder, name);
	if (err)
		return err;
	made = &folder->chunks[folder->chunk_count];
	*made = (struct ingest_chunk){
		.id = chunk->id,
		.created_s = chunk->time_s,
		.folder = pool_folder_new(folder->root, -1,
					  folder->chunk_count ? INGEST_NEXT_CHUNK : ""),
	};
	if (!made->folder)
		return -ENOMEM;
	snprintf(made->name, sizeof(made->name), "%s", chunk->name);
	folder->chunk_count++;
	log_chunk(folder, made->id, "begins");
	return 0;
}

int ingest_folder_close_chunk(struct ingest_folder *folder, const struct ingest_command *close,
			      char archive[RELAY_PATH_MAX])
{
	struct ingest_chunk *chunk = &folder->chunks[find_chunk(folder, close->id)];

	if (!ingest_folder_takes_chunk(folder, close->id))
		return -EPROTO;
	chunk->closing = true;
	chunk->has_close = close->has_close;
	chunk->close = close->close;
	archive[0] = 0;
	if (*chunk->name)
		memcpy(chunk->archive, chunk->name, sizeof(chunk->archive));
	else
		ingest_store_chunk_name(chunk->id, chunk->created_s, close->time_s, chunk->archive);
	if (chunk->has_close && chunk->close == RELAY_CHUNK_MOVE)
		snprintf(archive, RELAY_PATH_MAX, "archives/%s", chunk->archive);
	return 0;
}

const struct ingest_chunk *ingest_folder_ending(const struct ingest_folder *folder)
{
	return folder->chunk_count && folder->chunks[0].closing ? &folder->chunks[0] : NULL;
}

/* It is the first one, which has the session's own folder. */
int ingest_folder_end_chunk(struct ingest_folder *folder, bool *removed)
{
	const struct ingest_chunk *chunk = &folder->chunks[0];
	char path[RELAY_PATH_MAX];
	int err = 0;

	*removed = chunk->has_close && chunk->close == RELAY_CHUNK_DELETE;
	if (chunk->has_close && chunk->close == RELAY_CHUNK_MOVE) {
		err = ingest_store_archive(folder->root->dir, chunk->archive, path);
		if (!err)
			file_pool_move(folder->files, chunk->folder, path);
	} else if (*removed) {
		file_pool_unname_all(folder->files, chunk->folder);
		err = ingest_store_clear(folder->root->dir);
	}
	log_chunk(folder, chunk->id, "is complete");
	pool_folder_unref(chunk->folder);
	folder->chunks[0] = folder->chunks[1];
	if (--folder->chunk_count) {
		err = err ?: ingest_store_promote(folder->root->dir);
		if (!err)
			file_pool_move(folder->files, folder->chunks[0].folder, "");
	}
	return err;
}
