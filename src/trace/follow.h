/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow: the events of a trace that is still being written, in the order of time: those that are
 * there, then those that come, until no process writes it any more.
 *
 * They are given out up to where all streams are complete (trace/follow.h): a silent one does not hold up
 * the others, and the wait is never longer.
 */
#ifndef SONDE_TRACE_FOLLOW_H
#define SONDE_TRACE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Up to which time a trace that is being written is complete, by the history of its
 * files: for readers that follow it without reports from the recorder.
 *
 * A recorder writes each event within SETTLED_WAIT_NS, so what was seen to be in a file that long ago
 * has nothing earlier still to come, in whatever stream.
 */

/* Twice the recorder's tick, which is the longest that an event waits, and half as much again. */
#define SETTLED_WAIT_NS 1500000000ll
#define SETTLED_LOOKS_MAX 32u /* that a wait has room for, twice, at 100 ms each */

/* At @at_ns, by our clock, the files went as far as @end_ns, by the trace's. */
struct settled_look {
	int64_t at_ns;
	int64_t end_ns;
};

struct settled {
	bool snapshots; /* the recorder writes what is older behind what is newer */
	int64_t until_ns; /* by the trace's clock: nothing earlier is still to come; INT64_MIN = not known */
	struct settled_look looks[SETTLED_LOOKS_MAX]; /* the oldest first */
	size_t count;
};

void settled_init(struct settled *settled, bool snapshots);
/* At @now_ns (CLOCK_MONOTONIC) the newest packet of all ends at @end_ns; INT64_MIN = none. */
void settled_see(struct settled *settled, int64_t now_ns, int64_t end_ns);

struct ctf_trace_class;
struct event;
struct follow;
struct merge;

#define FOLLOW_LOOK_NS 100000000ll /* between two looks at the files */

struct follow_config {
	int dir; /* borrowed, and so are the next two */
	const struct ctf_trace_class *trace;
	struct merge *merge; /* without streams yet */
	struct stat metadata; /* as it was before it was read */
	bool snapshots; /* the recorder writes what is older behind what is newer */
	/* One more stream file, for the merge: 0, or -errno. */
	int (*add)(void *ctx, const char *name);
	void *ctx;
};

/* NULL = no memory. */
struct follow *follow_new(const struct follow_config *config);
void follow_free(struct follow *follow);

/*
 * The next events, as merge_next; 0 = all has been given, and no process writes any more. -EAGAIN =
 * some time has passed, ask again. -ESTALE = the metadata has grown, and all events that were
 * described before have been given: later events need a new reader.
 */
int follow_next(struct follow *follow, const struct event **ret);

#endif /* SONDE_TRACE_FOLLOW_H */
