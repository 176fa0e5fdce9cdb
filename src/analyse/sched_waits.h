/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched_waits: what each task spends its time with: on a CPU, and waiting for one, after it was
 * woken or after it was preempted. Fed with wakeups and switches in the order of time.
 *
 * A wait begins with the first wakeup of a task that has no CPU, or with the switch in which it
 * is preempted, and ends with the switch in which it comes. A loss makes forget all waits that
 * are under way: what ends after it is not paired with what began before.
 *
 * Of a task that the recorder's filter did not want, some switches are there (those that have a wanted
 * task at the other side) and no wakeups. The caller gives such a task as -1. Traces of older recorders do not
 * say which side was wanted: there only tasks that were woken before are known to have waited all the time since
 * they were preempted.
 */
#ifndef SONDE_ANALYSE_SCHED_WAITS_H
#define SONDE_ANALYSE_SCHED_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/cpu_set.h"
#include "analyse/latency.h"
#include "analyse/task_stats.h"
#include "analyse/wait_pair.h"

/* Tasks with percentiles of their own: 7.6 KiB each. Waits of tasks beyond count for the others. */
#define SCHED_WAITS_LIMIT 16384u

struct task_wait {
	struct latency *woken; /* NULL: it never waited */
	uint64_t preempted; /* waits, what they took together, the longest */
	uint64_t preempted_ns;
	uint64_t preempted_max_ns;
	uint64_t unmatched; /* times that it came onto a CPU and the wait's beginning was not seen */
	uint64_t voluntary; /* times that it left a CPU to sleep or end */
	uint64_t involuntary; /* and could have run on */
	struct cpu_set cpus;
	struct task_where where;
};

/* Waits after being woken: how many, how long. */
static inline uint64_t task_wait_woken(const struct task_wait *wait)
{
	return wait->woken ? wait->woken->count : 0;
}

static inline uint64_t task_wait_woken_ns(const struct task_wait *wait)
{
	return wait->woken ? wait->woken->total_ns : 0;
}

struct sched_waits {
	struct task_stats tasks; /* whose numbers the next ones go by; time on a CPU */
	struct task_wait *waits; /* [0]: all others */
	size_t room;
	size_t latencies; /* of tasks, made so far */
	struct latency preempted; /* of all tasks */
	bool filtered; /* switch_sides_unknown; the caller sets it before the first event */
	bool learning; /* switches tell where tasks are, and are not counted */
};

/* 0 or -ENOMEM; sched_waits_fini is due in both cases. */
int sched_waits_init(struct sched_waits *waits);
void sched_waits_fini(struct sched_waits *waits);
/* @second: sched.wakeup, in a trace that has sched.waking, which came before it. */
void sched_waits_wake(struct sched_waits *waits, int64_t time_ns, int32_t tid, bool second);
/* @prev leaves @cpu (@preempted: it could have run on) and @next comes; -1: a task that was not wanted. The idle
 * task, 0, waits for nothing. */
void sched_waits_switch(struct sched_waits *waits, int32_t cpu, int64_t time_ns, int32_t prev,
			bool preempted, int32_t next);
/* Events are missing on @cpu. */
void sched_waits_lose(struct sched_waits *waits, int32_t cpu);

/* How many entries there are: all but [0] are tasks, and have the numbers of tasks.tasks. */
static inline size_t sched_waits_count(const struct sched_waits *waits)
{
	size_t count = waits->tasks.index->count + 1u;

	return count < waits->room ? count : waits->room;
}

#endif /* SONDE_ANALYSE_SCHED_WAITS_H */
