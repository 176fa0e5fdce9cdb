// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/sched_waits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WAITS 256u

int sched_waits_init(struct sched_waits *waits)
{
	*waits = (struct sched_waits){.room = FIRST_WAITS};
	waits->waits = calloc(FIRST_WAITS, sizeof(*waits->waits));
	if (!waits->waits)
		waits->room = 0;
	else
		waits->waits[0].woken = calloc(1, sizeof(*waits->waits[0].woken));
	if (task_stats_init(&waits->tasks) || !waits->waits || !waits->waits[0].woken)
		return -ENOMEM;
	return 0;
}

void sched_waits_fini(struct sched_waits *waits)
{
	size_t i;

	for (i = 0; i < waits->room; i++) {
		free(waits->waits[i].woken);
		cpu_set_fini(&waits->waits[i].cpus);
	}
	free(waits->waits);
	task_stats_fini(&waits->tasks);
	*waits = (struct sched_waits){0};
}

static bool make_room(struct sched_waits *waits, size_t i)
{
	size_t room = waits->room;
	struct task_wait *larger;

	while (room <= i)
		room *= 2;
	larger = realloc(waits->waits, room * sizeof(*larger));
	if (!larger)
		return false;
	memset(larger + waits->room, 0, (room - waits->room) * sizeof(*larger));
	waits->waits = larger;
	waits->room = room;
	return true;
}

/* Never NULL; that of all others where the task has no number. Borrowed until the next call. */
static struct task_wait *wait_at(struct sched_waits *waits, int32_t tid)
{
	size_t i = (size_t)(task_stats_at(&waits->tasks, tid) - waits->tasks.tasks);

	if (__builtin_expect(i >= waits->room, 0) && !make_room(waits, i))
		i = 0;
	return &waits->waits[i];
}

/* Those of many tasks are in no one place. */
static bool is_one(const struct sched_waits *waits, const struct task_wait *wait)
{
	return wait != waits->waits;
}

void sched_waits_wake(struct sched_waits *waits, int64_t time_ns, int32_t tid, bool second)
{
	struct task_wait *wait = tid ? wait_at(waits, tid) : waits->waits;

	if (is_one(waits, wait))
		task_wakes(&wait->where, waits->tasks.epoch, time_ns, second);
}

static struct latency *latency_at(struct sched_waits *waits, struct task_wait *wait)
{
	if (!wait->woken && waits->latencies < SCHED_WAITS_LIMIT) {
		wait->woken = calloc(1, sizeof(*wait->woken));
		waits->latencies += wait->woken != NULL;
	}
	return wait->woken ?: waits->waits[0].woken;
}

static void add_preempted(struct sched_waits *waits, struct task_wait *wait, uint64_t ns)
{
	wait->preempted++;
	wait->preempted_ns += ns;
	if (ns > wait->preempted_max_ns)
		wait->preempted_max_ns = ns;
	latency_add(&waits->preempted, ns);
}

static void come(struct sched_waits *waits, int32_t cpu, int64_t time_ns, int32_t tid)
{
	struct task_wait *wait = wait_at(waits, tid);
	enum task_place from = TASK_PLACE_UNKNOWN;
	uint64_t ns = 0;

	if (is_one(waits, wait))
		from = task_comes(&wait->where, waits->tasks.epoch, time_ns, waits->filtered, &ns);
	if (waits->learning)
		return;
	if (from == TASK_PLACE_WOKEN)
		latency_add(latency_at(waits, wait), ns);
	else if (from == TASK_PLACE_PREEMPTED)
		add_preempted(waits, wait, ns);
	else
		wait->unmatched++;
	cpu_set_add(&wait->cpus, cpu);
}

static void leave(struct sched_waits *waits, int32_t cpu, int64_t time_ns, int32_t tid,
		  bool preempted)
{
	struct task_wait *wait = wait_at(waits, tid);

	if (!waits->learning) {
		wait->involuntary += preempted;
		wait->voluntary += !preempted;
		cpu_set_add(&wait->cpus, cpu);
	}
	if (is_one(waits, wait))
		task_leaves(&wait->where, waits->tasks.epoch, time_ns, preempted);
}

void sched_waits_switch(struct sched_waits *waits, int32_t cpu, int64_t time_ns, int32_t prev,
			bool preempted, int32_t next)
{
	waits->tasks.learning = waits->learning;
	task_stats_switch(&waits->tasks, cpu, time_ns, prev, next);
	if (prev > 0)
		leave(waits, cpu, time_ns, prev, preempted);
	if (next > 0)
		come(waits, cpu, time_ns, next);
}

void sched_waits_lose(struct sched_waits *waits, int32_t cpu)
{
	task_stats_lose(&waits->tasks, cpu);
}
