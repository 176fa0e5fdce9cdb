/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_session_state: a read_session from inside, for source/read_session and source/slices alone
 * (tools/check-layers.py is the test).
 */
#ifndef SONDE_SOURCE_READ_SESSION_STATE_H
#define SONDE_SOURCE_READ_SESSION_STATE_H

#include "analyse/sieve.h"
#include "analyse/where.h"
#include "base/diag.h"
#include "output/text_call.h"
#include "output/view.h"

struct read_request;

enum read_state {
	READ_CLOSED,
	READ_OPEN,
	READ_BOUND,
	READ_RUNNING,
	READ_STALE,
};

struct read_session {
	const struct read_request *request;
	struct output *out;
	enum read_state state;
	struct event_source *source; /* NULL: CLOSED */
	struct event_source **retired; /* those before it, of which classes are still in use */
	size_t retired_count;
	bool alone; /* several threads cannot share it */
	/* The request, bound to the classes of the source. */
	struct select select;
	struct where where;
	bool sink_asks;
	struct diag unmatched; /* no text: none */
	struct view view; /* zeros before BOUND */
	struct call_line
		line; /* of text: the view's; a thread begins with that of the slice before */
	struct sieve sieve; /* zeros before RUNNING */
	/* How far it is. */
	int64_t given_ns; /* the last event that was given or learnt from */
	int64_t again_ns; /* what comes up to here was given before the source was opened again */
	struct sieve_run run; /* of `next`: those that it may give, and behind them, up to */
	const struct event *events; /* events_end, those that were not looked at */
	const struct event *events_end;
	/* Of a reading by several threads (source/slices). */
	bool is_thread; /* another session shows what comes first */
	bool notes_order;
	bool disorder; /* an event was earlier than the one before */
	struct read_session **threads; /* those of the other threads */
	size_t thread_count;
};

/* RUNNING: only events from @from_ns to @to_ns come from here on; from earlier ones it learns. 0 or -ENOMEM. */
int read_session_seek(struct read_session *session, int64_t from_ns, int64_t to_ns);
bool read_session_is_stopped(const struct read_session *session);

#endif /* SONDE_SOURCE_READ_SESSION_STATE_H */
