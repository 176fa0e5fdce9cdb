// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ctf/trace_class.h"
#include "live/viewer.h"
#include "live/viewer_input.h"
#include "live/viewer_trace.h"
#include "trace/stream_input.h"
#include "view/escape.h"

/* A stream of which so much is waiting to be read is not asked for more. */
#define AHEAD_BYTES (256u << 10)
#define NOTES_AHEAD_BYTES (64u << 20) /* of one that others wait for */
/* Before 2.6 a relay refuses packets until new metadata and streams were fetched. */
#define MINOR_PACKET_FLAGS 5u
/* Up to 2.12 bytes that nobody has counted may follow a refusal. */
#define MINOR_PACKET_JUNK 12u

int viewer_stream_new(struct viewer_trace *trace, const struct viewer_stream_entry *entry,
		      bool keep, struct viewer_stream **ret)
{
	struct viewer_stream *stream = calloc(1, sizeof(*stream));
	char *name = NULL;
	int err = -ENOMEM;

	if (!stream)
		return err;
	stream->id = entry->id;
	stream->trace = trace;
	stream->known_ns = stream->until_ns = INT64_MIN;
	stream->channel = strndup(entry->channel, entry->channel_len);
	if (stream->channel && asprintf(&name, "%.*s%s%s", (int)entry->path_len, entry->path,
					entry->path_len ? "/" : "", stream->channel) >= 0) {
		escape_blank(name);
		err = viewer_input_new(name, keep, &stream->input);
		free(name);
	}
	if (err)
		viewer_stream_free(stream);
	else
		*ret = stream;
	return err;
}

void viewer_stream_free(struct viewer_stream *stream)
{
	if (!stream)
		return;
	if (stream->input && !stream->reader)
		stream->input->ops->close(stream->input);
	free(stream->channel);
	free(stream);
}

static bool has_enough(const struct viewer_stream *stream)
{
	return viewer_input_left(stream->input) + stream->packet_bytes - stream->packet_got >=
	       (stream->tells_symbols ? NOTES_AHEAD_BYTES : AHEAD_BYTES);
}

/* Those pieces of the packet that were not asked for. */
static int ask_packet(struct viewer_stream *stream, struct viewer *viewer)
{
	while (stream->packet_asked < stream->packet_bytes) {
		const uint64_t left = stream->packet_bytes - stream->packet_asked;
		const struct viewer_request request = {
			.command = LIVE_GET_PACKET,
			.handle = stream->id,
			.offset = stream->packet_at + stream->packet_asked,
			.bytes = left < VIEWER_PIECE_BYTES ? (uint32_t)left : VIEWER_PIECE_BYTES,
			.about = stream,
		};

		if (viewer_ask(viewer, &request))
			return -ENOMEM;
		stream->packet_asked += request.bytes;
	}
	return 0;
}

static int ask_index(struct viewer_stream *stream, struct viewer *viewer)
{
	const struct viewer_request request = {
		.command = LIVE_GET_NEXT_INDEX,
		.handle = stream->id,
		.about = stream,
	};

	stream->asked = true;
	return viewer_ask(viewer, &request);
}

uint64_t viewer_stream_due(const struct viewer_stream *stream)
{
	if (stream->trace->orphan)
		return UINT64_MAX;
	if (stream->packet_bytes) /* it may be one that is asked for once more */
		return stream->packet_asked < stream->packet_bytes ? stream->ask_ns : UINT64_MAX;
	if (stream->ended || stream->asked || !viewer_trace_class(stream->trace))
		return UINT64_MAX;
	return has_enough(stream) ? UINT64_MAX : stream->ask_ns;
}

int viewer_stream_ask(struct viewer_stream *stream, struct viewer *viewer, uint64_t now_ns)
{
	if (viewer_stream_due(stream) > now_ns)
		return 0;
	return stream->packet_bytes ? ask_packet(stream, viewer) : ask_index(stream, viewer);
}

/* Cycles as ns, by the clock of the stream. Relays of 2.4.0 tell of another class in beacons. */
static int64_t to_ns(const struct viewer_stream *stream, uint64_t cycles)
{
	const struct ctf_trace_class *trace = viewer_trace_class(stream->trace);
	const struct ctf_stream_class *class = ctf_trace_class_stream(trace, stream->stream_class);

	if (!class && trace->stream_count)
		class = trace->streams[0];
	return ctf_clock_ns(class ? class->clock : NULL, cycles);
}

/* Up to @cycles all was received. Relays up to 2.14 repeat beacons that are earlier than what came since. */
static void know(struct viewer_stream *stream, uint64_t cycles)
{
	int64_t ns = to_ns(stream, cycles);

	if (ns > stream->known_ns)
		stream->known_ns = ns;
}

void viewer_stream_show(struct viewer_stream *stream)
{
	if (!stream->input)
		return;
	viewer_input_show(stream->input);
	if (viewer_input_is_shown(stream->input))
		stream->until_ns = stream->known_ns;
}

static void show_if_settled(struct viewer_stream *stream)
{
	if (viewer_trace_is_settled(stream->trace))
		viewer_stream_show(stream);
}

/* Asks for the packet of @index and, where that is not much, for the index behind it. */
static int begin_packet(struct viewer_stream *stream, const struct viewer_index *index,
			struct viewer *viewer, struct diag *diag)
{
	const uint64_t bytes = index->packet_bits / 8;
	int err;

