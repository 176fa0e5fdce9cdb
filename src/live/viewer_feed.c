// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer_feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "live/live_url.h"
#include "live/viewer.h"
#include "live/viewer_input.h"
#include "live/viewer_list.h"
#include "live/viewer_stream.h"
#include "live/viewer_trace.h"
#include "schema/problem_list.h"
#include "trace/merge.h"
#include "trace/stream_input.h"
#include "trace/stream_reader.h"
#include "trace/symbol_notes.h"

#define FEED_STREAMS_MAX 65536u /* of all sessions, those that have ended among them */
#define WINDOW_BYTES (64u << 10)
/* How long until a relay that had nothing is asked again: a tenth of its timer, within these. */
#define RETRY_MIN_NS (10 * NS_PER_MS)
#define RETRY_MAX_NS (100 * NS_PER_MS)

/* One of the relay's: a domain of what people call a session. */
struct feed_session {
	uint64_t id;
	uint64_t retry_ns;
	bool asked; /* for new streams */
	bool wanted; /* the relay says that there are some */
	bool over;
	bool detached;
	uint64_t ask_ns;
};

struct viewer_feed {
	struct viewer_feed_config config;
	struct viewer *viewer; /* NULL: there is no connection */
	struct feed_session *sessions;
	size_t session_count;
	struct viewer_trace **traces; /* those that are described come first */
	size_t trace_count;
	size_t described;
	struct viewer_stream **streams;
	size_t stream_count;
	int64_t until_ns;
	bool anew; /* the connection is of no more use */
};

struct viewer_feed *viewer_feed_new(const struct viewer_feed_config *config)
{
	struct viewer_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->config = *config;
	feed->until_ns = INT64_MIN;
	return feed;
}

void viewer_feed_free(struct viewer_feed *feed)
{
	if (!feed)
		return;
	for (size_t i = 0; i < feed->stream_count; i++)
		viewer_stream_free(feed->streams[i]);
	for (size_t i = 0; i < feed->trace_count; i++)
		viewer_trace_free(feed->traces[i]);
	free(feed->streams);
	free(feed->traces);
	free(feed->sessions);
	free(feed);
}

struct viewer_trace *viewer_feed_trace(const struct viewer_feed *feed, size_t i)
{
	return i < feed->described ? feed->traces[i] : NULL;
}

static struct feed_session *find_session(const struct viewer_feed *feed, uint64_t id)
{
	for (size_t i = 0; i < feed->session_count; i++) {
		if (feed->sessions[i].id == id)
			return &feed->sessions[i];
	}
	return NULL;
}

static uint64_t retry_at(const struct viewer_feed *feed, uint64_t session, uint64_t now_ns)
{
	const struct feed_session *found = find_session(feed, session);

	return now_ns + (found ? found->retry_ns : RETRY_MAX_NS);
}

/* The one of this connection, made where it was not there; NULL = no memory. */
static struct viewer_trace *get_trace(struct viewer_feed *feed, uint64_t id, uint64_t session)
{
	struct viewer_trace **traces, *trace;

	for (size_t i = 0; i < feed->trace_count; i++) {
		trace = feed->traces[i];
		if (trace->id == id && trace->session == session && !trace->orphan)
			return trace;
	}
	traces = realloc(feed->traces, (feed->trace_count + 1) * sizeof(*traces));
	if (!traces)
		return NULL;
	feed->traces = traces;
	trace = viewer_trace_new(id, session);
	if (trace)
		traces[feed->trace_count++] = trace;
	return trace;
}

static bool is_known(const struct viewer_feed *feed, uint64_t id)
{
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->id == id && !feed->streams[i]->trace->orphan)
			return true;
	}
	return false;
}

static int add_stream(struct viewer_feed *feed, struct viewer_trace *trace,
		      const struct viewer_stream_entry *entry, struct diag *diag)
{
	struct viewer_stream **streams, *stream = NULL;
	int err;

	if (feed->stream_count == FEED_STREAMS_MAX)
		return diag_set(diag, -E2BIG, "the session has more than %u streams",
				FEED_STREAMS_MAX);
	streams = realloc(feed->streams, (feed->stream_count + 1) * sizeof(*streams));
	if (!streams)
		return diag_set(diag, -ENOMEM, "no memory");
	feed->streams = streams;
	err = viewer_stream_new(trace, entry, feed->config.keep, &stream);
	if (err)
		return diag_set(diag, err, "what is received cannot be kept: %s", strerror(-err));
	streams[feed->stream_count++] = stream;
	return 0;
}

