/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_sched: how long tasks waited for a CPU, and what they did with it, from wakeups and switches
 * (sched_waits).
 */
#ifndef SONDE_VIEW_REPORT_SCHED_H
#define SONDE_VIEW_REPORT_SCHED_H

struct report;
struct view;

struct report *report_sched_new(const struct view *view);

#endif /* SONDE_VIEW_REPORT_SCHED_H */
