/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_run: the records of the scheduler, several for each switch, as sched.switch and sched.wakeup.
 *
 * What one switch makes stands together: a trap or a system call, setrq, sleep, swtch, remrq, as far
 * as these are on. So the last of it is only known by what comes next.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_RUN_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_RUN_H

#include <stdbool.h>

struct class_table;
struct event;
struct meas_run;
struct terms_out;
struct trace_info;

/* NULL = no memory. */
struct meas_run *meas_run_new(const struct trace_info *info);
/* NULL is fine. */
void meas_run_free(struct meas_run *run);
/* Whether the source has such classes at all. */
bool meas_run_has_any(const struct meas_run *run);
/* 0 or -ENOMEM. */
int meas_run_classes(struct meas_run *run, struct class_table *table);
/* Any event of the source; NULL: its end. */
void meas_run_take(struct meas_run *run, const struct event *event, struct terms_out *out);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_RUN_H */