static int take_entry(struct viewer_feed *feed, uint64_t session,
		      const struct viewer_stream_entry *entry, struct diag *diag)
{
	struct viewer_trace *trace = get_trace(feed, entry->trace, session);

	if (!trace)
		return diag_set(diag, -ENOMEM, "no memory");
	if (!entry->is_metadata)
		return is_known(feed, entry->id) ? 0 : add_stream(feed, trace, entry, diag);
	if (!trace->has_metadata) {
		trace->has_metadata = true;
		trace->metadata_id = entry->id;
	}
	return 0;
}

static void end_streams(struct viewer_feed *feed, const struct viewer_trace *trace)
{
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->trace == trace)
			feed->streams[i]->ended = true;
	}
}

/* A relay tells of a trace only with all that belongs to it. */
static void end_undescribed(struct viewer_feed *feed, struct viewer_trace *trace)
{
	problem_list_add(feed->config.problems,
			 "the relay tells of trace %" PRIu64 " without a stream of metadata",
			 trace->id);
	trace->closed = true;
	end_streams(feed, trace);
}

static int take_entries(struct viewer_feed *feed, uint64_t session, const struct viewer_head *head,
			struct diag *diag)
{
	struct viewer_stream_entry entry;
	int err = 0;

	for (size_t i = 0; i < head->count && !err; i++) {
		viewer_unpack_stream(head->bytes, i, &entry);
		err = take_entry(feed, session, &entry, diag);
	}
	for (size_t i = 0; i < feed->trace_count && !err; i++) {
		if (!feed->traces[i]->has_metadata && !feed->traces[i]->closed)
			end_undescribed(feed, feed->traces[i]);
	}
	return err;
}

/* Traces that nobody goes on with have no more to come, once it is known that nobody will. */
static void end_orphans(struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->trace_count; i++) {
		const struct viewer_trace *trace = feed->traces[i];

		if (!trace->orphan && !trace->closed && !viewer_trace_class(trace))
			return; /* it may still turn out to be one of them */
	}
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->trace->orphan)
			feed->streams[i]->ended = true;
	}
}

