/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_cpu: the tracks of CPUs, threads of a process "CPUs": which task each runs, and in these slices
 * the interrupts, soft interrupts and timers that it handles; no slice: it is idle, or not known.
 */
#ifndef SONDE_OUTPUT_PERFETTO_CPU_H
#define SONDE_OUTPUT_PERFETTO_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "output/perfetto_out.h"

struct event_class;
struct task_name;

#define PERFETTO_CPU_MAX 65536u /* numbers of CPUs; the kernel's limit is 8192 */
#define PERFETTO_CPU_DEPTH 16u /* interrupts in interrupts, timers in these */

enum perfetto_cpu_kind {
	PERFETTO_CPU_NONE, /* not an event of an interrupt, or it lacks a field */
	PERFETTO_CPU_IRQ,
	PERFETTO_CPU_SOFT,
	PERFETTO_CPU_TIMER,
	PERFETTO_CPU_WORK, /* put off, to a worker or a soft interrupt */
};

/* Where a class of events says what of an interrupt. */
struct perfetto_cpu_fields {
	enum perfetto_cpu_kind kind;
	bool ends;
	size_t number; /* by which beginning and end are matched */
	size_t name;
};

struct perfetto_cpu_slice {
	enum perfetto_cpu_kind kind;
	int64_t number;
};

/* Zeros: a CPU of which nothing has been shown. */
struct perfetto_cpu {
	bool named;
	bool runs; /* there is the slice of a task */
	int32_t tid; /* that it is of */
	size_t depth;
	struct perfetto_cpu_slice slices[PERFETTO_CPU_DEPTH];
};

struct perfetto_cpus {
	struct perfetto_out *po;
	struct map cpus; /* struct perfetto_cpu by number */
	bool named; /* the process */
};

void perfetto_cpus_init(struct perfetto_cpus *cpus, struct perfetto_out *po);
void perfetto_cpus_fini(struct perfetto_cpus *cpus);
void perfetto_cpu_fields_find(struct perfetto_cpu_fields *fields, const struct event_class *class);

static inline bool perfetto_is_cpu(int32_t cpu)
{
	return cpu >= 0 && (uint32_t)cpu < PERFETTO_CPU_MAX;
}

/* The track, named. Where perfetto_is_cpu. */
struct perfetto_place perfetto_cpu_place(struct perfetto_cpus *cpus, int32_t cpu);
/* Whether it handles an interrupt, as far as can be seen. */
bool perfetto_cpu_is_interrupted(const struct perfetto_cpus *cpus, int32_t cpu);
/* Whether there is a slice on it now. */
bool perfetto_cpu_is_busy(const struct perfetto_cpus *cpus, int32_t cpu);
/* An interrupt begins or ends. */
void perfetto_cpu_interrupt(struct perfetto_cpus *cpus, const struct perfetto_cpu_fields *fields,
			    const struct event *event);
/* A task leaves it. The one that had come, where that was another one; else 0. */
int32_t perfetto_cpu_leaves(struct perfetto_cpus *cpus, const struct event *event);
/* @skip: fields of the switch that are of no interest here, as for perfetto_fields. */
void perfetto_cpu_comes(struct perfetto_cpus *cpus, const struct event *event, int32_t tid,
			const struct task_name *name, uint64_t skip);

/* Tasks, or interrupts, or both, end here as far as is known. */
void perfetto_cpus_end_tasks(struct perfetto_cpus *cpus, int64_t time_ns, const char *why);
void perfetto_cpus_end_interrupts(struct perfetto_cpus *cpus, int64_t time_ns, const char *why);

#endif /* SONDE_OUTPUT_PERFETTO_CPU_H */
