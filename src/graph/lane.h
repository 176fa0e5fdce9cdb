/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lane: what one task or CPU did when, in few places: for each stretch of time in which it changed, how
 * long it was in which state, and in which it stayed until the next such stretch.
 *
 * A CPU's lane also knows of each stretch which task ran longest in it.
 *
 * Stretches are powers of two of ns. lane_double makes them twice as long, where there are too many;
 * nothing that was short is lost, its time is in the sums.
 */
#ifndef SONDE_GRAPH_LANE_H
#define SONDE_GRAPH_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane_state {
	LANE_RUNNING,
	LANE_RUNNABLE, /* waits for a CPU */
	LANE_BLOCKED,
	LANE_STATES,
	LANE_UNKNOWN = LANE_STATES, /* or there is nothing: it has ended, a CPU idles */
};

struct lane_entry {
	int64_t slot; /* time >> shift */
	uint64_t ns[LANE_STATES];
	/* In 64 bits, since there are many: */
	uint64_t after : 2; /* enum lane_state, from its end to the next entry */
	uint64_t who : 22; /* the task that ran longest in it, 0 = not known */
	uint64_t who_part : 10; /* how long, in LANE_WHOLE parts of it */
	uint64_t who_after : 22; /* that runs from its end to the next entry */
};

#define LANE_WHOLE 1023u

/* Zeros, with the state LANE_UNKNOWN, are an empty one. */
struct lane {
	struct lane_entry *entries; /* in the order of time */
	size_t count, room;
	enum lane_state state;
	uint32_t who; /* that runs, of a CPU's lane; 0 = not known */
	bool started; /* it ever changed */
	int64_t since_ns; /* that it is in this state */
	uint64_t total_ns[LANE_STATES];
};

/* It is in @state from @time_ns on; `who` is the caller's to set after that; entries are 2^@shift ns long. A change that goes back in time counts at
 * the time of the change before. 0 or -ENOMEM. */
int lane_change(struct lane *lane, unsigned int shift, int64_t time_ns, enum lane_state state);
/* Entries of 2^(@shift + 1) ns in place of those of 2^@shift. */
void lane_double(struct lane *lane, unsigned int shift);
void lane_fini(struct lane *lane);

/* What a lane is shown by: how long it was in each state, for each of @count columns of time. */
struct lane_columns {
	int64_t from_ns, to_ns; /* where the first begins and the last ends */
	size_t count;
	double *ns[LANE_STATES]; /* @count each; the caller's, which lane_fill adds to */
	uint32_t *who; /* likewise: the task that ran longest in the column; NULL = not wanted */
	double *who_ns; /* how long it did */
};

void lane_fill(const struct lane *lane, unsigned int shift, const struct lane_columns *columns);

#endif /* SONDE_GRAPH_LANE_H */
