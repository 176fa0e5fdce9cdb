// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "live/relay_reply.h"
#include "live/rights.h"
#include "live/session.h"
#include "live/session_list.h"

#define METADATA_CHANNEL "metadata"

struct attached;

/*
 * A trace as the viewer knows it. Where all streams of it have ended and others come, they are of another
 * trace for the viewer, with the same metadata: some forget a trace when its last stream hangs up.
 */
struct seen_trace {
	struct attached *attached;
	struct session_trace *trace;
	uint64_t id;
	uint64_t metadata_id; /* the stream of its metadata */
	size_t metadata_at; /* bytes of it that were sent */
	size_t streams; /* that the viewer knows */
	size_t over; /* of these, hung up */
};

struct seen_stream {
	struct seen_trace *trace;
	struct session_stream *stream; /* NULL: the metadata */
	uint64_t id;
	uint64_t next; /* number of the next packet */
	uint64_t told; /* cycles: when the last packet ended, or the last beacon */
	struct session_file *file; /* of the last packet it was told of; it keeps a reference */
	uint64_t file_end; /* so much of the file it was told of */
	bool over; /* hung up */
};

/* One session. Traces and streams of a session only come, so that they are counted by what was seen. */
struct attached {
	struct session *session;
	bool from_now;
	bool hidden; /* streams are seen, too */
	struct seen_trace **traces; /* also those that were followed by another of the same */
	size_t trace_count;
	struct seen_trace **current; /* by index of the session's traces */
	size_t *shown; /* likewise: how many of its streams */
	size_t known; /* room of both */
	struct seen_stream **streams;
	size_t stream_count;
	bool told_over; /* it was told that the session is over */
};

struct relay_view {
	struct session_list *sessions;
	const struct allow *allow; /* NULL = all of them */
	char *peer;
	struct attached **attached;
	size_t attached_count;
	bool hidden;
	struct map streams; /* by id: struct seen_stream * */
	uint64_t last_id;
	uint64_t packets;
};

struct relay_view *relay_view_new(struct session_list *sessions, const struct relay_peer *peer)
{
	struct relay_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->sessions = sessions;
	view->allow = peer->rights ? peer->rights->allow : NULL;
	view->peer = strdup(peer->name);
	if (!view->peer) {
		free(view);
		return NULL;
	}
	map_init(&view->streams, sizeof(uint64_t), sizeof(struct seen_stream *), 0);
	return view;
}

void relay_view_show_hidden(struct relay_view *view)
{
	view->hidden = true;
}

static void detach(struct relay_view *view, struct attached *attached)
{
	for (size_t i = 0; i < attached->stream_count; i++) {
		map_remove(&view->streams, &attached->streams[i]->id);
		session_file_unref(attached->streams[i]->file);
		free(attached->streams[i]);
	}
	for (size_t i = 0; i < attached->trace_count; i++)
		free(attached->traces[i]);
	attached->session->viewers--;
	session_unref(attached->session);
	free(attached->streams);
	free(attached->traces);
	free(attached->current);
	free(attached->shown);
	free(attached);
}

void relay_view_free(struct relay_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->attached_count; i++)
		detach(view, view->attached[i]);
	free(view->attached);
	free(view->peer);
	map_fini(&view->streams);
	free(view);
}

static struct attached *find(const struct relay_view *view, uint64_t session_id, size_t *at)
{
	for (size_t i = 0; i < view->attached_count; i++) {
		if (view->attached[i]->session->id != session_id)
			continue;
		if (at)
			*at = i;
		return view->attached[i];
	}
	return NULL;
}

static void *grow(void *array, size_t count, size_t item)
{
	return count & (count - 1) ? array : reallocarray(array, count ? 2 * count : 1, item);
}

static struct seen_stream *add_stream(struct relay_view *view, struct seen_trace *trace,
				      struct session_stream *stream)
{
	struct attached *attached = trace->attached;
	struct seen_stream **streams =
		grow(attached->streams, attached->stream_count, sizeof(struct seen_stream *));
	struct seen_stream *seen = calloc(1, sizeof(*seen)), **slot;

	if (streams)
		attached->streams = streams;
	if (!streams || !seen)
		goto fail;
	seen->trace = trace;
	seen->stream = stream;
	seen->id = ++view->last_id;
	if (stream && attached->from_now)
		seen->next = stream->packet_count;
	slot = map_at(&view->streams, &seen->id);
	if (!slot)
		goto fail;
	*slot = seen;
	streams[attached->stream_count++] = seen;
	return seen;

fail:
	free(seen);
	return NULL;
}