static int fail_attach(uint32_t status, const struct live_url *url, struct diag *diag)
{
	switch (status) {
	case LIVE_ATTACH_ALREADY:
		return diag_set(
			diag, -EBUSY,
			"another viewer is attached to session '%s', and this relay lets in one at a time",
			url->session);
	case LIVE_ATTACH_UNKNOWN:
		return diag_set(diag, -ENOENT, "the relay does not know session '%s' any more",
				url->session);
	case LIVE_ATTACH_NOT_LIVE:
		return diag_set(diag, -ENOTSUP,
				"session '%s' is not live: it was created without --live",
				url->session);
	default:
		return diag_set(diag, -EPROTO,
				"the relay refuses session '%s' with status %" PRIu32, url->session,
				status);
	}
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int add_session(struct viewer_feed *feed, const struct viewer_session *session)
{
	struct feed_session *sessions;
	uint64_t retry_ns = (uint64_t)session->timer_us * NS_PER_US / 10;

	sessions = realloc(feed->sessions, (feed->session_count + 1) * sizeof(*sessions));
	if (!sessions)
		return -ENOMEM;
	feed->sessions = sessions;
	if (retry_ns < RETRY_MIN_NS)
		retry_ns = RETRY_MIN_NS;
	sessions[feed->session_count++] = (struct feed_session){
		.id = session->id,
		.retry_ns = feed->config.retry_ns ?: smaller(retry_ns, RETRY_MAX_NS),
	};
	return 0;
}

static int attach_one(struct viewer_feed *feed, const struct viewer_session *session,
		      const struct live_url *url, uint32_t seek, struct diag *diag)
{
	const struct viewer_request request = {
		.command = LIVE_ATTACH_SESSION,
		.handle = session->id,
		.seek = seek,
	};
	struct viewer_reply reply;
	struct viewer_head head;
	int err = viewer_call(feed->viewer, &request, &reply, diag);

	if (err)
		return err;
	viewer_unpack_head(LIVE_ATTACH_SESSION, reply.data, &head);
	if (head.status != LIVE_ATTACH_OK)
		return fail_attach(head.status, url, diag);
	if (add_session(feed, session))
		return diag_set(diag, -ENOMEM, "no memory");
	return take_entries(feed, session->id, &head, diag);
}

static int create(struct viewer *viewer, struct diag *diag)
{
	const struct viewer_request request = {.command = LIVE_CREATE_SESSION};
	struct viewer_reply reply;
	struct viewer_head head;
	int err = viewer_call(viewer, &request, &reply, diag);

	if (err)
		return err;
	viewer_unpack_head(LIVE_CREATE_SESSION, reply.data, &head);
	if (head.status != LIVE_CREATE_OK)
		return diag_set(diag, -EPROTO,
				"the relay refuses a viewer session, with status %" PRIu32,
				head.status);
	return 0;
}

int viewer_feed_attach(struct viewer_feed *feed, struct viewer *viewer, const struct live_url *url,
		       uint32_t seek, struct diag *diag)
{
	struct viewer_list list = {0};
	bool found = false;
	int err = create(viewer, diag);

	feed->viewer = viewer;
	feed->session_count = 0;
	feed->anew = false;
	err = err ?: viewer_list_get(&list, viewer, diag);
	for (size_t i = 0; i < list.count && !err; i++) {
		if (!viewer_session_is(&list.sessions[i], url))
			continue;
		found = true;
		err = attach_one(feed, &list.sessions[i], url, seek, diag);
	}
	if (!err && !found)
		err = viewer_list_fail(&list, url, diag);
	viewer_list_fini(&list);
	if (err)
		feed->viewer = NULL;
	else
		end_orphans(feed);
	return err;
}

void viewer_feed_break(struct viewer_feed *feed)
{
	feed->viewer = NULL;
	for (size_t i = 0; i < feed->stream_count; i++)
		viewer_stream_break(feed->streams[i]);
	for (size_t i = 0; i < feed->trace_count; i++)
		viewer_trace_break(feed->traces[i]);
}

void viewer_feed_detach(struct viewer_feed *feed)
{
	struct viewer_request request = {.command = LIVE_DETACH_SESSION};
	struct viewer_reply reply;

	if (!feed->viewer || viewer_due(feed->viewer) ||
	    viewer_minor(feed->viewer) < LIVE_MINOR_DETACH)
		return;
	for (size_t i = 0; i < feed->session_count; i++) {
		request.handle = feed->sessions[i].id;
		if (feed->sessions[i].detached)
			return;
		feed->sessions[i].detached = true;
		if (viewer_ask(feed->viewer, &request))
			return;
	}
	(void)viewer_next(feed->viewer, 0, &reply, NULL); /* sends */
}

/* New streams are asked for in each round, in front of the indexes: what these tell is true of all streams then.
 * Relays up to 2.13 tell of new ones only with packets, which idle streams do not have. */
static int ask_sessions(struct viewer_feed *feed, uint64_t now_ns)
{
	int err = 0;

	for (size_t i = 0; i < feed->session_count && !err; i++) {
		struct feed_session *session = &feed->sessions[i];
		const struct viewer_request request = {
			.command = LIVE_GET_NEW_STREAMS,
			.handle = session->id,
		};

		if (session->over || session->asked ||
		    (!session->wanted && session->ask_ns > now_ns))
			continue;
		session->asked = true;
		err = viewer_ask(feed->viewer, &request);
	}
	return err;
}

static int ask_all(struct viewer_feed *feed, uint64_t now_ns)
{
	int err = ask_sessions(feed, now_ns);

	for (size_t i = 0; i < feed->trace_count && !err; i++)
		err = viewer_trace_ask(feed->traces[i], feed->viewer, now_ns);
	for (size_t i = 0; i < feed->stream_count && !err; i++)
		err = viewer_stream_ask(feed->streams[i], feed->viewer, now_ns);
	return err;
}

/* When there will be something to ask. */
static uint64_t next_due(const struct viewer_feed *feed)
{
	uint64_t due = UINT64_MAX, at;

	for (size_t i = 0; i < feed->session_count; i++) {
		const struct feed_session *session = &feed->sessions[i];

		if (!session->over && !session->asked && session->ask_ns < due)
			due = session->ask_ns;
	}
	for (size_t i = 0; i < feed->trace_count; i++) {
		at = viewer_trace_due(feed->traces[i]);
		due = at < due ? at : due;
	}
	for (size_t i = 0; i < feed->stream_count; i++) {
		at = viewer_stream_due(feed->streams[i]);
		due = at < due ? at : due;
	}
	return due;
}

/* What was received of the trace's streams can be decoded, now or behind a renewal. */
static void show_streams(struct viewer_feed *feed, const struct viewer_trace *trace)
{
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->trace == trace)
			viewer_stream_show(feed->streams[i]);
	}
}

