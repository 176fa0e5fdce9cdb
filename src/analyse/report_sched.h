/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched: how long tasks waited for a CPU, and what they did with it, from wakeups and switches
 * (sched_waits).
 */
#ifndef SONDE_ANALYSE_REPORT_SCHED_H
#define SONDE_ANALYSE_REPORT_SCHED_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/latency.h"
#include "analyse/report_model.h"
#include "analyse/sched_waits.h"

/* One task at the end. */
struct ranked_wait {
	const struct task_wait *wait;
	int32_t tid; /* -1: all others */
	uint64_t cpu_ns;
};

struct sched_class; /* what a class of events means */

struct sched_report {
	struct report report;
	struct sched_class *classes; /* by event_class.index */
	struct sched_waits waits;
	bool chosen; /* not all events count: an expression chooses */
	/* At the end. */
	struct report_span span;
	struct latency woken; /* of all tasks */
	struct task_wait all;
	struct ranked_wait all_ranked; /* its CPU time without that of the idle tasks */
};

report_new_fn report_sched_new;

/* The tasks that were on a CPU or waited for one, without the idle ones, by time that they waited, or
 * had a CPU. For the caller to free, *@count of them; NULL = no memory. They borrow from @sr. */
struct ranked_wait *report_sched_rank_waiting(const struct sched_report *sr, size_t *count);
struct ranked_wait *report_sched_rank_running(const struct sched_report *sr, size_t *count);

#endif /* SONDE_ANALYSE_REPORT_SCHED_H */
