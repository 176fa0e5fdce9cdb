// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_attached.h"

#include <errno.h>
#include <stdlib.h>

#include "live/relay/relay_reply.h"
#include "live/session/session.h"

#define METADATA_CHANNEL "metadata"

struct attached *attached_new(struct session *session, bool from_now)
{
	struct attached *attached = calloc(1, sizeof(*attached));

	if (!attached)
		return NULL;
	attached->session = session_ref(session);
	attached->from_now = from_now;
	session->viewers++;
	return attached;
}

void attached_free(struct attached *attached, struct seen_ids *ids)
{
	if (!attached)
		return;
	for (size_t i = 0; i < attached->stream_count; i++) {
		map_remove(&ids->streams, &attached->streams[i]->id);
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

static void *grow(void *array, size_t count, size_t item)
{
	return count & (count - 1) ? array : reallocarray(array, count ? 2 * count : 1, item);
}

static struct seen_stream *add_stream(struct seen_ids *ids, struct seen_trace *trace,
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
	seen->id = ++ids->last;
	if (stream && attached->from_now)
		seen->next = stream->packet_count;
	slot = map_at(&ids->streams, &seen->id);
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
static struct seen_trace *add_trace(struct seen_ids *ids, struct attached *attached,
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
	*seen = (struct seen_trace){.attached = attached, .trace = trace, .id = ++ids->last};
	traces[attached->trace_count++] = seen;
	metadata = add_stream(ids, seen, NULL);
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

bool attached_has_new_streams(const struct attached *attached)
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

bool attached_has_new_packets(const struct attached *attached)
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

static int show_stream(struct seen_ids *ids, struct attached *attached, size_t trace,
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
		seen = attached->current[trace] = add_trace(ids, attached, of);
		if (!seen)
			return -ENOMEM;
		relay_reply_stream(out, seen->metadata_id, seen->id, true, of->path,
				   METADATA_CHANNEL);
		++*count;
	}
	added = add_stream(ids, seen, stream);
	if (!added)
		return -ENOMEM;
	seen->streams++;
	relay_reply_stream(out, added->id, seen->id, false, of->path, stream->channel);
	++*count;
	return 0;
}

/* All those that the viewer does not know, or as many as a reply should have. */
int attached_show_streams(struct attached *attached, struct seen_ids *ids, struct buffer *out,
			  uint32_t *count)
{
	const struct session *session = attached->session;
	int err = know_traces(attached);

	for (size_t i = 0; !err && i < session->trace_count; i++) {
		while (!err && *count < RELAY_STREAMS_OF_REPLY &&
		       attached->shown[i] < session->traces[i]->published)
			err = show_stream(ids, attached, i, out, count);
	}
	if (*count < RELAY_STREAMS_OF_REPLY)
		attached->from_now = false; /* those that come are new from their beginning */
	return err;
}

bool attached_is_over(const struct attached *attached)
{
	if (!attached->session->ended || attached_has_new_streams(attached))
		return false;
	for (size_t i = 0; i < attached->trace_count; i++) {
		if (attached->traces[i]->over < attached->traces[i]->streams)
			return false;
	}
	return true;
}