static struct viewer_stream *find_heir(const struct viewer_feed *feed,
				       const struct viewer_trace *trace, const char *channel)
{
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->trace == trace && !strcmp(feed->streams[i]->channel, channel))
			return feed->streams[i];
	}
	return NULL;
}

static size_t place_of(const struct viewer_feed *feed, const struct viewer_trace *trace)
{
	size_t i = 0;

	while (feed->traces[i] != trace)
		i++;
	return i;
}

/* @trace takes the place of @old, and so do its streams, as far as they are the same. */
static void inherit(struct viewer_feed *feed, struct viewer_trace *trace, struct viewer_trace *old)
{
	const size_t at = place_of(feed, trace), old_at = place_of(feed, old);

	viewer_trace_inherit(trace, old);
	for (size_t i = 0; i < feed->stream_count; i++) {
		struct viewer_stream *stream = feed->streams[i];
		struct viewer_stream *heir;

		if (stream->trace != old || !stream->reader)
			continue;
		heir = find_heir(feed, trace, stream->channel);
		if (heir && !heir->reader)
			viewer_stream_inherit(heir, stream);
		else
			stream->trace = trace; /* its classes are there now */
		stream->ended = true;
	}
	feed->traces[old_at] = trace;
	feed->traces[at] = old;
}

/* Once what a new trace says is known, it may be one that was attached before. */
static void find_old(struct viewer_feed *feed, struct viewer_trace *trace)
{
	for (size_t i = 0; i < feed->trace_count; i++) {
		if (!viewer_trace_continues(trace, feed->traces[i]) || viewer_trace_used(trace))
			continue;
		inherit(feed, trace, feed->traces[i]);
		break;
	}
	end_orphans(feed);
}

static int take_metadata(struct viewer_feed *feed, const struct viewer_reply *reply,
			 uint64_t now_ns, struct diag *diag)
{
	struct viewer_trace *trace = reply->request.about;
	int got = viewer_trace_take(trace, reply, retry_at(feed, trace->session, now_ns), diag);

	if (got == -ENOMEM)
		return got;
	if (got < 0)
		problem_list_add(feed->config.problems, "%s", diag->text);
	if (got > 0 && viewer_trace_class(trace))
		find_old(feed, trace);
	if (trace->closed && !viewer_trace_class(trace))
		end_streams(feed, trace);
	if (trace->closed)
		end_orphans(feed);
	if (got)
		show_streams(feed, trace);
	return 0;
}

static int take_new_streams(struct viewer_feed *feed, const struct viewer_reply *reply,
			    uint64_t now_ns, struct diag *diag)
{
	struct feed_session *session = find_session(feed, reply->request.handle);
	struct viewer_head head;

	viewer_unpack_head(LIVE_GET_NEW_STREAMS, reply->data, &head);
	session->asked = session->wanted = false;
	session->ask_ns = now_ns + session->retry_ns;
	switch (head.status) {
	case LIVE_STREAMS_OK:
	case LIVE_STREAMS_NO_NEW:
		return take_entries(feed, session->id, &head, diag);
	case LIVE_STREAMS_ERROR:
	case LIVE_STREAMS_HUP:
		session->over = true;
		for (size_t i = 0; i < feed->stream_count; i++) {
			if (feed->streams[i]->trace->session == session->id &&
			    !feed->streams[i]->trace->orphan)
				feed->streams[i]->ended = true;
		}
		return 0;
	default:
		return diag_set(diag, -EBADMSG,
				"the relay answers for new streams with status %" PRIu32
				", which there is not",
				head.status);
	}
}

