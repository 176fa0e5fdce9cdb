/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_cpu: what the samples of the CPUs say: in which state, in which processes and functions (sample_stats).
 */
#ifndef SONDE_ANALYSE_REPORT_CPU_H
#define SONDE_ANALYSE_REPORT_CPU_H

#include <stdint.h>

#include "analyse/report_model.h"
#include "analyse/sample_stats.h"

struct cpu_class; /* what a class of events means */

struct cpu_report {
	struct report report;
	struct cpu_class *classes; /* by event_class.index */
	struct sample_stats stats;
	uint64_t hz; /* 0 = not known */
};

report_new_fn report_cpu_new;

#endif /* SONDE_ANALYSE_REPORT_CPU_H */
