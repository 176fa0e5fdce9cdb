/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_offcpu: what tasks waited for while they had no CPU (off_waits), in rows by task, cause and call, or by what --by
 * names; and, as the report "wakers", who ended these waits.
 */
#ifndef SONDE_ANALYSE_REPORT_OFFCPU_H
#define SONDE_ANALYSE_REPORT_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/off_waits.h"
#include "analyse/report_events.h"
#include "analyse/wait_texts.h"

struct offcpu_class; /* what a class of events means */
struct row_where;
struct syscalls;

struct offcpu_report {
	struct events_report rows; /* first; its values are not of events, but of waits */
	struct off_waits waits;
	struct wait_texts texts;
	struct offcpu_class *classes; /* by event_class.index */
	int keys[REPORT_KEYS_MAX]; /* what each name of the grouping stands for */
	uint8_t *causes; /* of system calls */
	struct syscalls *calls;
	bool wakers; /* waits in run queues are left out */
	struct row_where *where; /* which waits are counted; NULL: all */
	const struct event_class *last_class; /* of switches: what tasks are called at the end */
	const struct event *event; /* that is followed */
	uint64_t off_ns, queued_ns, unknown_ns; /* of the waits that were counted */
};

/* As of report_kind. -ENOENT: an unknown key, and the diag lists them; grouping->where is asked of waits, by their keys and
 * `wait`: errors as row_where_new. */
int report_offcpu_make(const struct analysis *analysis, const struct report_grouping *grouping,
		       struct report **ret, struct diag *diag);
int report_wakers_make(const struct analysis *analysis, const struct report_grouping *grouping,
		       struct report **ret, struct diag *diag);

/* The tasks by number, those of the first trace first; *@count of them, for the caller to free. NULL: no memory. */
struct off_account {
	int32_t tid;
	uint64_t life_ns, cpu_ns, off_ns, queued_ns, unknown_ns;
};
struct off_account *report_offcpu_accounts(const struct offcpu_report *report, size_t *count);

#endif /* SONDE_ANALYSE_REPORT_OFFCPU_H */
