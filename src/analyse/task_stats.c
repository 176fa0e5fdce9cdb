// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/task_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_TASKS 256u
#define FIRST_CPUS 16u

int task_stats_init(struct task_stats *stats)
{
	*stats = (struct task_stats){.epoch = 1};
	stats->index = tid_index_new(TASK_STATS_LIMIT);
	stats->tasks = calloc(FIRST_TASKS, sizeof(*stats->tasks));
	if (!stats->index || !stats->tasks)
		return -ENOMEM;
	stats->room = FIRST_TASKS;
	stats->tasks[0].tid = -1;
	return 0;
}

void task_stats_fini(struct task_stats *stats)
{
	tid_index_free(stats->index);
	free(stats->tasks);
	free(stats->runs);
	*stats = (struct task_stats){0};
}

/* Before a number is given: the array has a place for the next one, or the task is of no number. */
static bool make_room(struct task_stats *stats)
{
	struct task_count *larger;

	if (stats->index->count + 1 < stats->room)
		return true;
	larger = realloc(stats->tasks, 2 * stats->room * sizeof(*larger));
	if (!larger)
		return false;
	memset(larger + stats->room, 0, stats->room * sizeof(*larger));
	stats->tasks = larger;
	stats->room *= 2;
	return true;
}

struct task_count *task_stats_add(struct task_stats *stats, int32_t tid)
{
	uint32_t i = make_room(stats) ? tid_index_add(stats->index, tid) : 0;

	if (i)
		stats->tasks[i].tid = tid;
	return &stats->tasks[i];
}

static struct cpu_run *run_at(struct task_stats *stats, int32_t cpu)
{
	size_t want = (size_t)cpu + 1, count = stats->run_count ?: FIRST_CPUS;
	struct cpu_run *runs;

	if (cpu < 0 || want > TASK_STATS_CPUS)
		return NULL;
	if (want <= stats->run_count)
		return &stats->runs[cpu];
	while (count < want)
		count *= 2;
	runs = realloc(stats->runs, count * sizeof(*runs));
	if (!runs)
		return NULL;
	memset(runs + stats->run_count, 0, (count - stats->run_count) * sizeof(*runs));
	stats->runs = runs;
	stats->run_count = count;
	return &runs[cpu];
}

static void close_run(struct task_stats *stats, struct cpu_run *run, int64_t time_ns)
{
	if (run->known && time_ns > run->since_ns && !stats->learning)
		task_stats_at(stats, run->tid)->cpu_ns += (uint64_t)(time_ns - run->since_ns);
	run->known = false;
}

/* Without CPUs, each task's own events say when it comes and leaves. The idle tasks are many. */
static void leave(struct task_stats *stats, struct task_count *task, int64_t time_ns)
{
	if (task->tid > 0 && task->came_epoch == stats->epoch && time_ns > task->came_ns &&
	    !stats->learning)
		task->cpu_ns += (uint64_t)(time_ns - task->came_ns);
	task->came_epoch = 0;
}

static void switch_somewhere(struct task_stats *stats, int64_t time_ns, int32_t prev, int32_t next)
{
	struct task_count *task;

	leave(stats, task_stats_at(stats, prev), time_ns);
	task = task_stats_at(stats, next);
	task->came_ns = time_ns;
	task->came_epoch = stats->epoch;
}

void task_stats_switch(struct task_stats *stats, int32_t cpu, int64_t time_ns, int32_t prev,
		       int32_t next)
{
	struct cpu_run *run = run_at(stats, cpu);

	stats->has_switches = true;
	if (cpu < 0 && !stats->run_count)
		switch_somewhere(stats, time_ns, prev, next);
	if (!run)
		return;
	if (run->tid == prev)
		close_run(stats, run, time_ns);
	*run = (struct cpu_run){.since_ns = time_ns, .tid = next, .known = next >= 0};
}

void task_stats_lose(struct task_stats *stats, int32_t cpu)
{
	size_t i;

	if (!++stats->epoch)
		stats->epoch = 1;
	for (i = 0; i < stats->run_count; i++)
		if (cpu < 0 || i == (size_t)cpu)
			stats->runs[i].known = false;
}

void task_stats_end(struct task_stats *stats, int64_t time_ns)
{
	size_t i;

	for (i = 0; i < stats->run_count; i++)
		close_run(stats, &stats->runs[i], time_ns);
	for (i = 1; i <= stats->index->count; i++)
		leave(stats, &stats->tasks[i], time_ns);
}
