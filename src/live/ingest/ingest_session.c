// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "live/access/file_pool.h"
#include "live/ingest/ingest_chunk.h"
#include "live/ingest/ingest_place.h"
#include "live/ingest/ingest_store.h"
#include "live/ingest/ingest_stream.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"
#include "live/session/session_list.h"
#include "live/session/store_mark.h"

static int show(struct ingest_session *session, const struct ingest_command *create)
{
	const struct session_config config = {
		.host = create->host,
		.name = create->name,
		.live_timer_us = create->live_timer_us,
		.ctf2 = create->is_ctf2,
	};
	int err;

	if (!create->live_timer_us || !session->place->list)
		return 0;
	err = session_new(&config, &session->shown);
	return err ?: session_list_add(session->place->list, session->shown);
}

static int mark(struct ingest_session *session)
{
	int err = store_mark_make(session->root->dir, &session->mark_fd, &session->mark);

	return err ?: map_at(&session->place->marks, &session->mark) ? 0 : -ENOMEM;
}

int ingest_session_enter(struct ingest_session *session, const char *name)
{
	int dir, err;

	if (session->mark_fd >= 0)
		return 0;
	err = ingest_store_folder(session->root->dir, name, &dir);
	if (err)
		return err;
	fd_close(session->root->dir);
	session->root->dir = dir;
	return mark(session);
}

int ingest_session_new(struct ingest_place *place, const struct ingest_command *create,
		       const char *peer, struct ingest_session **ret)
{
	struct ingest_session *session;
	int err;

	if (place->sessions == place->sessions_most)
		return -EUSERS;
	session = calloc(1, sizeof(*session));
	if (!session)
		return -ENOMEM;
	place->sessions++;
	session->place = place;
	session->peer = peer;
	session->id = ++place->last_session;
	session->mark_fd = -1;
	session->root = pool_folder_new(NULL, -1, "");
	snprintf(session->host, sizeof(session->host), "%s", create->host);
	snprintf(session->name, sizeof(session->name), "%s", create->name);
	session->is_snapshot = create->is_snapshot;
	err = session->root ? ingest_store_session(place->output, create, place->group_by_session,
						   &session->root->dir, session->path) :
			      -ENOMEM;
	if (!err)
		snprintf(session->root->path, sizeof(session->root->path), "%s", session->path);
	if (!err && !session->is_snapshot)
		err = mark(session);
	if (!err)
		session->root->dir = file_pool_settle(place->files, session->root->dir);
	err = err ?: show(session, create);
	if (err) {
		ingest_session_free(session);
		return err;
	}
	relay_log_say(&place->log, RELAY_LOG_SESSIONS, "session %llu: %s/%s begins in %s",
		      (unsigned long long)session->id, session->host, session->name, session->path);
	session->begun = true;
	*ret = session;
	return 0;
}

static void log_stream(const struct ingest_stream *stream, const char *what)
{
	relay_log_say(&stream->session->place->log, RELAY_LOG_STREAMS,
		      "session %llu: stream %llu, %s%s%s, %s",
		      (unsigned long long)stream->session->id, (unsigned long long)stream->handle,
		      stream->path, *stream->path ? "/" : "", stream->channel, what);
}

static void drop_stream(struct ingest_session *session, size_t i)
{
	struct ingest_stream *stream = session->streams[i];

	if (stream->is_metadata)
		session->traces[stream->trace].metadata = NULL;
	if (stream->shown)
		session_stream_end(stream->shown);
	session->closing -= stream->closing;
	log_stream(stream, "is closed");
	map_remove(&session->place->streams, &stream->handle);
	ingest_stream_free(stream);
	session->streams[i] = session->streams[--session->stream_count];
	if (i < session->stream_count)
		session->streams[i]->at = i;
}