static void want(struct viewer_feed *feed, const struct viewer_stream *stream, int wants)
{
	struct feed_session *session = find_session(feed, stream->trace->session);

	if ((wants & VIEWER_WANT_METADATA) && !stream->trace->closed) {
		stream->trace->wanted = true;
		stream->trace->ask_ns = 0;
	}
	if ((wants & VIEWER_WANT_STREAMS) && session)
		session->wanted = true;
	if (wants & VIEWER_WANT_PACKET)
		problem_list_add(feed->config.problems,
				 "%s: the relay does not have a packet any more that it told of",
				 stream->input->name);
	feed->anew |= wants & VIEWER_WANT_ANEW;
}

/* What addresses mean stands behind the events that have them, so it is looked up before its turn. Packets of such
 * notes are small: one piece. */
static int take_symbols(const struct viewer_feed *feed, struct viewer_stream *stream,
			const struct viewer_reply *reply)
{
	struct viewer_head head;
	int got;

	viewer_unpack_head(LIVE_GET_PACKET, reply->data, &head);
	if (!feed->config.symbols || !head.count || head.count != stream->packet_bytes)
		return 0;
	got = symbol_notes_packet(viewer_trace_class(stream->trace), head.bytes, (size_t)head.count,
				  feed->config.symbols);
	stream->tells_symbols |= got > 0;
	return got < 0 ? got : 0;
}

static int take_reply(struct viewer_feed *feed, const struct viewer_reply *reply, struct diag *diag)
{
	const uint64_t now_ns = clock_monotonic_ns();
	struct viewer_stream *stream = reply->request.about;
	int got;

	switch (reply->request.command) {
	case LIVE_GET_METADATA:
		return take_metadata(feed, reply, now_ns, diag);
	case LIVE_GET_NEW_STREAMS:
		return take_new_streams(feed, reply, now_ns, diag);
	case LIVE_GET_NEXT_INDEX:
		got = viewer_stream_take_index(stream, reply, feed->viewer,
					       retry_at(feed, stream->trace->session, now_ns),
					       diag);
		break;
	default: /* LIVE_GET_PACKET */
		if (take_symbols(feed, stream, reply))
			return diag_set(diag, -ENOMEM, "no memory");
		got = viewer_stream_take_packet(stream, reply, feed->viewer,
						retry_at(feed, stream->trace->session, now_ns),
						diag);
	}
	if (got < 0)
		return got;
	want(feed, stream, got);
	return 0;
}

static int pause_until(uint64_t due_ns, uint64_t now_ns, uint64_t timeout_ns)
{
	uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
	struct timespec pause;

	wait_ns = wait_ns < timeout_ns ? wait_ns : timeout_ns;
	pause = (struct timespec){(time_t)(wait_ns / NS_PER_SEC), (long)(wait_ns % NS_PER_SEC)};
	return wait_ns && nanosleep(&pause, NULL) ? -EINTR : 0;
}

int viewer_feed_step(struct viewer_feed *feed, uint64_t timeout_ns, struct diag *diag)
{
	const uint64_t now_ns = clock_monotonic_ns();
	struct viewer_reply reply;
	int got;

	if (ask_all(feed, now_ns))
		return diag_set(diag, -ENOMEM, "no memory");
	if (!viewer_due(feed->viewer))
		return pause_until(next_due(feed), now_ns, timeout_ns);
	while ((got = viewer_next(feed->viewer, timeout_ns, &reply, diag)) > 0) {
		got = take_reply(feed, &reply, diag);
		if (got)
			return got;
		if (feed->anew)
			return diag_set(
				diag, -ECONNRESET,
				"the relay has refused a packet, behind which its replies are not to be trusted");
		timeout_ns = 0;
	}
	return got == -EAGAIN ? 0 : got;
}

bool viewer_feed_has_grown(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->trace_count; i++) {
		if (feed->traces[i]->next)
			return true;
	}
	return false;
}