/* With the stream of its metadata. */
static struct seen_trace *add_trace(struct relay_view *view, struct attached *attached,
				    struct session_trace *trace)
{
	struct seen_trace **traces =
		grow(attached->traces, attached->trace_count, sizeof(struct seen_trace *));
	struct seen_trace *seen = calloc(1, sizeof(*seen));
	struct seen_stream *metadata;

	if (traces)
		attached->traces = traces;
	if (!traces || !seen) {
		free(seen);
		return NULL;
	}
	*seen = (struct seen_trace){.attached = attached, .trace = trace, .id = ++view->last_id};
	traces[attached->trace_count++] = seen;
	metadata = add_stream(view, seen, NULL);
	if (!metadata)
		return NULL;
	seen->metadata_id = metadata->id;
	return seen;
}

/* Room for what is known of each trace of the session. */
static int know_traces(struct attached *attached)
{
	const size_t count = attached->session->trace_count;
	struct seen_trace **current;
	size_t *shown;

	if (count <= attached->known)
		return 0;
	current = reallocarray(attached->current, count, sizeof(struct seen_trace *));
	if (current)
		attached->current = current;
	shown = reallocarray(attached->shown, count, sizeof(*shown));
	if (shown)
		attached->shown = shown;
	if (!current || !shown)
		return -ENOMEM;
	for (; attached->known < count; attached->known++) {
		current[attached->known] = NULL;
		shown[attached->known] = 0;
	}
	return 0;
}

static size_t streams_shown(const struct attached *attached, size_t trace)
{
	return trace < attached->known ? attached->shown[trace] : 0;
}

static bool sees(const struct attached *attached, const struct session_stream *stream)
{
	return attached->hidden || !stream->hidden;
}

static bool has_new_streams(const struct attached *attached)
{
	const struct session *session = attached->session;

	for (size_t i = 0; i < session->trace_count; i++) {
		const struct session_trace *trace = session->traces[i];

		for (size_t j = streams_shown(attached, i); j < trace->published; j++) {
			if (sees(attached, trace->streams[j]))
				return true;
		}
	}
	return false;
}

/* Whether one of the streams that the viewer does not know has packets, of whatever time. */
static bool has_new_packets(const struct attached *attached)
{
	const struct session *session = attached->session;

	for (size_t i = 0; i < session->trace_count; i++) {
		const struct session_trace *trace = session->traces[i];

		for (size_t j = streams_shown(attached, i); j < trace->stream_count; j++) {
			if (trace->streams[j]->packet_count && sees(attached, trace->streams[j]))
				return true;
		}
	}
	return false;
}

static int show_stream(struct relay_view *view, struct attached *attached, size_t trace,
		       struct buffer *out, uint32_t *count)
{
	struct session_trace *of = attached->session->traces[trace];
	struct seen_trace *seen = attached->current[trace];
	struct session_stream *stream = of->streams[attached->shown[trace]];
	struct seen_stream *added;

	attached->shown[trace]++;
	if (!sees(attached, stream))
		return 0;
	if (!seen || seen->over == seen->streams) {
		seen = attached->current[trace] = add_trace(view, attached, of);
		if (!seen)
			return -ENOMEM;
		relay_reply_stream(out, seen->metadata_id, seen->id, true, of->path,
				   METADATA_CHANNEL);
		++*count;
	}
	added = add_stream(view, seen, stream);
	if (!added)
		return -ENOMEM;
	seen->streams++;
	relay_reply_stream(out, added->id, seen->id, false, of->path, stream->channel);
	++*count;
	return 0;
}

/* All those that the viewer does not know, or as many as a reply should have. */
static int show_streams(struct relay_view *view, struct attached *attached, struct buffer *out,
			uint32_t *count)
{
	const struct session *session = attached->session;
	int err = know_traces(attached);

	for (size_t i = 0; !err && i < session->trace_count; i++) {
		while (!err && *count < RELAY_STREAMS_OF_REPLY &&
		       attached->shown[i] < session->traces[i]->published)
			err = show_stream(view, attached, i, out, count);
	}
	if (*count < RELAY_STREAMS_OF_REPLY)
		attached->from_now = false; /* those that come are new from their beginning */
	return err;
}