void ingest_session_free(struct ingest_session *session)
{
	if (!session)
		return;
	while (session->stream_count)
		drop_stream(session, session->stream_count - 1);
	(void)ingest_session_settle(session);
	for (size_t i = 0; i < session->trace_count; i++) {
		free(session->traces[i].path);
		buffer_fini(&session->traces[i].text);
	}
	if (session->shown) {
		session_end(session->shown);
		session_list_remove(session->place->list, session->shown);
		session_unref(session->shown);
	}
	if (session->begun)
		relay_log_say(&session->place->log, RELAY_LOG_SESSIONS,
			      "session %llu: %s/%s ends: %llu packets, %llu bytes",
			      (unsigned long long)session->id, session->host, session->name,
			      (unsigned long long)session->packets,
			      (unsigned long long)session->bytes);
	map_remove(&session->place->marks, &session->mark);
	fd_close(session->mark_fd);
	for (size_t i = 0; i < session->chunk_count; i++)
		pool_folder_unref(session->chunks[i].folder);
	pool_folder_unref(session->root);
	session->place->sessions--;
	free(session->traces);
	free(session->streams);
	free(session);
}

static int find_trace(struct ingest_session *session, const char *path, struct ingest_trace **ret)
{
	struct ingest_trace *traces;

	for (size_t i = 0; i < session->trace_count; i++) {
		*ret = &session->traces[i];
		if (!strcmp((*ret)->path, path))
			return 0;
	}
	if (session->trace_count == INGEST_TRACES_MAX)
		return -E2BIG;
	traces = realloc(session->traces, (session->trace_count + 1) * sizeof(*traces));
	if (!traces)
		return -ENOMEM;
	session->traces = traces;
	*ret = &traces[session->trace_count];
	**ret = (struct ingest_trace){.path = strdup(path)};
	buffer_init(&(*ret)->text);
	if (!(*ret)->path)
		return -ENOMEM;
	session->trace_count++;
	return session->shown ? session_trace_new(session->shown, path, &(*ret)->shown) : 0;
}

static int open_stream(struct ingest_session *session, struct ingest_trace *trace,
		       const struct ingest_command *add, struct ingest_stream **ret)
{
	const struct ingest_chunk *chunk = ingest_chunk_find(session, add->chunk);
	bool is_metadata = !strcmp(add->name, RELAY_METADATA_CHANNEL);
	struct session_stream *shown = NULL;
	int err;

	if (!chunk || chunk->closing || (is_metadata && trace->metadata))
		return -EPROTO;
	err = ingest_stream_new(session, add, ret);
	if (err || is_metadata || !trace->shown)
		return err;
	err = session_stream_new(trace->shown, add->name, SESSION_CLASS_UNKNOWN, &shown);
	err = err ?: ingest_stream_show(*ret, shown);
	if (err)
		ingest_stream_free(*ret);
	return err;
}