int viewer_feed_describe(struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->trace_count; i++) {
		struct viewer_trace *trace = feed->traces[i];

		if (viewer_trace_renew(trace))
			return -ENOMEM;
		if (i < feed->described || !viewer_trace_used(trace))
			continue;
		feed->traces[i] = feed->traces[feed->described];
		feed->traces[feed->described++] = trace;
	}
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->reader)
			stream_reader_renew(feed->streams[i]->reader,
					    viewer_trace_used(feed->streams[i]->trace));
	}
	return 0;
}

/* The reader has the input from here on, even where it cannot be made. */
static int open_stream(struct viewer_feed *feed, struct viewer_stream *stream,
		       struct stream_input *input, struct merge *merge)
{
	stream->input = NULL;
	stream->reader = stream_reader_new(input, viewer_trace_used(stream->trace), WINDOW_BYTES,
					   feed->config.problems);
	if (stream->reader && merge_add(merge, stream->reader))
		stream->reader = NULL;
	if (!stream->reader)
		return -ENOMEM;
	stream->input = input;
	return 0;
}

int viewer_feed_open(struct viewer_feed *feed, struct merge *merge)
{
	int err = 0;

	for (size_t i = 0; i < feed->stream_count && !err; i++) {
		struct viewer_stream *stream = feed->streams[i];

		if (stream->input && !stream->reader && viewer_trace_used(stream->trace))
			err = open_stream(feed, stream, stream->input, merge);
	}
	return err;
}

int viewer_feed_rewind(struct viewer_feed *feed, struct merge *merge)
{
	struct stream_input *input;
	int err = 0;

	for (size_t i = 0; i < feed->stream_count && !err; i++) {
		struct viewer_stream *stream = feed->streams[i];

		if (!stream->reader)
			continue;
		err = viewer_input_again(stream->input, &input);
		err = err ?: open_stream(feed, stream, input, merge);
	}
	return err;
}

static bool waits_for_packets(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->stream_count; i++) {
		if (feed->streams[i]->packet_bytes && !feed->streams[i]->trace->orphan)
			return true;
	}
	return false;
}

static bool waits_for_metadata(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->trace_count; i++) {
		const struct viewer_trace *trace = feed->traces[i];

		if (trace->has_metadata && !trace->orphan && !viewer_trace_is_settled(trace))
			return true;
	}
	return false;
}

bool viewer_feed_is_over(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->session_count; i++) {
		if (!feed->sessions[i].over)
			return false;
	}
	return feed->viewer && !viewer_due(feed->viewer) && !waits_for_packets(feed) &&
	       !waits_for_metadata(feed);
}

int64_t viewer_feed_until(struct viewer_feed *feed)
{
	int64_t until_ns = INT64_MAX;

	for (size_t i = 0; i < feed->session_count; i++) {
		if (feed->sessions[i].wanted && feed->viewer)
			return feed->until_ns; /* what is new may be earlier */
	}
	for (size_t i = 0; i < feed->stream_count; i++) {
		const struct viewer_stream *stream = feed->streams[i];

		if (viewer_stream_is_awaited(stream))
			return feed->until_ns;
		if (!stream->ended && stream->until_ns < until_ns)
			until_ns = stream->until_ns;
	}
	if (until_ns == INT64_MAX) /* nobody has more to come */
		return until_ns;
	if (until_ns > feed->until_ns)
		feed->until_ns = until_ns;
	return feed->until_ns;
}

/* Such a stream is not asked for again, nor in any reply that is due. */
static bool is_done(const struct viewer_stream *stream)
{
	return stream->ended && !stream->asked && !stream->packet_bytes &&
	       !viewer_input_left(stream->input) &&
	       (!stream->reader || stream_reader_state(stream->reader) == STREAM_END);
}

void viewer_feed_drop(struct viewer_feed *feed, struct merge *merge)
{
	size_t kept = 0;

	if (feed->config.keep)
		return;
	for (size_t i = 0; i < feed->stream_count; i++) {
		struct viewer_stream *stream = feed->streams[i];

		if (!is_done(stream)) {
			feed->streams[kept++] = stream;
			continue;
		}
		if (stream->reader)
			merge_drop(merge, stream->reader);
		viewer_stream_free(stream);
	}
	feed->stream_count = kept;
}
