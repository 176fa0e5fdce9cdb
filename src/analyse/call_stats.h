/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_stats: system calls by number: how often, how many failed, how long they took. A call's
 * beginning and end are matched by task.
 */
#ifndef SONDE_ANALYSE_CALL_STATS_H
#define SONDE_ANALYSE_CALL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALL_NUMBERS 1024u /* numbers of system calls told apart; 548 is the highest of 6.18 */

struct event;
struct event_class;
struct task_count;

/* Where a class has what: index of the field, -1 = none. Looked up once. */
struct call_fields {
	bool ends; /* sys.exit */
	int nr, compat, ret;
};

struct call_count {
	uint64_t enters;
	uint64_t exits;
	uint64_t errors;
	uint64_t matched; /* exits whose beginning was seen */
	uint64_t total_ns; /* of these */
	uint64_t max_ns;
};

struct call_stats {
	bool learning; /* events are paired, and count only where the other end of their call does */
	struct call_count calls[2][CALL_NUMBERS + 1]; /* native, compat; the last: all others */
};

/* A call that ended with an event. */
struct call_end {
	const struct call_count *call; /* NULL: none ended, or its beginning was not seen */
	uint64_t ns; /* that it took */
};

/* One system call among others. */
struct ranked_call {
	const struct call_count *call;
	int64_t nr; /* -1: all others */
	bool compat;
};

/* Beginnings and ends that do not have the other: what these took is not known. */
static inline uint64_t call_count_unmatched(const struct call_count *call)
{
	return call->enters + call->exits - 2 * call->matched;
}

/* As many as began; where only ends were recorded, as many as ended. */
static inline uint64_t call_count_calls(const struct call_count *call)
{
	return call->enters ?: call->exits;
}

/* Whether @class is of the entry of a call (schema/calls.h) or sys.exit. */
bool call_fields_find(struct call_fields *fields, const struct event_class *class);
/* One event of such a class. @task: its task, or that of all others; @epoch: task_stats.epoch. */
struct call_end call_stats_count(struct call_stats *stats, const struct call_fields *fields,
				 struct task_count *task, uint32_t epoch,
				 const struct event *event);
/* All counted calls, by number; *@count of them, for the caller to sort and free. They borrow
 * from @stats. NULL: no memory. */
struct ranked_call *call_stats_list(const struct call_stats *stats, size_t *count);

#endif /* SONDE_ANALYSE_CALL_STATS_H */