int ingest_session_add_stream(struct ingest_session *session, const struct ingest_command *add,
			      uint64_t *handle)
{
	struct ingest_place *place = session->place;
	uint64_t next = place->last_stream + 1;
	struct ingest_stream **streams, **slot, *stream;
	struct ingest_trace *trace;
	int err;

	if (session->stream_count == INGEST_STREAMS_MAX)
		return -E2BIG;
	streams = realloc(session->streams, (session->stream_count + 1) * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	session->streams = streams;
	err = find_trace(session, add->path, &trace);
	slot = err ? NULL : map_at(&place->streams, &next);
	err = err ?: slot ? open_stream(session, trace, add, &stream) : -ENOMEM;
	if (err) {
		map_remove(&place->streams, &next);
		return err;
	}
	stream->handle = *handle = place->last_stream = next;
	stream->at = session->stream_count;
	stream->trace = (size_t)(trace - session->traces);
	*slot = stream;
	if (stream->is_metadata)
		trace->metadata = stream;
	trace->sent = false;
	session->streams[session->stream_count++] = stream;
	log_stream(stream, "is added");
	return 0;
}

struct ingest_stream *ingest_session_find(const struct ingest_session *session, uint64_t handle)
{
	struct ingest_stream **found = map_get(&session->place->streams, &handle);

	return found && (*found)->session == session ? *found : NULL;
}

/* Viewers get whole declarations, and streams once their classes are known. */
static void show_trace(struct ingest_trace *trace)
{
	if (!trace->shown)
		return;
	if (trace->text.len &&
	    !session_trace_metadata(trace->shown, trace->text.data, trace->text.len, NULL))
		trace->told = true;
	if (trace->sent && trace->told)
		session_trace_publish(trace->shown);
}

void ingest_session_streams_sent(struct ingest_session *session)
{
	for (size_t i = 0; i < session->trace_count; i++) {
		session->traces[i].sent = true;
		show_trace(&session->traces[i]);
	}
}

static struct ingest_trace *trace_of(struct ingest_session *session, uint64_t handle)
{
	const struct ingest_stream *stream = ingest_session_find(session, handle);

	return stream && stream->is_metadata ? &session->traces[stream->trace] : NULL;
}

static void forget_text(struct ingest_session *session, struct ingest_trace *trace)
{
	session->text_bytes -= trace->text.len;
	buffer_reset(&trace->text);
}

/* Text that viewers know of must be stored completely. */
static int keep_text(struct ingest_session *session, struct ingest_trace *trace,
		     const struct ingest_command *metadata)
{
	size_t len = metadata->len + metadata->padding;

	if (len > INGEST_METADATA_MAX - session->text_bytes)
		return -E2BIG;
	buffer_append(&trace->text, metadata->bytes, metadata->len);
	buffer_pad(&trace->text, 0, metadata->padding);
	session->text_bytes += len;
	return buffer_error(&trace->text);
}

int ingest_session_metadata(struct ingest_session *session, const struct ingest_command *metadata)
{
	struct ingest_trace *trace = trace_of(session, metadata->id);
	int err;

	if (!trace)
		return -EPROTO;
	err = ingest_stream_metadata(trace->metadata, metadata->bytes, metadata->len,
				     metadata->padding);
	if (!err && trace->shown)
		err = keep_text(session, trace, metadata);
	if (!err)
		show_trace(trace);
	return err;
}

int ingest_session_reset_metadata(struct ingest_session *session, uint64_t handle)
{
	struct ingest_trace *trace = trace_of(session, handle);

	if (!trace || session->shown) /* its viewers have seen the old text */
		return -EPROTO;
	forget_text(session, trace);
	return ingest_stream_reset(trace->metadata);
}

int ingest_session_close_stream(struct ingest_session *session, uint64_t handle, uint64_t last)
{
	struct ingest_stream *stream = ingest_session_find(session, handle);

	if (!stream)
		return -EPROTO;
	session->closing += !stream->closing;
	stream->closing = true;
	stream->last = stream->is_metadata ? RELAY_NO_PACKET : last;
	return 0;
}

/* The text begins once more in a new file; it will begin with the text that viewers know. */
static void restart_metadata(struct ingest_session *session, const struct ingest_stream *stream)
{
	struct ingest_trace *trace = trace_of(session, stream->handle);

	if (trace)
		forget_text(session, trace);
}

int ingest_session_rotate(struct ingest_session *session, const struct ingest_command *rotate)
{
	const struct ingest_chunk *chunk =
		rotate->has_chunk ? ingest_chunk_find(session, rotate->chunk) : NULL;
	int err = rotate->has_chunk && (!chunk || chunk->closing) ? -EPROTO : 0;

	for (uint32_t i = 0; !err && i < rotate->count; i++) {
		struct ingest_stream *stream;
		uint64_t handle, number;

		ingest_rotation_get(rotate, i, &handle, &number);
		stream = ingest_session_find(session, handle);
		err = !stream ? -EPROTO :
				ingest_stream_rotate(stream, number,
						     chunk ? chunk->id : INGEST_CHUNK_NONE);
		if (!err && chunk && stream->is_metadata)
			restart_metadata(session, stream);
	}
	return err;
}

int ingest_session_settle(struct ingest_session *session)
{
	for (size_t i = session->stream_count; i-- && session->closing;) {
		const struct ingest_stream *stream = session->streams[i];

		if (stream->closing && ingest_pending_has(&stream->pending, stream->last))
			drop_stream(session, i);
	}
	return ingest_chunk_settle(session);
}
