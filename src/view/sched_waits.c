// SPDX-License-Identifier: BSD-2-Clause
#include "view/sched_waits.h"

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

static enum task_place place_of(const struct sched_waits *waits, const struct task_wait *wait)
{
	return wait->epoch == waits->tasks.epoch ? wait->place : TASK_PLACE_UNKNOWN;
}

static void put(struct sched_waits *waits, struct task_wait *wait, enum task_place place,
		int64_t time_ns)
{
	if (wait == waits->waits) /* many tasks: they are not in one place */
		return;
	wait->place = place;
	wait->since_ns = time_ns;
	wait->epoch = waits->tasks.epoch;
}

void sched_waits_wake(struct sched_waits *waits, int64_t time_ns, int32_t tid, bool second)
{
	struct task_wait *wait;

	if (!tid)
		return;
	wait = wait_at(waits, tid);
	wait->was_woken = true;
	switch (place_of(waits, wait)) {
	case TASK_PLACE_UNKNOWN:
		if (second) /* the wait began with the first one, which is not there */
			break;
		/* fallthrough */
	case TASK_PLACE_ASLEEP:
		put(waits, wait, TASK_PLACE_WOKEN, time_ns);
		break;
	case TASK_PLACE_CPU: /* it was about to sleep, and runs on */
	case TASK_PLACE_WOKEN: /* sched.waking came before sched.wakeup */
	case TASK_PLACE_PREEMPTED:
	default:
		break;
	}
}

static struct latency *latency_at(struct sched_waits *waits, struct task_wait *wait)
{
	if (!wait->woken && waits->latencies < SCHED_WAITS_LIMIT) {
		wait->woken = calloc(1, sizeof(*wait->woken));
		waits->latencies += wait->woken != NULL;
	}
	return wait->woken ?: waits->waits[0].woken;
}

/* Whether all switches of a task are there. */
static bool is_whole(const struct sched_waits *waits, const struct task_wait *wait)
{
	return !waits->filtered || wait->was_woken;
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
	enum task_place place = place_of(waits, wait);
	uint64_t ns = (uint64_t)time_ns - (uint64_t)wait->since_ns;

	if (place == TASK_PLACE_WOKEN && time_ns >= wait->since_ns)
		latency_add(latency_at(waits, wait), ns);
	else if (place == TASK_PLACE_PREEMPTED && time_ns >= wait->since_ns &&
		 is_whole(waits, wait))
		add_preempted(waits, wait, ns);
	else
		wait->unmatched++;
	cpu_set_add(&wait->cpus, cpu);
	put(waits, wait, TASK_PLACE_CPU, time_ns);
}

static void leave(struct sched_waits *waits, int32_t cpu, int64_t time_ns, int32_t tid,
		  bool preempted)
{
	struct task_wait *wait = wait_at(waits, tid);

	wait->involuntary += preempted;
	wait->voluntary += !preempted;
	cpu_set_add(&wait->cpus, cpu);
	put(waits, wait, preempted ? TASK_PLACE_PREEMPTED : TASK_PLACE_ASLEEP, time_ns);
}

void sched_waits_switch(struct sched_waits *waits, int32_t cpu, int64_t time_ns, int32_t prev,
			bool preempted, int32_t next)
{
	task_stats_switch(&waits->tasks, cpu, time_ns, prev, next);
	if (prev)
		leave(waits, cpu, time_ns, prev, preempted);
	if (next)
		come(waits, cpu, time_ns, next);
}

void sched_waits_lose(struct sched_waits *waits, int32_t cpu)
{
	task_stats_lose(&waits->tasks, cpu);
}
