// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_chunk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "live/access/file_pool.h"
#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_session.h"
#include "live/ingest/ingest_store.h"
#include "live/ingest/ingest_stream.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"

static void log_chunk(const struct ingest_session *session, uint64_t id, const char *what)
{
	relay_log_say(&session->place->log, RELAY_LOG_STREAMS, "session %llu: chunk %llu %s",
		      (unsigned long long)session->id, (unsigned long long)id, what);
}

struct ingest_chunk *ingest_chunk_find(struct ingest_session *session, uint64_t id)
{
	for (size_t i = 0; i < session->chunk_count; i++) {
		if (session->chunks[i].id == id)
			return &session->chunks[i];
	}
	return NULL;
}

int ingest_chunk_create(struct ingest_session *session, const struct ingest_command *chunk)
{
	char name[RELAY_NAME_MAX];
	struct ingest_chunk *made;
	int err = 0;

	if (session->chunk_count == INGEST_CHUNKS_MAX || ingest_chunk_find(session, chunk->id) ||
	    chunk->id == INGEST_CHUNK_NONE)
		return -EPROTO;
	snprintf(name, sizeof(name), "%s", chunk->name);
	if (!*name)
		ingest_store_chunk_name(chunk->id, chunk->time_s, chunk->time_s, name);
	if (session->is_snapshot)
		err = ingest_session_enter(session, name);
	if (err)
		return err;
	made = &session->chunks[session->chunk_count];
	*made = (struct ingest_chunk){
		.id = chunk->id,
		.created_s = chunk->time_s,
		.folder = pool_folder_new(session->root, -1,
					  session->chunk_count ? INGEST_NEXT_CHUNK : ""),
	};
	if (!made->folder)
		return -ENOMEM;
	snprintf(made->name, sizeof(made->name), "%s", chunk->name);
	session->chunk_count++;
	log_chunk(session, made->id, "begins");
	return 0;
}

struct pool_folder *ingest_chunk_folder(const struct ingest_session *session, uint64_t id)
{
	for (size_t i = 0; i < session->chunk_count; i++) {
		if (session->chunks[i].id == id)
			return session->chunks[i].folder;
	}
	return session->root;
}

int ingest_chunk_close(struct ingest_session *session, const struct ingest_command *close,
		       char archive[RELAY_PATH_MAX])
{
	struct ingest_chunk *chunk = ingest_chunk_find(session, close->id);

	if (!chunk || chunk->closing)
		return -EPROTO;
	if (close->has_close && close->close == RELAY_CHUNK_DELETE &&
	    session->place->disallow_clear)
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

static bool is_in_use(const struct ingest_session *session, uint64_t chunk)
{
	for (size_t i = 0; i < session->stream_count; i++) {
		if (ingest_stream_is_in(session->streams[i], chunk))
			return true;
	}
	return false;
}

/* Of files that are removed, viewers see no more. */
static void hide_gone(const struct ingest_session *session)
{
	for (size_t i = 0; i < session->stream_count; i++) {
		if (session->streams[i]->shown)
			session_stream_forget_gone(session->streams[i]->shown);
	}
}

/* The first one, which has the session's own folder. */
static int end_chunk(struct ingest_session *session)
{
	const struct ingest_chunk *chunk = &session->chunks[0];
	struct file_pool *pool = session->place->files;
	char path[RELAY_PATH_MAX];
	int err = 0;

	if (chunk->has_close && chunk->close == RELAY_CHUNK_MOVE) {
		err = ingest_store_archive(session->root->dir, chunk->archive, path);
		if (!err)
			file_pool_move(pool, chunk->folder, path);
	} else if (chunk->has_close && chunk->close == RELAY_CHUNK_DELETE) {
		file_pool_unname_all(pool, chunk->folder);
		err = ingest_store_clear(session->root->dir);
		hide_gone(session);
	}
	log_chunk(session, chunk->id, "is complete");
	pool_folder_unref(chunk->folder);
	session->chunks[0] = session->chunks[1];
	if (--session->chunk_count) {
		err = err ?: ingest_store_promote(session->root->dir);
		if (!err)
			file_pool_move(pool, session->chunks[0].folder, "");
	}
	return err;
}

int ingest_chunk_settle(struct ingest_session *session)
{
	int err = 0;

	while (!err && session->chunk_count && session->chunks[0].closing &&
	       !is_in_use(session, session->chunks[0].id))
		err = end_chunk(session);
	return err;
}
