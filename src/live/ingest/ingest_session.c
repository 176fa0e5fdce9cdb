// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "live/ingest/ingest_quota.h"
#include "live/ingest/ingest_stream.h"
#include "live/proto/ingest_message.h"
#include "live/session/session.h"

struct ingest_trace {
	char *path;
	struct open_stream *metadata;
	struct buffer text; /* what has come of it */
	bool told; /* some of that to viewers */
	struct session_trace *shown;
	bool sent; /* all of its streams were announced */
};

struct open_stream {
	struct ingest_session *session;
	struct ingest_stream *stream; /* owned */
	uint64_t handle;
	size_t trace;
	bool closing; /* once it has packet `last` */
	uint64_t last;
	bool checked; /* asked whether its data has come, since BEGIN_DATA_PENDING */
};

struct ingest_session {
	struct ingest_place *place; /* borrowed */
	uint64_t id;
	const char *peer; /* whose it is; borrowed */
	char host[RELAY_NAME_MAX];
	char name[RELAY_NAME_MAX];
	char path[RELAY_PATH_MAX]; /* of its folder, below the output directory */
	bool begun; /* it was made, and the log says so */
	struct ingest_folder folder;
	struct ingest_trace *traces;
	size_t trace_count;
	struct open_stream **streams;
	size_t stream_count;
	size_t closing; /* of these, those that are to be closed once they have all */
	size_t text_bytes; /* of the metadata of all traces */
	uint64_t bytes; /* of packets that came */
	uint64_t packets;
	struct session *shown; /* NULL: it is not live */
};

static int add_inodes(void *ctx, struct map *inodes)
{
	const struct ingest_place *place = ctx;
	const void *key;
	void *value;
	int err = 0;

	for (size_t at = 0; !err && map_next(&place->streams, &at, &key, &value);)
		err = ingest_stream_add_inodes((*(struct open_stream **)value)->stream, inodes);
	return err;
}

static int cut_streams(void *ctx)
{
	const struct ingest_place *place = ctx;
	const void *key;
	void *value;
	int err = 0;

	for (size_t at = 0; !err && map_next(&place->streams, &at, &key, &value);)
		err = ingest_stream_cut((*(struct open_stream **)value)->stream);
	return err;
}

/* Sessions that have ended have viewers, too. */
static void hide_gone(void *ctx)
{
	const struct ingest_place *place = ctx;

	for (size_t i = 0; place->list && i < place->list->count; i++)
		session_forget_gone(place->list->sessions[i]);
}

static void warn(void *ctx, const char *text)
{
	const struct ingest_place *place = ctx;

	if (place->warn)
		place->warn(place->ctx, text);
}

int ingest_place_init(struct ingest_place *place)
{
	const struct ingest_quota_config config = {
		.most = place->quota_bytes,
		.output = place->output,
		.files = place->files,
		.owner = {add_inodes, cut_streams, hide_gone, warn, place},
	};

	map_init(&place->streams, sizeof(uint64_t), sizeof(struct open_stream *), 0);
	return ingest_quota_new(&config, &place->quota);
}

void ingest_place_fini(struct ingest_place *place)
{
	ingest_quota_free(place->quota);
	map_fini(&place->streams);
}

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

int ingest_session_new(struct ingest_place *place, const struct ingest_command *create,
		       const char *peer, bool counted, struct ingest_session **ret)
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
	session->folder = (struct ingest_folder){.files = place->files,
						 .quota = place->quota,
						 .log = &place->log,
						 .losses_of_all = &place->losses,
						 .warn = warn,
						 .ctx = place,
						 .session = session->id,
						 .counted = counted};
	snprintf(session->host, sizeof(session->host), "%s", create->host);
	snprintf(session->name, sizeof(session->name), "%s", create->name);
	err = ingest_folder_open(&session->folder, place->output, create, place->group_by_session,
				 session->path);
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

void ingest_session_info(const struct ingest_session *session, struct ingest_session_info *ret)
{
	*ret = (struct ingest_session_info){
		.id = session->id,
		.host = session->host,
		.name = session->name,
		.path = session->path,
		.streams = session->stream_count,
		.packets = session->packets,
		.bytes = session->bytes,
		.losses = session->folder.losses,
		.pending = session->folder.pending,
		.shown = session->shown,
	};
}

static void log_stream(const struct open_stream *open, const char *what)
{
	const struct ingest_session *session = open->session;
	const char *path = session->traces[open->trace].path;

	relay_log_say(&session->place->log, RELAY_LOG_STREAMS,
		      "session %llu: stream %llu, %s%s%s, %s", (unsigned long long)session->id,
		      (unsigned long long)open->handle, path, *path ? "/" : "",
		      ingest_stream_channel(open->stream), what);
}

