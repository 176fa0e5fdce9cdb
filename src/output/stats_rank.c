// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats_rank.h"

#include <stdlib.h>

#include "output/stats.h"
#include "schema/event.h"

/* For qsort: the greater first; where equal, by @tie upwards. */
static int by_weight(uint64_t a, uint64_t b, uint64_t tie_a, uint64_t tie_b)
{
	if (a != b)
		return a > b ? -1 : 1;
	if (tie_a != tie_b)
		return tie_a < tie_b ? -1 : 1;
	return 0;
}

static int compare_classes(const void *left, const void *right)
{
	const struct class_count *a = *(const struct class_count *const *)left;
	const struct class_count *b = *(const struct class_count *const *)right;

	return by_weight(a->events, b->events, a->class->index, b->class->index);
}

static int compare_tasks(const void *left, const void *right)
{
	const struct task_count *a = *(const struct task_count *const *)left;
	const struct task_count *b = *(const struct task_count *const *)right;

	return by_weight(a->events, b->events, (uint32_t)a->tid, (uint32_t)b->tid);
}

static int compare_running(const void *left, const void *right)
{
	const struct task_count *a = *(const struct task_count *const *)left;
	const struct task_count *b = *(const struct task_count *const *)right;

	return by_weight(a->cpu_ns, b->cpu_ns, (uint32_t)a->tid, (uint32_t)b->tid);
}

static int compare_calls(const void *left, const void *right)
{
	const struct ranked_call *a = left, *b = right;

	return by_weight(call_count_calls(a->call), call_count_calls(b->call),
			 (uint64_t)a->nr << 1 | a->compat, (uint64_t)b->nr << 1 | b->compat);
}

static int compare_conns(const void *left, const void *right)
{
	const struct conn_count *a = *(const struct conn_count *const *)left;
	const struct conn_count *b = *(const struct conn_count *const *)right;

	if (a->id.cookie != b->id.cookie || a->events != b->events)
		return by_weight(a->events, b->events, a->id.cookie, b->id.cookie);
	return by_weight(b->id.lport, a->id.lport, a->id.rport, b->id.rport);
}

const struct class_count **stats_rank_classes(const struct stats *stats, size_t *count)
{
	const struct class_count **list = calloc(stats->class_count + 1, sizeof(*list));
	size_t i;

	*count = 0;
	if (!list)
		return NULL;
	for (i = 0; i < stats->class_count; i++)
		if (stats->classes[i].events)
			list[(*count)++] = &stats->classes[i];
	qsort(list, *count, sizeof(*list), compare_classes);
	return list;
}

/* The tasks that have time on a CPU, if @running, or events. */
static const struct task_count **list_tasks(const struct stats *stats, bool running, size_t *count)
{
	size_t i, total = stats->tasks.index->count + 1u;
	const struct task_count **list = calloc(total, sizeof(*list));

	*count = 0;
	if (!list)
		return NULL;
	for (i = 0; i < total; i++) {
		const struct task_count *task = &stats->tasks.tasks[i];

		if (running ? task->cpu_ns && task->tid != 0 : task->events)
			list[(*count)++] = task;
	}
	return list;
}

const struct task_count **stats_rank_tasks(const struct stats *stats, size_t *count)
{
	const struct task_count **list = list_tasks(stats, false, count);

	if (list)
		qsort(list, *count, sizeof(*list), compare_tasks);
	return list;
}

const struct task_count **stats_rank_running(const struct stats *stats, size_t *count)
{
	const struct task_count **list = list_tasks(stats, true, count);

	if (list)
		qsort(list, *count, sizeof(*list), compare_running);
	return list;
}

struct ranked_call *stats_rank_calls(const struct stats *stats, size_t *count)
{
	struct ranked_call *list = call_stats_list(stats->calls, count);

	if (list)
		qsort(list, *count, sizeof(*list), compare_calls);
	return list;
}

const struct conn_count **stats_rank_conns(const struct stats *stats, size_t *count)
{
	const struct conn_count **list = calloc(stats->conns.map.count + 1, sizeof(*list));
	const void *key;
	void *value;
	size_t at = 0;

	*count = 0;
	if (!list)
		return NULL;
	while (map_next(&stats->conns.map, &at, &key, &value))
		list[(*count)++] = value;
	qsort(list, *count, sizeof(*list), compare_conns);
	return list;
}
