/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_stats: has the kernel time the runs of BPF programs for a while. It does so for all programs
 * of the machine, and each run is some 50 ns longer during that time: so only briefly.
 */
#ifndef SONDE_PROBE_RUN_STATS_H
#define SONDE_PROBE_RUN_STATS_H

#include <stddef.h>

/*
 * What one record of a measurement costs the CPU that makes it, as script/bench last
 * measured it (bench/costs.tsv, compiled in).
 */

/* Nanoseconds, or 0 where it was not measured. */
int cost_of(const char *measurement);
/* The kernel and the machine that it was measured on; returns @text. */
char *cost_machine(char *text, size_t room);

/* The kernel counts until fd_close of *@ret. -EPERM: it takes CAP_SYS_ADMIN. */
int run_stats_open(int *ret);
/* What the kernel says that a run of a program takes which does nothing: a reading of its clock,
 * which is in every run's time. Takes some 100 us, and is 0 where it cannot be found out. */
double run_stats_bias_ns(void);

#endif /* SONDE_PROBE_RUN_STATS_H */