	if (!bytes || index->packet_bits % 8 || index->offset > UINT64_MAX - bytes)
		return diag_set(diag, -EBADMSG,
				"%s: the relay tells of a packet of %" PRIu64
				" bits at offset %" PRIu64,
				stream->input->name, index->packet_bits, index->offset);
	if (bytes > VIEWER_PACKET_MAX_BYTES)
		return diag_set(diag, -E2BIG,
				"%s: the relay tells of a packet of %" PRIu64 " bytes",
				stream->input->name, bytes);
	stream->packet_at = index->offset;
	stream->packet_bytes = bytes;
	stream->packet_asked = stream->packet_got = 0;
	stream->packet_failed = stream->packet_again = false;
	stream->packet_end = index->end;
	stream->stream_class = index->stream_class;
	err = ask_packet(stream, viewer);
	if (!err && !has_enough(stream))
		err = ask_index(stream, viewer);
	return err ? diag_set(diag, err, "no memory") : 0;
}

static int take_ok(struct viewer_stream *stream, const struct viewer_index *index,
		   struct viewer *viewer, struct diag *diag)
{
	if (!stream->packet_bytes)
		return begin_packet(stream, index, viewer, diag);
	stream->next = *index;
	stream->has_next = true;
	stream->asked = true; /* as it were, until that one has its turn */
	return 0;
}

int viewer_stream_take_index(struct viewer_stream *stream, const struct viewer_reply *reply,
			     struct viewer *viewer, uint64_t retry_ns, struct diag *diag)
{
	struct viewer_index index;
	int err = 0;

	viewer_unpack_index(reply->data, &index);
	stream->asked = false;
	stream->ask_ns = 0;
	stream->behind = index.status == LIVE_INDEX_OK;
	switch (index.status) {
	case LIVE_INDEX_OK:
		err = take_ok(stream, &index, viewer, diag);
		break;
	case LIVE_INDEX_INACTIVE:
		know(stream, index.end);
		show_if_settled(stream);
		stream->ask_ns = retry_ns;
		break;
	case LIVE_INDEX_RETRY:
		stream->ask_ns = retry_ns;
		break;
	case LIVE_INDEX_HUP:
	case LIVE_INDEX_ERROR:
	case LIVE_INDEX_EOF:
		stream->ended = true;
		break;
	default:
		err = diag_set(diag, -EBADMSG,
			       "%s: the relay answers with status %" PRIu32 ", which there is not",
			       stream->input->name, index.status);
	}
	return err ?: (int)(index.flags & (LIVE_FLAG_NEW_METADATA | LIVE_FLAG_NEW_STREAMS));
}

static int end_packet(struct viewer_stream *stream, struct viewer *viewer, struct diag *diag)
{
	stream->packet_bytes = stream->packet_got = 0;
	if (stream->packet_failed)
		viewer_input_drop(stream->input);
	else
		viewer_input_end_packet(stream->input);
	know(stream, stream->packet_end);
	show_if_settled(stream);
	if (!stream->has_next)
		return 0;
	stream->has_next = stream->asked = false;
	return begin_packet(stream, &stream->next, viewer, diag);
}

/* The relay does not give a piece of the packet: the wants. */
static int take_refusal(struct viewer_stream *stream, const struct viewer_head *head,
			uint32_t relay_minor)
{
	const bool flagged = relay_minor <= MINOR_PACKET_FLAGS && head->flags;

	stream->packet_failed = true;
	stream->packet_again = head->status == LIVE_PACKET_RETRY ||
			       (head->status == LIVE_PACKET_ERROR && flagged);
	if (stream->packet_again)
		return (int)(head->flags & (LIVE_FLAG_NEW_METADATA | LIVE_FLAG_NEW_STREAMS));
	if (head->status == LIVE_PACKET_ERROR && relay_minor > MINOR_PACKET_FLAGS &&
	    relay_minor <= MINOR_PACKET_JUNK)
		return VIEWER_WANT_ANEW;
	return VIEWER_WANT_PACKET;
}

int viewer_stream_take_packet(struct viewer_stream *stream, const struct viewer_reply *reply,
			      struct viewer *viewer, uint64_t retry_ns, struct diag *diag)
{
	struct viewer_head head;
	int want = 0, err;

	viewer_unpack_head(LIVE_GET_PACKET, reply->data, &head);
	stream->packet_got += reply->request.bytes;
	if (head.status != LIVE_PACKET_OK) {
		want = take_refusal(stream, &head, viewer_relay_minor(viewer));
	} else if (!stream->packet_failed) {
		err = viewer_input_append(stream->input, head.bytes, (size_t)head.count);
		if (err)
			return diag_set(diag, err, "%s: a packet cannot be kept: %s",
					stream->input->name, strerror(-err));
	}
	if (stream->packet_got < stream->packet_bytes)
		return want;
	if (!stream->packet_again)
		return end_packet(stream, viewer, diag) ?: want;
	viewer_input_drop(stream->input);
	stream->packet_asked = stream->packet_got = 0;
	stream->packet_failed = stream->packet_again = false;
	stream->ask_ns = retry_ns;
	return want;
}

bool viewer_stream_is_awaited(const struct viewer_stream *stream)
{
	return stream->tells_symbols && stream->behind && !stream->ended && !has_enough(stream) &&
	       !stream->trace->orphan;
}

void viewer_stream_break(struct viewer_stream *stream)
{
	viewer_input_drop(stream->input);
	stream->packet_bytes = stream->packet_got = 0;
	stream->asked = stream->has_next = false;
}

void viewer_stream_inherit(struct viewer_stream *stream, struct viewer_stream *old)
{
	struct stream_input *input = stream->input;

	stream->input = old->input;
	stream->reader = old->reader;
	stream->known_ns = old->known_ns;
	stream->until_ns = old->until_ns;
	old->input = input;
	old->reader = NULL;
}