static int attach(struct relay_view *view, struct session *session, struct attached **ret)
{
	struct attached **all =
		grow(view->attached, view->attached_count, sizeof(struct attached *));
	struct attached *attached = calloc(1, sizeof(*attached));

	if (all)
		view->attached = all;
	if (!all || !attached) {
		free(attached);
		return -ENOMEM;
	}
	attached->session = session_ref(session);
	attached->hidden = view->hidden;
	session->viewers++;
	all[view->attached_count++] = attached;
	*ret = attached;
	return 0;
}

bool relay_view_shows(const struct relay_view *view, const struct session *session, uint32_t minor)
{
	if (session_is_ctf2(session) && minor < LIVE_MINOR_LIST_2_15)
		return false;
	return !view->allow || allow_session(view->allow, view->peer, session->name);
}

static enum live_attach may_attach(const struct relay_view *view, const struct session *session,
				   uint32_t seek, uint32_t minor)
{
	if (!session || !relay_view_shows(view, session, minor))
		return LIVE_ATTACH_UNKNOWN;
	if (find(view, session->id, NULL) || view->attached_count == RELAY_ATTACHED_MAX)
		return LIVE_ATTACH_ALREADY;
	if (seek != LIVE_SEEK_BEGINNING && seek != LIVE_SEEK_LAST)
		return LIVE_ATTACH_SEEK;
	return LIVE_ATTACH_OK;
}

/* Puts the head of a reply, @status and @count, in front of its streams. */
static void finish_streams(struct buffer *out, const struct buffer *streams, uint32_t status,
			   uint32_t count)
{
	relay_reply_streams(out, status, count);
	buffer_append(out, streams->data, streams->len);
}

int relay_view_attach(struct relay_view *view, uint64_t session_id, uint32_t seek, uint32_t minor,
		      struct buffer *out)
{
	struct session *session = session_list_find(view->sessions, session_id);
	enum live_attach status = may_attach(view, session, seek, minor);
	struct attached *attached;
	struct buffer streams;
	uint32_t count = 0;
	int err;

	if (status != LIVE_ATTACH_OK) {
		relay_reply_streams(out, status, 0);
		return 0;
	}
	err = attach(view, session, &attached);
	if (err)
		return err;
	buffer_init(&streams);
	/* Nothing comes behind what is there of a session that is over. */
	attached->from_now = seek == LIVE_SEEK_LAST && !session->from_beginning && !session->ended;
	err = show_streams(view, attached, &streams, &count) ?: buffer_error(&streams);
	if (!err)
		finish_streams(out, &streams, status, count);
	buffer_fini(&streams);
	return err;
}

/* Everything was delivered, and nothing is to come. */
static bool is_over(const struct attached *attached)
{
	if (!attached->session->ended || has_new_streams(attached))
		return false;
	for (size_t i = 0; i < attached->trace_count; i++) {
		if (attached->traces[i]->over < attached->traces[i]->streams)
			return false;
	}
	return true;
}

int relay_view_new_streams(struct relay_view *view, uint64_t session_id, struct buffer *out)
{
	struct attached *attached = find(view, session_id, NULL);
	struct buffer streams;
	uint32_t count = 0;
	int err;

	if (!attached) {
		relay_reply_streams(out, LIVE_STREAMS_ERROR, 0);
		return 0;
	}
	if (is_over(attached)) {
		attached->told_over = true;
		relay_reply_streams(out, LIVE_STREAMS_HUP, 0);
		return 0;
	}
	buffer_init(&streams);
	err = show_streams(view, attached, &streams, &count) ?: buffer_error(&streams);
	if (!err)
		finish_streams(out, &streams, LIVE_STREAMS_OK, count);
	buffer_fini(&streams);
	return err;
}

void relay_view_detach(struct relay_view *view, uint64_t session_id, struct buffer *out)
{
	size_t at;
	struct attached *attached = find(view, session_id, &at);

	relay_reply_u32(out, attached ? LIVE_DETACH_OK : LIVE_DETACH_UNKNOWN);
	if (!attached)
		return;
	view->attached[at] = view->attached[--view->attached_count];
	detach(view, attached);
}

static struct seen_stream *stream_of(const struct relay_view *view, uint64_t id)
{
	struct seen_stream **slot = map_get(&view->streams, &id);

