/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_sched: records of HP-UX's scheduling, sampler and system call measurements, from sched.*,
 * cpu.sample and sys.*.
 *
 * What leaves a CPU able to run on was made to, by a trap or at a system call: that is known of tasks
 * whose calls are seen. As in the original, a trap is recorded only if it ends so, or in a sleep.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_SCHED_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_SCHED_H

struct event;
struct meas_making;
struct meas_sched;
struct trace_info;

/* NULL: no memory. Borrows the classes of @info. */
struct meas_sched *meas_sched_new(const struct trace_info *info);
/* NULL is fine. */
void meas_sched_free(struct meas_sched *sched);
void meas_sched_take(struct meas_sched *sched, const struct event *event,
		     struct meas_making *making);
/* Events are missing here. */
void meas_sched_lose(struct meas_sched *sched);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_SCHED_H */
