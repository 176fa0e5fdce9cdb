/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow: the events of a trace that is still being written, in the order of time: those that are
 * there, then those that come, until no process writes it any more.
 *
 * They are given out up to where all streams are complete (trace/settled.h): a silent one does not hold up
 * the others, and the wait is never longer.
 */
#ifndef SONDE_TRACE_FOLLOW_H
#define SONDE_TRACE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

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