static void drop_stream(struct ingest_session *session, size_t i)
{
	struct open_stream *open = session->streams[i];

	if (ingest_stream_is_metadata(open->stream))
		session->traces[open->trace].metadata = NULL;
	session->closing -= open->closing;
	log_stream(open, "is closed");
	map_remove(&session->place->streams, &open->handle);
	ingest_stream_free(open->stream);
	free(open);
	session->streams[i] = session->streams[--session->stream_count];
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
	ingest_folder_close(&session->folder);
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

static int make_stream(struct ingest_session *session, const struct ingest_trace *trace,
		       const struct ingest_command *add, struct ingest_stream **ret)
{
	bool is_metadata = !strcmp(add->name, RELAY_METADATA_CHANNEL);
	struct session_stream *shown = NULL;
	int err;

	if (!ingest_folder_takes_chunk(&session->folder, add->chunk) ||
	    (is_metadata && trace->metadata))
		return -EPROTO;
	err = ingest_stream_new(&session->folder, add, ret);
	if (err || is_metadata || !trace->shown)
		return err;
	err = session_stream_new(trace->shown, add->name, SESSION_CLASS_UNKNOWN, &shown);
	err = err ?: ingest_stream_show(*ret, shown);
	if (err)
		ingest_stream_free(*ret);
	return err;
}

/* A stream of the next handle, which is known by that. */
static int open_stream(struct ingest_session *session, struct ingest_trace *trace,
		       const struct ingest_command *add, struct open_stream **ret)
{
	struct ingest_place *place = session->place;
	uint64_t next = place->last_stream + 1;
	struct open_stream *open = calloc(1, sizeof(*open)), **slot;
	int err;

	slot = open ? map_at(&place->streams, &next) : NULL;
	err = slot ? make_stream(session, trace, add, &open->stream) : -ENOMEM;
	if (err) {
		map_remove(&place->streams, &next);
		free(open);
		return err;
	}
	open->session = session;
	open->handle = place->last_stream = next;
	open->trace = (size_t)(trace - session->traces);
	*ret = *slot = open;
	return 0;
}

int ingest_session_add_stream(struct ingest_session *session, const struct ingest_command *add,
			      uint64_t *handle)
{
	struct open_stream **streams, *open;
	struct ingest_trace *trace;
	int err;

	if (session->stream_count == INGEST_STREAMS_MAX)
		return -E2BIG;
	streams = realloc(session->streams, (session->stream_count + 1) * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	session->streams = streams;
	err = find_trace(session, add->path, &trace) ?: open_stream(session, trace, add, &open);
	if (err)
		return err;
	*handle = open->handle;
	if (ingest_stream_is_metadata(open->stream))
		trace->metadata = open;
	trace->sent = false;
	session->streams[session->stream_count++] = open;
	log_stream(open, "is added");
	return 0;
}

static struct open_stream *find_any(const struct ingest_place *place, uint64_t handle)
{
	struct open_stream **found = map_get(&place->streams, &handle);

	return found ? *found : NULL;
}

/* NULL = it has none, or no more. */
static struct open_stream *find_stream(const struct ingest_session *session, uint64_t handle)
{
	struct open_stream *open = find_any(session->place, handle);

	return open && open->session == session ? open : NULL;
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
	const struct open_stream *open = find_stream(session, handle);

	return open && ingest_stream_is_metadata(open->stream) ? &session->traces[open->trace] :
								 NULL;
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
	err = ingest_stream_metadata(trace->metadata->stream, metadata->bytes, metadata->len,
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
	return ingest_stream_reset(trace->metadata->stream);
}

int ingest_session_index(struct ingest_session *session, uint64_t handle,
			 const struct ingest_index *index)
{
	const struct open_stream *open = find_stream(session, handle);

	return open ? ingest_stream_index(open->stream, index) : -EPROTO;
}

int ingest_session_close_stream(struct ingest_session *session, uint64_t handle, uint64_t last)
{
	struct open_stream *open = find_stream(session, handle);

	if (!open)
		return -EPROTO;
	session->closing += !open->closing;
	open->closing = true;
	open->last = ingest_stream_is_metadata(open->stream) ? RELAY_NO_PACKET : last;
	return 0;
}

int ingest_session_add_chunk(struct ingest_session *session, const struct ingest_command *chunk)
{
	return ingest_folder_add_chunk(&session->folder, chunk);
}

int ingest_session_close_chunk(struct ingest_session *session, const struct ingest_command *close,
			       char archive[RELAY_PATH_MAX])
{
	if (close->has_close && close->close == RELAY_CHUNK_DELETE &&
	    session->place->disallow_clear)
		return -EPROTO;
	return ingest_folder_close_chunk(&session->folder, close, archive);
}

bool ingest_session_has_chunk(const struct ingest_session *session, uint64_t chunk)
{
	return ingest_folder_has_chunk(&session->folder, chunk);
}

int ingest_session_rotate(struct ingest_session *session, const struct ingest_command *rotate)
{
	uint64_t chunk = rotate->has_chunk ? rotate->chunk : INGEST_CHUNK_NONE;
	int err = 0;

	if (rotate->has_chunk && !ingest_folder_takes_chunk(&session->folder, chunk))
		return -EPROTO;
	for (uint32_t i = 0; !err && i < rotate->count; i++) {
		struct ingest_trace *trace;
		const struct open_stream *open;
		uint64_t handle, number;

		ingest_rotation_get(rotate, i, &handle, &number);
		open = find_stream(session, handle);
		trace = trace_of(session, handle);
		err = open ? ingest_stream_rotate(open->stream, number, chunk) : -EPROTO;
		/* The text begins once more in a new file, and with the text that viewers know. */
		if (!err && rotate->has_chunk && trace)
			forget_text(session, trace);
	}
	return err;
}

static bool is_in_use(const struct ingest_session *session, uint64_t chunk)
{
	for (size_t i = 0; i < session->stream_count; i++) {
		if (ingest_stream_is_in(session->streams[i]->stream, chunk))
			return true;
	}
	return false;
}

/* Those that are closed, and that no stream is in, end. */
static int end_chunks(struct ingest_session *session)
{
	const struct ingest_chunk *chunk;
	int err = 0;

	while (!err && (chunk = ingest_folder_ending(&session->folder)) &&
	       !is_in_use(session, chunk->id)) {
		bool removed;

		err = ingest_folder_end_chunk(&session->folder, &removed);
		for (size_t i = 0; removed && i < session->stream_count; i++)
			ingest_stream_hide_gone(session->streams[i]->stream);
	}
	return err;
}

int ingest_session_settle(struct ingest_session *session)
{
	for (size_t i = session->stream_count; i-- && session->closing;) {
		const struct open_stream *open = session->streams[i];

		if (open->closing && ingest_stream_has(open->stream, open->last))
			drop_stream(session, i);
	}
	return end_chunks(session);
}

int ingest_session_is_pending(struct ingest_session *session, uint64_t handle, uint64_t last)
{
	struct open_stream *open = find_stream(session, handle);

	if (!open)
		return -ENOENT;
	open->checked = true;
	return !ingest_stream_has(open->stream, last);
}

void ingest_session_begin_pending(struct ingest_session *session)
{
	for (size_t i = 0; i < session->stream_count; i++)
		session->streams[i]->checked = false;
}

int ingest_session_check_pending(struct ingest_session *session, uint64_t handle)
{
	struct open_stream *open = find_stream(session, handle);

	if (open)
		open->checked = true;
	return open ? 0 : -ENOENT;
}

bool ingest_session_end_pending(const struct ingest_session *session)
{
	for (size_t i = 0; i < session->stream_count; i++) {
		if (!session->streams[i]->checked)
			return true;
	}
	return false;
}

/* What became of a packet: @got. All of it may be there. */
static int end_packet(struct ingest_session *session, const struct ingest_data *data, int got)
{
	const uint32_t bytes = data->len + data->padding;

	if (got <= 0)
		return got;
	relay_log_say(&session->place->log, RELAY_LOG_PACKETS,
		      "session %llu: stream %llu, packet %llu: %u bytes",
		      (unsigned long long)session->id, (unsigned long long)data->stream,
		      (unsigned long long)data->number, bytes);
	session->place->store_error = 0;
	session->packets++;
	session->bytes += bytes;
	return ingest_session_settle(session) ?: got;
}

int ingest_session_data(struct ingest_place *place, const char *peer,
			const struct ingest_data *data)
{
	const struct open_stream *open = find_any(place, data->stream);

	if (!open)
		return -EPROTO;
	if (strcmp(open->session->peer, peer) != 0)
		return -EPERM; /* only the peer that has made the session sends its data */
	return end_packet(open->session, data, ingest_stream_data(open->stream, data));
}

int ingest_session_bytes(struct ingest_place *place, const struct ingest_data *data,
			 const void *bytes, size_t len)
{
	const struct open_stream *open = find_any(place, data->stream);

	if (!open)
		return -EPROTO;
	return end_packet(open->session, data, ingest_stream_bytes(open->stream, bytes, len));
}

void ingest_session_abort(struct ingest_place *place, uint64_t handle)
{
	const struct open_stream *open = find_any(place, handle);

	if (open)
		ingest_stream_abort(open->stream);
}

const struct ingest_stream *ingest_session_stream_at(const struct ingest_session *session, size_t i,
						     uint64_t *handle)
{
	if (i >= session->stream_count)
		return NULL;
	if (handle)
		*handle = session->streams[i]->handle;
	return session->streams[i]->stream;
}
