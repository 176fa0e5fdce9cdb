// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_view.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "live/access/rights.h"
#include "live/relay/relay_attached.h"
#include "live/relay/relay_reply.h"
#include "live/session/session.h"
#include "wire/lttng_live.h"

/*
 * Where one viewer is in a stream that it was shown: which packet comes next, up to
 * which time nothing will come if no packet is there, and which bytes were announced to it, the
 * only ones it may have.
 */

/* LIVE_INDEX_OK, and *@ret is announced to the viewer: the next packet follows.
 * LIVE_INDEX_INACTIVE: *@ret has end and class. Otherwise *@ret is all zeros. */
enum live_index relay_cursor_next(struct seen_stream *seen, struct session_packet *ret);

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
	if (until > seen->told && !attached_has_new_packets(seen->trace->attached))
		seen->told = until;
	if (!seen->told || stream->class_id == SESSION_CLASS_UNKNOWN)
		return LIVE_INDEX_RETRY;
	*ret = (struct session_packet){.end = seen->told, .class_id = stream->class_id};
	return LIVE_INDEX_INACTIVE;
}

enum live_index relay_cursor_next(struct seen_stream *seen, struct session_packet *ret)
{
	struct session_file *file;
	int found;

	*ret = (struct session_packet){0};
	if (!seen->stream || seen->over)
		return LIVE_INDEX_HUP;
	found = session_stream_packet(seen->stream, &seen->next, ret, &file);
	if (found == 1) {
		keep_file(seen, file);
		if (ret->offset + ret->packet_bits / 8 > seen->file_end)
			seen->file_end = ret->offset + ret->packet_bits / 8;
		seen->next++;
		seen->told = ret->end;
		return LIVE_INDEX_OK;
	}
	if (!session_stream_is_over(seen->stream) && !found)
		return wait_for_more(seen, ret);
	hang_up(seen);
	return LIVE_INDEX_HUP;
}

/* The file that has these bytes, borrowed until the next call; NULL = they were not announced to the viewer. */
static struct session_file *relay_cursor_file(const struct seen_stream *seen, uint64_t offset,
					      uint32_t len)
{
	if (!seen->file || offset > seen->file_end || len > seen->file_end - offset)
		return NULL;
	return seen->file;
}

struct relay_view {
	struct session_list *sessions;
	const struct allow *allow; /* NULL = all of them */
	char *peer;
	struct attached **attached;
	size_t attached_count;
	bool hidden;
	struct seen_ids ids;
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
	map_init(&view->ids.streams, sizeof(uint64_t), sizeof(struct seen_stream *), 0);
	return view;
}

void relay_view_show_hidden(struct relay_view *view)
{
	view->hidden = true;
}

void relay_view_free(struct relay_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->attached_count; i++)
		attached_free(view->attached[i], &view->ids);
	free(view->attached);
	free(view->peer);
	map_fini(&view->ids.streams);
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

static int attach(struct relay_view *view, struct session *session, bool from_now,
		  struct attached **ret)
{
	struct attached **all =
		reallocarray(view->attached, view->attached_count + 1, sizeof(struct attached *));

	if (!all)
		return -ENOMEM;
	view->attached = all;
	*ret = attached_new(session, from_now);
	if (!*ret)
		return -ENOMEM;
	(*ret)->hidden = view->hidden;
	all[view->attached_count++] = *ret;
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
	bool from_now;
	int err;

	if (status != LIVE_ATTACH_OK) {
		relay_reply_streams(out, status, 0);
		return 0;
	}
	/* Nothing comes behind what is there of a session that is over. */
	from_now = seek == LIVE_SEEK_LAST && !session->from_beginning && !session->ended;
	err = attach(view, session, from_now, &attached);
	if (err)
		return err;
	buffer_init(&streams);
	err = attached_show_streams(attached, &view->ids, &streams, &count) ?:
									      buffer_error(&streams);
	if (!err)
		finish_streams(out, &streams, status, count);
	buffer_fini(&streams);
	return err;
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
	if (attached_is_over(attached)) {
		relay_reply_streams(out, LIVE_STREAMS_HUP, 0);
		return 0;
	}
	buffer_init(&streams);
	err = attached_show_streams(attached, &view->ids, &streams, &count) ?:
									      buffer_error(&streams);
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
	attached_free(attached, &view->ids);
}

static struct seen_stream *stream_of(const struct relay_view *view, uint64_t id)
{
	struct seen_stream **slot = map_get(&view->ids.streams, &id);

	return slot ? *slot : NULL;
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
	status = relay_cursor_next(seen, &packet);
	view->packets += status == LIVE_INDEX_OK;
	if (seen->trace->metadata_at < seen->trace->trace->metadata.wire.len)
		flags |= LIVE_FLAG_NEW_METADATA;
	if (attached_has_new_streams(seen->trace->attached))
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

	return seen ? relay_cursor_file(seen, offset, len) : NULL;
}

uint64_t relay_view_packets(const struct relay_view *view)
{
	return view->packets;
}

bool relay_view_is_attached(const struct relay_view *view)
{
	return view->attached_count;
}
