/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline: what tasks and CPUs did over time, followed through the events of the scheduler while they come.
 * timeline_draw makes the picture.
 *
 * Its memory is bounded: TIMELINE_TASKS tasks, the time of those beyond counts for the others; and
 * TIMELINE_ENTRIES stretches of time of all of them together, which become longer when there are more.
 */
#ifndef SONDE_GRAPH_TIMELINE_H
#define SONDE_GRAPH_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/wait_pair.h"
#include "base/map.h"
#include "graph/lane.h"

struct cpu_set;
struct event;
struct perfetto_class;
struct analysis;

#define TIMELINE_TASKS 65536u
#define TIMELINE_CPUS 4096u
#define TIMELINE_COLUMNS 2048u /* a lane's entries at most: several for each column of a picture */
#define TIMELINE_ENTRIES (1u << 20)

struct timeline_task {
	int32_t tid;
	struct lane lane;
	struct lane calls; /* LANE_RUNNING: it is in a system call, whether it has a CPU or not */
	struct task_where where;
	bool exits; /* it ends with the next switch */
	bool wanted; /* it came onto one of the CPUs that were asked for */
};

struct timeline_cpu {
	int32_t number;
	int32_t tid; /* that runs, 0 = none or not known */
	struct lane lane;
};

struct timeline {
	const struct analysis *analysis;
	const struct cpu_set *chosen; /* CPUs that were asked for; NULL = all */
	struct perfetto_class *classes; /* by event_class.index: what they are about */
	bool filtered; /* switch_sides_unknown (analyse/switch_sides) */
	struct map task_index; /* by tid: positions in `tasks` */
	struct timeline_task *tasks; /* once ended, the busiest first */
	size_t task_count, task_room;
	struct map cpu_index;
	struct timeline_cpu *cpus; /* once ended, in order */
	size_t cpu_count, cpu_room;
	unsigned int shift; /* of all lanes */
	size_t entries; /* that all lanes had when last counted */
	int64_t first_ns, last_ns;
	uint64_t switches;
	uint64_t calls; /* that began, of those that are shown */
	uint64_t lost;
	bool full; /* there are more tasks than are kept */
};

/* 0 or -ENOMEM; timeline_fini is due in both cases. Borrows @analysis, and @chosen: shows only these,
 * and tasks that ran there; NULL = all. */
int timeline_init(struct timeline *timeline, const struct analysis *analysis,
		  const struct cpu_set *chosen);
void timeline_fini(struct timeline *timeline);
/* Every event in the order of time, also those that are not shown: what a task does follows from all; of system calls
 * those that are shown. 0 or -ENOMEM. */
int timeline_take(struct timeline *timeline, const struct event *event, bool shown);
/* No more will be taken. 0 or -ENOMEM. */
int timeline_end(struct timeline *timeline);

#endif /* SONDE_GRAPH_TIMELINE_H */
