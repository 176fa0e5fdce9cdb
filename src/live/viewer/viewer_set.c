// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "live/proto/viewer_codec.h"
#include "live/viewer/viewer_list.h"
#include "live/viewer/viewer_stream.h"
#include "live/viewer/viewer_trace.h"
#include "schema/trace_info.h"

#define SET_STREAMS_MAX 65536u /* of all sessions, those that have ended among them */
/* How long until a relay that had nothing is asked again: a tenth of its timer, within these. */
#define RETRY_MIN_NS (10 * NS_PER_MS)
#define RETRY_MAX_NS (100 * NS_PER_MS)

void viewer_set_fini(struct viewer_set *set)
{
	for (size_t i = 0; i < set->stream_count; i++)
		viewer_stream_free(set->streams[i]);
	for (size_t i = 0; i < set->trace_count; i++)
		viewer_trace_free(set->traces[i]);
	free(set->streams);
	free(set->traces);
	free(set->sessions);
}

void viewer_set_break(struct viewer_set *set)
{
	set->session_count = 0;
	for (size_t i = 0; i < set->stream_count; i++)
		viewer_stream_break(set->streams[i]);
	for (size_t i = 0; i < set->trace_count; i++)
		viewer_trace_break(set->traces[i]);
}

struct viewer_attached *viewer_set_session(const struct viewer_set *set, uint64_t id)
{
	for (size_t i = 0; i < set->session_count; i++) {
		if (set->sessions[i].id == id)
			return &set->sessions[i];
	}
	return NULL;
}

uint64_t viewer_set_retry(const struct viewer_set *set, uint64_t session, uint64_t now_ns)
{
	const struct viewer_attached *found = viewer_set_session(set, session);

	return now_ns + (found ? found->retry_ns : RETRY_MAX_NS);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int viewer_set_add_session(struct viewer_set *set, const struct viewer_session *session)
{
	struct viewer_attached *sessions;
	uint64_t retry_ns = (uint64_t)session->timer_us * NS_PER_US / 10;

	sessions = realloc(set->sessions, (set->session_count + 1) * sizeof(*sessions));
	if (!sessions)
		return -ENOMEM;
	set->sessions = sessions;
	if (retry_ns < RETRY_MIN_NS)
		retry_ns = RETRY_MIN_NS;
	sessions[set->session_count++] = (struct viewer_attached){
		.id = session->id,
		.retry_ns = set->config.retry_ns ?: smaller(retry_ns, RETRY_MAX_NS),
	};
	return 0;
}

/* The one of this connection, made where it was not there; NULL = no memory. */
static struct viewer_trace *get_trace(struct viewer_set *set, uint64_t id, uint64_t session)
{
	struct viewer_trace **traces, *trace;

	for (size_t i = 0; i < set->trace_count; i++) {
		trace = set->traces[i];
		if (trace->id == id && trace->session == session && !trace->orphan)
			return trace;
	}
	traces = realloc(set->traces, (set->trace_count + 1) * sizeof(*traces));
	if (!traces)
		return NULL;
	set->traces = traces;
	trace = viewer_trace_new(id, session);
	if (trace)
		traces[set->trace_count++] = trace;
	return trace;
}

static bool is_known(const struct viewer_set *set, uint64_t id)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->id == id && !set->streams[i]->trace->orphan)
			return true;
	}
	return false;
}

static int add_stream(struct viewer_set *set, struct viewer_trace *trace,
		      const struct viewer_stream_entry *entry, struct diag *diag)
{
	struct viewer_stream **streams, *stream = NULL;
	int err;

	if (set->stream_count == SET_STREAMS_MAX)
		return diag_set(diag, -E2BIG, "the session has more than %u streams",
				SET_STREAMS_MAX);
	streams = realloc(set->streams, (set->stream_count + 1) * sizeof(*streams));
	if (!streams)
		return diag_set(diag, -ENOMEM, "no memory");
	set->streams = streams;
	err = viewer_stream_new(trace, entry, set->config.keep, &stream);
	if (err)
		return diag_set(diag, err, "cannot store received data: %s", strerror(-err));
	streams[set->stream_count++] = stream;
	return 0;
}

/* "ust/pid/PROGRAM-PID-TIME/64-bit", below a folder of the relay's before LTTng 2.11. */
static bool is_by_process(const struct viewer_stream_entry *entry)
{
	static const char place[] = "ust/pid/";
	const char *at = memmem(entry->path, entry->path_len, place, strlen(place));

	return at && (at == entry->path || at[-1] == '/');
}

static int take_entry(struct viewer_set *set, uint64_t session,
		      const struct viewer_stream_entry *entry, struct diag *diag)
{
	struct viewer_trace *trace = get_trace(set, entry->trace, session);

	if (!trace)
		return diag_set(diag, -ENOMEM, "no memory");
	set->has_streams = true;
	set->by_process |= is_by_process(entry);
	if (!entry->is_metadata)
		return is_known(set, entry->id) ? 0 : add_stream(set, trace, entry, diag);
	if (!trace->has_metadata) {
		trace->has_metadata = true;
		trace->metadata_id = entry->id;
	}
	return 0;
}

void viewer_set_end_streams(struct viewer_set *set, const struct viewer_trace *trace)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace == trace)
			set->streams[i]->ended = true;
	}
}

/* A relay announces a trace only with everything that belongs to it. */
static void end_undescribed(struct viewer_set *set, struct viewer_trace *trace)
{
	problem_list_add(set->config.problems,
			 "the relay announces trace %" PRIu64 " without a stream of metadata",
			 trace->id);
	trace->closed = true;
	viewer_set_end_streams(set, trace);
}

int viewer_set_take(struct viewer_set *set, uint64_t session, const struct viewer_head *head,
		    struct diag *diag)
{
	struct viewer_stream_entry entry;
	int err = 0;

	for (size_t i = 0; i < head->count && !err; i++) {
		viewer_unpack_stream(head->bytes, i, &entry);
		err = take_entry(set, session, &entry, diag);
	}
	for (size_t i = 0; i < set->trace_count && !err; i++) {
		if (!set->traces[i]->has_metadata && !set->traces[i]->closed)
			end_undescribed(set, set->traces[i]);
	}
	return err;
}

/* What was received of the trace's streams can be decoded, now or behind a renewal. */
void viewer_set_show(struct viewer_set *set, const struct viewer_trace *trace)
{
	for (size_t i = 0; i < set->stream_count; i++) {
		if (set->streams[i]->trace == trace)
			viewer_stream_show(set->streams[i]);
	}
}
