/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settled: up to which time a trace that is being written is complete, by the history of its
 * files: for readers that follow it without reports from the recorder.
 *
 * A recorder writes each event within SETTLED_WAIT_NS, so what was seen to be in a file that long ago
 * has nothing earlier still to come, in whatever stream.
 */
#ifndef SONDE_TRACE_SETTLED_H
#define SONDE_TRACE_SETTLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* SONDE_TRACE_SETTLED_H */
