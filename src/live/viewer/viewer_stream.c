// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/escape.h"
#include "ctf/trace_class.h"
#include "live/viewer/viewer.h"
#include "live/viewer/viewer_input.h"
#include "live/viewer/viewer_trace.h"
#include "trace/end_file.h"
#include "trace/stream_input.h"

/* A stream of which so much is waiting to be read is not asked for more. */
#define AHEAD_BYTES (256u << 10)
#define NOTES_AHEAD_BYTES (64u << 20) /* of one that others wait for */
/* From 2.6 to 2.12 bytes that the head does not count may follow a refusal without flags. */
#define MINOR_PACKET_JUNK_MIN 6u
#define MINOR_PACKET_JUNK_MAX 12u
/* So often a packet is asked for again; as the relay is given time in between, 1 to 10 s. */
#define REFUSALS_MAX 100u

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
		stream->is_end_file = !strcmp(stream->channel, END_FILE_NAME);
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
	       (stream->tells_symbols || stream->is_end_file ? NOTES_AHEAD_BYTES : AHEAD_BYTES);
}

/* The next piece of the packet. */
static int ask_piece(struct viewer_stream *stream, struct viewer *viewer)
{
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
	stream->pieces_due++;
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

/* The packet, or what is left of it, and, where that is not much, the index behind it. */
static int ask_packet(struct viewer_stream *stream, struct viewer *viewer)
{
	int err;

	do
		err = ask_piece(stream, viewer);
	while (!err && !stream->stepwise && stream->packet_asked < stream->packet_bytes);
	if (err || stream->stepwise || viewer_is_one_at_a_time(viewer) || stream->asked ||
	    stream->ended || has_enough(stream))
		return err;
	return ask_index(stream, viewer);
}

uint64_t viewer_stream_due(const struct viewer_stream *stream)
{
	if (stream->trace->orphan || !viewer_trace_class(stream->trace) ||
	    !viewer_trace_is_settled(stream->trace))
		return UINT64_MAX;
	if (stream->packet_bytes)
		return stream->pieces_due ? UINT64_MAX : stream->ask_ns;
	if (stream->ended || stream->asked)
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

/* From here on the packet of @index is asked for. */
static int begin_packet(struct viewer_stream *stream, const struct viewer_index *index,
			struct diag *diag)
{
	const uint64_t bytes = index->packet_bits / 8;

	if (!bytes || index->packet_bits % 8 || index->offset > UINT64_MAX - bytes)
		return diag_set(diag, -EBADMSG,
				"%s: the relay announces a packet of %" PRIu64
				" bits at offset %" PRIu64,
				stream->input->name, index->packet_bits, index->offset);
	if (bytes > VIEWER_PACKET_MAX_BYTES)
		return diag_set(diag, -E2BIG,
				"%s: the relay announces a packet of %" PRIu64 " bytes",
				stream->input->name, bytes);
	stream->packet_at = index->offset;
	stream->packet_bytes = bytes;
	stream->packet_asked = stream->packet_got = 0;
	stream->refusals = 0;
	stream->packet_failed = stream->packet_again = false;
	stream->packet_end = index->end;
	stream->stream_class = index->stream_class;
	viewer_trace_need(stream->trace, index->stream_class);
	return 0;
}

static int take_ok(struct viewer_stream *stream, const struct viewer_index *index,
		   struct diag *diag)
{
	if (!stream->packet_bytes)
		return begin_packet(stream, index, diag);
	stream->next = *index;
	stream->has_next = true;
	stream->asked = true; /* as it were, until that one has its turn */
	return 0;
}

int viewer_stream_take_index(struct viewer_stream *stream, const struct viewer_reply *reply,
			     uint64_t retry_ns, struct diag *diag)
{
	struct viewer_index index;
	int err = 0;

	viewer_unpack_index(reply->data, &index);
	stream->asked = false;
	stream->ask_ns = 0;
	stream->behind = index.status == LIVE_INDEX_OK;
	switch (index.status) {
	case LIVE_INDEX_OK:
		err = take_ok(stream, &index, diag);
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

static int end_packet(struct viewer_stream *stream, struct diag *diag)
{
	stream->packet_bytes = stream->packet_asked = stream->packet_got = 0;
	if (stream->packet_failed)
		viewer_input_drop(stream->input);
	else
		viewer_input_end_packet(stream->input);
	know(stream, stream->packet_end);
	show_if_settled(stream);
	if (!stream->has_next)
		return 0;
	stream->has_next = stream->asked = false;
	return begin_packet(stream, &stream->next, diag);
}

/* The relay does not give a piece of the packet: the wants. With flags, it does once these were followed. */
static int take_refusal(struct viewer_stream *stream, const struct viewer_head *head,
			uint32_t relay_minor)
{
	const uint32_t flags = head->flags & (LIVE_FLAG_NEW_METADATA | LIVE_FLAG_NEW_STREAMS);
	const bool later = head->status == LIVE_PACKET_RETRY ||
			   (head->status == LIVE_PACKET_ERROR && flags);

	stream->packet_failed = true;
	stream->packet_again = later && stream->refusals++ < REFUSALS_MAX;
	if (later)
		return (int)flags | (stream->packet_again ? 0 : VIEWER_WANT_PACKET);
	if (head->status == LIVE_PACKET_ERROR && relay_minor >= MINOR_PACKET_JUNK_MIN &&
	    relay_minor <= MINOR_PACKET_JUNK_MAX)
		return VIEWER_WANT_ANEW;
	return VIEWER_WANT_PACKET;
}

/* What is behind a piece that was shorter than asked for is asked for again. */
static int take_piece(struct viewer_stream *stream, const struct viewer_request *request,
		      const struct viewer_head *head, struct diag *diag)
{
	int err;

	if (!head->count)
		return diag_set(diag, -EBADMSG,
				"%s: the relay answers with 0 bytes of a packet where %" PRIu32
				" were asked for",
				stream->input->name, request->bytes);
	if (stream->packet_failed || request->offset != stream->packet_at + stream->packet_got)
		return 0;
	stream->stepwise |= head->count < request->bytes;
	err = viewer_input_append(stream->input, head->bytes, (size_t)head->count);
	if (err)
		return diag_set(diag, err, "%s: a packet cannot be kept: %s", stream->input->name,
				strerror(-err));
	stream->packet_got += head->count;
	return 0;
}

int viewer_stream_take_packet(struct viewer_stream *stream, const struct viewer_reply *reply,
			      uint32_t relay_minor, uint64_t retry_ns, struct diag *diag)
{
	struct viewer_head head;
	int want = 0, err = 0;

	viewer_unpack_head(LIVE_GET_PACKET, reply->data, &head);
	stream->pieces_due--;
	if (head.status != LIVE_PACKET_OK)
		want = take_refusal(stream, &head, relay_minor);
	else
		err = take_piece(stream, &reply->request, &head, diag);
	if (err)
		return err;
	if (stream->pieces_due)
		return want;
	if (stream->packet_again) {
		viewer_input_drop(stream->input);
		stream->packet_got = 0;
		stream->packet_failed = stream->packet_again = false;
		stream->ask_ns = retry_ns;
	} else if (stream->packet_failed || stream->packet_got == stream->packet_bytes) {
		return end_packet(stream, diag) ?: want;
	}
	stream->packet_asked = stream->packet_got;
	return want;
}

bool viewer_stream_is_pending(const struct viewer_stream *stream)
{
	return !stream->trace->orphan &&
	       (stream->packet_bytes || !viewer_input_is_shown(stream->input));
}

bool viewer_stream_is_awaited(const struct viewer_stream *stream)
{
	return stream->tells_symbols && stream->behind && !stream->ended && !has_enough(stream) &&
	       !stream->trace->orphan;
}

void viewer_stream_break(struct viewer_stream *stream)
{
	viewer_input_drop(stream->input);
	stream->packet_bytes = stream->packet_asked = stream->packet_got = 0;
	stream->pieces_due = 0;
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
