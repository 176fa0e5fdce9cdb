/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_session: the reading of SOURCEs, from opening them to their last event: several become one, names are learnt,
 * times are sought, a trace that grows is renewed. The verbs that read (cli/reading) and libsonde have one each; the
 * threads of source/slices have more of the same.
 *
 *   CLOSED --open--> OPEN --bind--> BOUND --start--> RUNNING --pump, next--> -ESTALE: STALE
 *                                     ^                                                 |
 *                                     +--------------------- renew ---------------------+
 *
 * OPEN: the classes of the SOURCE are known. BOUND: the request has been applied to them, and there is a view of it.
 * RUNNING: events come, to a sink (pump) or one at a time (next), never both. STALE: there are more classes than at first, and
 * the SOURCE gives no event before it is renewed:
 *
 * - A live session, alone or among several SOURCEs, continues (source_ops.renew), with what it has learnt and with pairs
 *   in progress.
 * - A trace that grows is opened again by its name. What it taught comes again; events that were given only teach. If
 *   another trace has its name by now, that one is read from the time on that was reached.
 * - With @again both begin at their first event, and nothing is known.
 *
 * Sinks borrow the view: free them before renew. A function that is called in another state than its own is a fault of the
 * caller (assert). After any other error than -ESTALE and -EAGAIN only what was read so far can be asked for.
 */
#ifndef SONDE_SOURCE_READ_SESSION_H
#define SONDE_SOURCE_READ_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/field_choice.h"
#include "analyse/select.h"
#include "schema/source.h"

struct analysis;
struct columns;
struct diag;
struct event_sink;
struct output;
struct read_session;
struct time_text;
struct view;
struct where;

/* The request. Zeros: all events of a stored trace. It does not change after bind. */
struct read_request {
	char *const *sources; /* one, or several that are read as one */
	int source_count;
	const char *name; /* of them all, for messages */
	/* Opens one of them, with @follow as source_follow, else as source_open. NULL: by these two. */
	int (*open)(void *ctx, const char *name, bool follow, struct event_source **ret,
		    struct diag *diag);
	void *open_ctx;
	source_stop_fn *is_stopped; /* the reading is to end; NULL: never */
	bool follow; /* of one SOURCE: until its recorder ends */
	bool own_terms; /* events of other formats are also normalized to Sonde's own classes */
	bool keeps_classes; /* classes of before renew stay until free */
	struct select select; /* the chosen part; each session keeps state of its own */
	struct field_choice fields;
	const char *where; /* an expression; NULL = none */
	bool sink_asks; /* the sink evaluates it: it sees all events */
	bool (*holds)(const struct event_class *class); /* others are not shown; NULL: all are */
	bool derives; /* values that follow from several events are shown like fields */
	bool owners; /* the owner of each event is wanted (analysis_facts) */
	bool queues; /* so is what waits at disks */
	/* Of what is written, where it continues after renew; NULL: each view has its own. */
	struct columns *columns;
	struct time_text *time;
	unsigned int jobs; /* threads at most; 0 = as many as there are CPUs */
};

/* Which part of the request an error is about. */
enum read_fault {
	READ_FAULT_SOURCE, /* it cannot be opened or renewed; the diag names it */
	READ_FAULT_EVENTS, /* -ENOENT: no event matches a pattern */
	READ_FAULT_WHERE, /* -ENOENT: no event has such a field; the diag may have an offset */
	READ_FAULT_FIELDS, /* -ENOENT: likewise */
	READ_FAULT_MEMORY,
};

/* Which end of a pump an error is of. */
enum read_side {
	READ_SIDE_SOURCE,
	READ_SIDE_SINK,
};

/* Borrows @request, and @out (of views that write; may be NULL), until it is freed. NULL: no memory. */
struct read_session *read_session_new(const struct read_request *request, struct output *out);
/* In any state, and NULL. */
void read_session_free(struct read_session *session);

/* The expression is parsed first: a mistake in it is an error whatever the SOURCE. 0 or -errno, and @fault. */
int read_session_open(struct read_session *session, enum read_fault *fault, struct diag *diag);
int read_session_bind(struct read_session *session, enum read_fault *fault, struct diag *diag);
/* Once the sink is there. 0 or -ENOMEM. */
int read_session_start(struct read_session *session);
/* @again: from the first event; else from the first that was not given. */
int read_session_renew(struct read_session *session, bool again, enum read_fault *fault,
		       struct diag *diag);

/*
 * A batch, of which @sink is given what was chosen; from the others the view learns. 1, 0 = no more events or
 * stopped, or -errno, and @side.
 */
int read_session_pump(struct read_session *session, struct event_sink *sink, enum read_side *side);
/* Whether it is known what the times that were asked for mean: the first event is. */
bool read_session_has_times(const struct read_session *session);
/* The next event that was chosen, borrowed until the next call: 1, 0 = no more, -EAGAIN: nothing has come yet, or -errno. */
int read_session_next(struct read_session *session, const struct event **ret);

/* From OPEN on; until renew, or with keeps_classes until free. */
const struct trace_info *read_session_info(const struct read_session *session);
/* From BOUND on, until renew. The second is the first's. */
const struct view *read_session_view(const struct read_session *session);
const struct analysis *read_session_analysis(const struct read_session *session);
/* The expression of the request, bound, or NULL. The sink may evaluate it if the session does not. */
struct where *read_session_where(struct read_session *session);
/* BOUND: from here on the sink evaluates the expression (@asks), or does not. */
void read_session_set_sink_asks(struct read_session *session, bool asks);
/* A pattern that no event matches by now, while others do or may: a sentence, or NULL. */
const char *read_session_unmatched(const struct read_session *session);

/* In any state: the selection, its results, and the losses. */
const struct select *read_session_select(const struct read_session *session);
/* The last event that was given or learnt from; INT64_MIN = none. */
int64_t read_session_given_ns(const struct read_session *session);
/* As source_ops.problem; NULL, too, if it is CLOSED. */
const char *read_session_problem(const struct read_session *session, size_t i);
/* The sessions of one reading: 0 is this, then those of other threads, which find the same and more. NULL = no more. */
const struct read_session *read_session_thread(const struct read_session *session, size_t i);
/* Events were not in the order of time, so that several threads cannot share them. */
bool read_session_is_disordered(const struct read_session *session);

#endif /* SONDE_SOURCE_READ_SESSION_H */