	return slot ? *slot : NULL;
}

static void keep_file(struct seen_stream *seen, struct session_file *file)
{
	if (seen->file == file)
		return;
	session_file_ref(file);
	session_file_unref(seen->file);
	seen->file = file;
	seen->file_end = 0;
}

static void hang_up(struct seen_stream *seen)
{
	if (!seen->over)
		seen->trace->over++;
	seen->over = true;
}

/*
 * Nothing is there. How far nothing will come: as the session says, and at least to where the last packet
 * ended, as those of a stream follow one another. But not while there are packets in streams that the viewer has yet
 * to ask for: what it would go past could be theirs.
 */
static enum live_index wait_for_more(struct seen_stream *seen, struct session_packet *ret)
{
	const struct session_stream *stream = seen->stream;
	uint64_t until = session_stream_until(stream);

	/* Apart by a moment each: babeltrace2 warns where two streams are silent until the same time. */
	until -= until > seen->id ? seen->id : 0;
	if (until > seen->told && !has_new_packets(seen->trace->attached))
		seen->told = until;
	if (!seen->told || stream->class_id == SESSION_CLASS_UNKNOWN)
		return LIVE_INDEX_RETRY;
	*ret = (struct session_packet){.end = seen->told, .class_id = stream->class_id};
	return LIVE_INDEX_INACTIVE;
}

static enum live_index next_index(struct relay_view *view, struct seen_stream *seen,
				  struct session_packet *ret)
{
	struct session_file *file;
	int found;

	if (!seen->stream || seen->over)
		return LIVE_INDEX_HUP;
	found = session_stream_packet(seen->stream, &seen->next, ret, &file);
	if (found == 1) {
		keep_file(seen, file);
		if (ret->offset + ret->packet_bits / 8 > seen->file_end)
			seen->file_end = ret->offset + ret->packet_bits / 8;
		seen->next++;
		seen->told = ret->end;
		view->packets++;
		return LIVE_INDEX_OK;
	}
	*ret = (struct session_packet){0};
	if (!session_stream_is_over(seen->stream) && !found)
		return wait_for_more(seen, ret);
	hang_up(seen);
	return LIVE_INDEX_HUP;
}

void relay_view_next_index(struct relay_view *view, uint64_t stream_id, struct buffer *out)
{
	struct seen_stream *seen = stream_of(view, stream_id);
	struct session_packet packet = {0};
	enum live_index status;
	uint32_t flags = 0;

	if (!seen) {
		relay_reply_index(out, NULL, LIVE_INDEX_ERROR, 0);
		return;
	}
	status = next_index(view, seen, &packet);
	if (seen->trace->metadata_at < seen->trace->trace->metadata.wire.len)
		flags |= LIVE_FLAG_NEW_METADATA;
	if (has_new_streams(seen->trace->attached))
		flags |= LIVE_FLAG_NEW_STREAMS;
	relay_reply_index(out, &packet, status, flags);
}

void relay_view_metadata(struct relay_view *view, uint64_t stream_id, struct buffer *out)
{
	struct seen_stream *seen = stream_of(view, stream_id);
	const struct session_metadata *metadata;
	struct seen_trace *trace;
	size_t len;

	if (!seen || seen->stream) {
		relay_reply_metadata(out, LIVE_METADATA_ERROR, 0);
		return;
	}
	trace = seen->trace;
	metadata = &trace->trace->metadata;
	len = session_metadata_piece(metadata, trace->metadata_at);
	relay_reply_metadata(out, len ? LIVE_METADATA_OK : LIVE_METADATA_NO_NEW, len);
	if (len)
		buffer_append(out, metadata->wire.data + trace->metadata_at, len);
	trace->metadata_at += len;
}

struct session_file *relay_view_packet(struct relay_view *view, uint64_t stream_id, uint64_t offset,
				       uint32_t len)
{
	struct seen_stream *seen = stream_of(view, stream_id);

	if (!seen || !seen->file || offset > seen->file_end || len > seen->file_end - offset)
		return NULL;
	return seen->file;
}

uint64_t relay_view_packets(const struct relay_view *view)
{
	return view->packets;
}

bool relay_view_is_behind(const struct relay_view *view)
{
	for (size_t i = 0; i < view->attached_count; i++) {
		if (!view->attached[i]->told_over)
			return true;
	}
	return false;
}
