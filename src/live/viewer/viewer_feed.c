// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/diag.h"
#include "ctf/trace_class.h"
#include "live/proto/live_url.h"
#include "live/viewer/viewer.h"
#include "live/viewer/viewer_list.h"
#include "live/viewer/viewer_set.h"
#include "live/viewer/viewer_stream.h"
#include "live/viewer/viewer_trace.h"
#include "schema/trace_info.h"
#include "trace/stream_input.h"
#include "trace/symbol_notes.h"

void viewer_heirs_end(struct viewer_set *set)
{
	for (size_t i = 0; i < set->trace_count; i++) {
		const struct viewer_trace *trace = set->traces[i];

		if (!trace->orphan && !trace->closed && !viewer_trace_class(trace))
			return; /* it may still turn out to be one of them */
	}
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace->orphan)
			set->streams[i]->ended = true;
	}
}

static struct viewer_stream *find_heir(const struct viewer_set *set,
				       const struct viewer_trace *trace, const char *channel)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace == trace && !strcmp(set->streams[i]->channel, channel))
			return set->streams[i];
	}
	return NULL;
}

static size_t place_of(const struct viewer_set *set, const struct viewer_trace *trace)
{
	size_t i = 0;

	while (set->traces[i] != trace)
		i++;
	return i;
}

/* @trace takes the place of @old, and so do its streams, as far as they are the same. */
static void inherit(struct viewer_set *set, struct viewer_trace *trace, struct viewer_trace *old)
{
	const size_t at = place_of(set, trace), old_at = place_of(set, old);

	viewer_trace_inherit(trace, old);
	for (size_t i = 0; i < set->stream_count; i++) {
		struct viewer_stream *stream = set->streams[i];
		struct viewer_stream *heir;

		if (stream->trace != old || !stream->reader)
			continue;
		heir = find_heir(set, trace, stream->channel);
		if (heir && !heir->reader)
			viewer_stream_inherit(heir, stream);
		else
			stream->trace = trace; /* its classes are there now */
		stream->ended = true;
	}
	set->traces[old_at] = trace;
	set->traces[at] = old;
}

void viewer_heirs_find(struct viewer_set *set, struct viewer_trace *trace)
{
	for (size_t i = 0; i < set->trace_count; i++) {
		if (!viewer_trace_continues(trace, set->traces[i]) || viewer_trace_used(trace))
			continue;
		inherit(set, trace, set->traces[i]);
		break;
	}
	viewer_heirs_end(set);
}

/*
 * The begin and the end of a viewer's stay at a relay: which sessions it has, those of them that
 * are wanted, and a word when nothing more is.
 */

#define DETACH_NS \
	(200 *    \
	 NS_PER_MS) /* for the replies: a relay may call a connection that closes before an error */

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

static int attach_one(struct viewer_set *set, struct viewer *viewer,
		      const struct viewer_session *session, const struct live_url *url,
		      uint32_t seek, struct diag *diag)
{
	const struct viewer_request request = {
		.command = LIVE_ATTACH_SESSION,
		.handle = session->id,
		.seek = seek,
	};
	struct viewer_reply reply;
	struct viewer_head head;
	int err = viewer_call(viewer, &request, &reply, diag);

	if (err)
		return err;
	viewer_unpack_head(LIVE_ATTACH_SESSION, reply.data, &head);
	if (head.status != LIVE_ATTACH_OK)
		return fail_attach(head.status, url, diag);
	if (viewer_set_add_session(set, session))
		return diag_set(diag, -ENOMEM, "no memory");
	return viewer_set_take(set, session->id, &head, diag);
}

static int create(struct viewer *viewer, struct diag *diag)
{
	uint32_t status;
	int err = viewer_create_session(viewer, &status, diag);

	if (!err && status != LIVE_CREATE_OK)
		err = diag_set(diag, -EPROTO,
			       "the relay refuses a viewer session, with status %" PRIu32, status);
	return err;
}

/* Attaches all of the name in @url by @viewer, which has greeted. @seek: enum live_seek. Errors as
 * viewer_feed_attach: the set then has some of them. */
static int viewer_attach(struct viewer_set *set, struct viewer *viewer, const struct live_url *url,
			 uint32_t seek, struct diag *diag)
{
	struct viewer_list list = {0};
	bool found = false;
	int err = create(viewer, diag);

	err = err ?: viewer_list_get(&list, viewer, diag);
	for (size_t i = 0; i < list.count && !err; i++) {
		if (!viewer_session_is(&list.sessions[i], url))
			continue;
		found = true;
		err = attach_one(set, viewer, &list.sessions[i], url, seek, diag);
	}
	if (!err && !found)
		err = viewer_list_fail(&list, url, diag);
	viewer_list_fini(&list);
	if (!err)
		viewer_heirs_end(set);
	return err;
}

