/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_syscalls: how long system calls took, from sys.enter to sys.exit of the same task, by call.
 */
#ifndef SONDE_ANALYSE_REPORT_SYSCALLS_H
#define SONDE_ANALYSE_REPORT_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_stats.h"
#include "analyse/latency.h"
#include "analyse/report_model.h"
#include "analyse/task_stats.h"

#define REPORT_SYSCALLS_CALLS (2 * (CALL_NUMBERS + 1))

struct syscalls_class; /* what a class of events means */

/* One call at the end. */
struct call_row {
	int64_t nr; /* -1: all others */
	bool compat;
	uint64_t calls;
	uint64_t errors;
	uint64_t unmatched; /* beginnings and ends without the other */
	const struct latency *latency;
};

struct syscalls_report {
	struct report report;
	struct syscalls_class *classes; /* by event_class.index */
	struct task_stats tasks; /* the call that each task is in */
	struct call_stats calls;
	struct latency
		*latencies[REPORT_SYSCALLS_CALLS]; /* of each of calls.calls; NULL: none ended */
	struct latency spare; /* of calls without memory */
	/* At the end. */
	struct latency all;
	struct call_row all_row;
};

report_new_fn report_syscalls_new;

/* Those that took the most time first; the caller frees the list, which borrows from @sr. NULL = no memory. */
struct call_row *report_syscalls_rank(const struct syscalls_report *sr, size_t *count);

#endif /* SONDE_ANALYSE_REPORT_SYSCALLS_H */
