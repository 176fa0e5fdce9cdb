/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * task_stats: what the statistics keep of each task: its events and system calls, the call that
 * it is in, and its time on a CPU. Bounded: tasks beyond the limit are counted as one.
 */
#ifndef SONDE_ANALYSE_TASK_STATS_H
#define SONDE_ANALYSE_TASK_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/task_names.h"
#include "analyse/wait_pair.h"

#define TASK_STATS_LIMIT 65536u
#define TASK_STATS_CPUS 8192u /* CONFIG_NR_CPUS has no more */

struct task_count {
	uint64_t events;
	uint64_t enters; /* system calls begun */
	uint64_t exits; /* and ended */
	uint64_t cpu_ns;
	struct call_begun call; /* that it is in */
	int64_t came_ns; /* onto an unknown CPU */
	uint32_t came_epoch; /* 0 = it is not on one */
	int32_t tid; /* -1: all others */
};

/* Who has a CPU, since when. */
struct cpu_run {
	int64_t since_ns;
	int32_t tid;
	bool known;
};

struct task_stats {
	struct tid_index *index;
	struct task_count *tasks; /* by number; [0] is all others */
	size_t room;
	struct cpu_run *runs; /* by CPU */
	size_t run_count;
	uint32_t epoch; /* raised by each loss: a call across one cannot be distinguished from two */
	bool has_switches;
	bool learning; /* switches only show which task is on a CPU, and no time is counted */
};

/* System calls as many as began; where only ends were recorded, as many as ended. */
static inline uint64_t task_count_calls(const struct task_count *task)
{
	return task->enters ?: task->exits;
}

/* 0 or -ENOMEM; task_stats_fini is due in both cases. */
int task_stats_init(struct task_stats *stats);
void task_stats_fini(struct task_stats *stats);
/* For task_stats_at: a tid not seen before. */
struct task_count *task_stats_add(struct task_stats *stats, int32_t tid);
/* @cpu changes from @prev to @next; @cpu -1: some CPU, of a source without CPUs; a task -1: one of which no time is
 * counted. */
void task_stats_switch(struct task_stats *stats, int32_t cpu, int64_t time_ns, int32_t prev,
		       int32_t next);
/* Events are missing on @cpu: calls in progress are not known any more. */
void task_stats_lose(struct task_stats *stats, int32_t cpu);
/* The trace ends: the tasks on CPUs had them until then. */
void task_stats_end(struct task_stats *stats, int64_t time_ns);

/* Never NULL. Borrowed until the next call. */
static inline struct task_count *task_stats_at(struct task_stats *stats, int32_t tid)
{
	uint32_t i = tid_index_get(stats->index, tid);

	if (tid == -1)
		return &stats->tasks[0];
	return __builtin_expect(i != 0, 1) ? &stats->tasks[i] : task_stats_add(stats, tid);
}

#endif /* SONDE_ANALYSE_TASK_STATS_H */
