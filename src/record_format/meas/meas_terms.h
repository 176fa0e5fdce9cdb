/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_terms: records of the measurement system as normalized events (Sonde's own classes): system
 * calls as sys.enter and sys.exit, those of the scheduler as sched.switch and sched.wakeup,
 * transfers as disk.*, samples as cpu.sample.
 *
 * A process is preempted where setrq stands beside its swtch, a trap or a system call of the same
 * moment; else setrq wakes it. Up to release 2.0 no record says when a request is handed to the disk:
 * it counts as if that were at its arrival.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_TERMS_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_TERMS_H

struct terms;
struct trace_info;

/* As schema/terms.h says. */
int meas_terms_new(const struct trace_info *info, struct terms **ret);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_TERMS_H */