/* Tells the relay that nothing more is wanted, as far as that can be done at once. */
static void viewer_detach(struct viewer_set *set, struct viewer *viewer)
{
	struct viewer_request request = {.command = LIVE_DETACH_SESSION};
	struct viewer_reply reply;
	struct diag diag;
	uint64_t until_ns, now_ns = clock_monotonic_ns();

	if (viewer_due(viewer) || viewer_minor(viewer) < LIVE_MINOR_DETACH)
		return;
	for (size_t i = 0; i < set->session_count; i++) {
		request.handle = set->sessions[i].id;
		if (set->sessions[i].detached)
			return;
		set->sessions[i].detached = true;
		if (viewer_ask(viewer, &request))
			return;
	}
	for (until_ns = now_ns + DETACH_NS; now_ns < until_ns; now_ns = clock_monotonic_ns()) {
		if (viewer_next(viewer, until_ns - now_ns, &reply, &diag) <= 0)
			return;
	}
}

struct viewer_feed {
	struct viewer_set set;
	struct viewer *viewer; /* NULL: no connection */
	bool anew; /* it is of no more use */
};

struct viewer_feed *viewer_feed_new(const struct viewer_set_config *config)
{
	struct viewer_feed *feed = calloc(1, sizeof(*feed));

	if (feed)
		feed->set = (struct viewer_set){.config = *config, .until_ns = INT64_MIN};
	return feed;
}

void viewer_feed_free(struct viewer_feed *feed)
{
	if (!feed)
		return;
	viewer_set_fini(&feed->set);
	free(feed);
}

struct viewer_set *viewer_feed_set(struct viewer_feed *feed)
{
	return &feed->set;
}

int viewer_feed_attach(struct viewer_feed *feed, struct viewer *viewer, const struct live_url *url,
		       uint32_t seek, struct diag *diag)
{
	int err = viewer_attach(&feed->set, viewer, url, seek, diag);

	feed->viewer = viewer;
	feed->anew = false;
	if (err)
		viewer_feed_break(feed);
	return err;
}

void viewer_feed_break(struct viewer_feed *feed)
{
	feed->viewer = NULL;
	viewer_set_break(&feed->set);
}

void viewer_feed_detach(struct viewer_feed *feed)
{
	if (feed->viewer)
		viewer_detach(&feed->set, feed->viewer);
}

/* New streams are asked for in each round, in front of the indexes: what these tell is true of all streams then.
 * Relays up to 2.13 tell of new ones only with packets, which idle streams do not have. */
