/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_stats: system calls by number: how often, how many failed, how long they took. A call's
 * beginning and end are matched by task.
 */
#ifndef SONDE_VIEW_CALL_STATS_H
#define SONDE_VIEW_CALL_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/names.h"

struct task_count;

struct call_count {
	uint64_t enters;
	uint64_t exits;
	uint64_t errors;
	uint64_t matched; /* exits whose beginning was seen */
	uint64_t total_ns; /* of these */
	uint64_t max_ns;
};

struct call_stats {
	struct call_count calls[2][NAMES_CALLS + 1]; /* native, compat; the last: all others */
};

/* As many as began; where only ends were recorded, as many as ended. */
static inline uint64_t call_count_calls(const struct call_count *call)
{
	return call->enters ?: call->exits;
}

/* @epoch: task_stats.epoch. @task: NULL where it is not known. */
void call_stats_enter(struct call_stats *stats, struct task_count *task, uint32_t epoch,
		      int64_t time_ns, int64_t nr, bool compat);
void call_stats_exit(struct call_stats *stats, struct task_count *task, uint32_t epoch,
		     int64_t time_ns, int64_t nr, bool compat, int64_t ret);

#endif /* SONDE_VIEW_CALL_STATS_H */
