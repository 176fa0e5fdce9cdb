/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slices: a reading by several threads. The trace is cut into slices of time; each thread has a session
 * and a sink of its own, which it leads from one slice to the next free one.
 *
 * What comes out is what one thread would have written, so it is only for sinks that show or count each
 * event by itself. What earlier events teach, every thread learns.
 */
#ifndef SONDE_SOURCE_SLICES_H
#define SONDE_SOURCE_SLICES_H

#include <stdbool.h>

#include "source/read_session.h"

/* Where the threads' events go. */
struct slice_sinks {
	/* One more sink, for a session that is BOUND; one call at a time. NULL: no memory. */
	struct event_sink *(*make)(void *ctx, struct read_session *session);
	void *ctx;
	/* Adds what @from has counted; false: that cannot be done exactly. NULL: the sinks count
	 * nothing, they write to the output of their view. */
	bool (*add)(struct event_sink *into, const struct event_sink *from);
};

/* Whether the rest of @session, which is RUNNING, can be read so, and is large enough for it to pay. */
bool slices_can(const struct read_session *session);
/*
 * The rest of @session, of which some events have been passed to @sink already. 0 or -errno, and
 * in @side which side failed. -ESTALE: it has to be renewed from its first event, and will be read by one thread. The
 * sessions of the other threads stay until then (read_session_thread).
 */
int slices_run(struct read_session *session, struct event_sink *sink,
	       const struct slice_sinks *sinks, enum read_side *side);

#endif /* SONDE_SOURCE_SLICES_H */