static int ask_sessions(struct viewer_feed *feed, uint64_t now_ns)
{
	int err = 0;

	for (size_t i = 0; i < feed->set.session_count && !err; i++) {
		struct viewer_attached *session = &feed->set.sessions[i];
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

	for (size_t i = 0; i < feed->set.trace_count && !err; i++)
		err = viewer_trace_ask(feed->set.traces[i], feed->viewer, now_ns);
	for (size_t i = 0; i < feed->set.stream_count && !err; i++)
		err = viewer_stream_ask(feed->set.streams[i], feed->viewer, now_ns);
	return err;
}

/* When there will be something to ask. */
static uint64_t next_due(const struct viewer_feed *feed)
{
	uint64_t due = UINT64_MAX, at;

	for (size_t i = 0; i < feed->set.session_count; i++) {
		const struct viewer_attached *session = &feed->set.sessions[i];

		if (!session->over && !session->asked && session->ask_ns < due)
			due = session->ask_ns;
	}
	for (size_t i = 0; i < feed->set.trace_count; i++) {
		at = viewer_trace_due(feed->set.traces[i]);
		due = at < due ? at : due;
	}
	for (size_t i = 0; i < feed->set.stream_count; i++) {
		at = viewer_stream_due(feed->set.streams[i]);
		due = at < due ? at : due;
	}
	return due;
}

/* A batch of metadata is complete; @old was in use before. Reports what is missing, or waits for it. */
static void check_metadata(struct viewer_feed *feed, struct viewer_trace *trace,
			   const struct ctf_trace_class *old)
{
	const struct ctf_trace_class *class = viewer_trace_class(trace);

	if (class != old && class->cut)
		problem_list_add(feed->set.config.problems, "metadata: it breaks off: %s",
				 class->cut_text);
	for (size_t i = 0; i < feed->set.stream_count; i++) {
		const struct viewer_stream *stream = feed->set.streams[i];

		if (stream->trace == trace && stream->packet_bytes)
			viewer_trace_need(trace, stream->stream_class);
	}
}

static int take_metadata(struct viewer_feed *feed, const struct viewer_reply *reply,
			 uint64_t now_ns, struct diag *diag)
{
	struct viewer_trace *trace = reply->request.about;
	const struct ctf_trace_class *old = viewer_trace_class(trace);
	int got = viewer_trace_take(trace, reply,
				    viewer_set_retry(&feed->set, trace->session, now_ns), diag);

	if (got == -ENOMEM)
		return got;
	if (got < 0)
		problem_list_add(feed->set.config.problems, "%s", diag->text);
	if (got > 0)
		check_metadata(feed, trace, old);
	if (got > 0 && viewer_trace_class(trace))
		viewer_heirs_find(&feed->set, trace);
	if (trace->closed && !viewer_trace_class(trace))
		viewer_set_end_streams(&feed->set, trace);
	if (trace->closed)
		viewer_heirs_end(&feed->set);
	if (got)
		viewer_set_show(&feed->set, trace);
	return 0;
}

static int take_new_streams(struct viewer_feed *feed, const struct viewer_reply *reply,
			    uint64_t now_ns, struct diag *diag)
{
	struct viewer_attached *session = viewer_set_session(&feed->set, reply->request.handle);
	struct viewer_head head;

	viewer_unpack_head(LIVE_GET_NEW_STREAMS, reply->data, &head);
	session->asked = session->wanted = false;
	session->ask_ns = now_ns + session->retry_ns;
	switch (head.status) {
	case LIVE_STREAMS_OK:
	case LIVE_STREAMS_NO_NEW:
		return viewer_set_take(&feed->set, session->id, &head, diag);
	case LIVE_STREAMS_ERROR:
	case LIVE_STREAMS_HUP:
		session->over = true;
		for (size_t i = 0; i < feed->set.stream_count; i++) {
			if (feed->set.streams[i]->trace->session == session->id &&
			    !feed->set.streams[i]->trace->orphan)
				feed->set.streams[i]->ended = true;
		}
		for (size_t i = 0; i < feed->set.trace_count; i++)
			feed->set.traces[i]->final |= feed->set.traces[i]->session == session->id;
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
	struct viewer_attached *session = viewer_set_session(&feed->set, stream->trace->session);

	if ((wants & VIEWER_WANT_METADATA) && !stream->trace->closed) {
		stream->trace->wanted = true;
		stream->trace->ask_ns = 0;
	}
	if ((wants & VIEWER_WANT_STREAMS) && session)
		session->wanted = true;
	if (wants & VIEWER_WANT_PACKET)
		problem_list_add(feed->set.config.problems,
				 "%s: the relay does not have a packet any more that it announced",
				 stream->input->name);
	feed->anew |= wants & VIEWER_WANT_ANEW;
}

/* What addresses mean, and the end mark, stand behind the events that they are about, so they are looked up before their
 * turn. Packets of such notes are small: one piece. */
static int take_notes(const struct viewer_feed *feed, struct viewer_stream *stream,
		      const struct viewer_reply *reply)
{
	const struct ctf_trace_class *class = viewer_trace_class(stream->trace);
	struct viewer_head head;
	int got;

	viewer_unpack_head(LIVE_GET_PACKET, reply->data, &head);
	if (stream->is_end_file)
		return 0;
	stream->trace->end_unseen |= head.count != stream->packet_bytes;
	if (!feed->set.config.symbols || !head.count || head.count != stream->packet_bytes)
		return 0;
	end_notes_describe(&stream->trace->end, class);
	got = symbol_notes_packet(class, head.bytes, (size_t)head.count, feed->set.config.symbols,
				  &stream->trace->end);
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
		got = viewer_stream_take_index(
			stream, reply, viewer_set_retry(&feed->set, stream->trace->session, now_ns),
			diag);
		break;
	default: /* LIVE_GET_PACKET */
		if (take_notes(feed, stream, reply))
			return diag_set(diag, -ENOMEM, "no memory");
		got = viewer_stream_take_packet(
			stream, reply, viewer_relay_minor(feed->viewer),
			viewer_set_retry(&feed->set, stream->trace->session, now_ns), diag);
	}
	if (got < 0)
		return got;
	want(feed, stream, got);
	/* At once, so that the relay has something to do while more replies are taken. */
	return viewer_stream_ask(stream, feed->viewer, now_ns) ?
		       diag_set(diag, -ENOMEM, "no memory") :
		       0;
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

static bool waits_for_packets(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->set.stream_count; i++) {
		if (feed->set.streams[i]->packet_bytes && !feed->set.streams[i]->trace->orphan)
			return true;
	}
	return false;
}

static bool waits_for_metadata(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->set.trace_count; i++) {
		const struct viewer_trace *trace = feed->set.traces[i];

		if (trace->has_metadata && !trace->orphan && !viewer_trace_is_settled(trace))
			return true;
	}
	return false;
}

bool viewer_feed_is_over(const struct viewer_feed *feed)
{
	for (size_t i = 0; i < feed->set.session_count; i++) {
		if (!feed->set.sessions[i].over)
			return false;
	}
	return feed->viewer && !viewer_due(feed->viewer) && !waits_for_packets(feed) &&
	       !waits_for_metadata(feed);
}
