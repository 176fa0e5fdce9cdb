// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_sched.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/switch_sides.h"

enum class_kind {
	CLASS_OTHER, /* or not to be shown */
	CLASS_WAKE,
	CLASS_SWITCH,
	CLASS_LOST,
};

struct sched_class {
	enum class_kind kind;
	int tid; /* index of the field with the task that wakes up, or comes */
	int state; /* of a switch, 0 = could have run on */
	int sides; /* of a switch (analyse/switch_sides) */
	bool second; /* of a wakeup, for sched_waits_wake */
};

static void count_event(struct sched_report *sr, const struct sched_class *entry,
			const struct event *event)
{
	int32_t tid = (int32_t)event_uint(event, (size_t)entry->tid);
	unsigned int sides;

	sr->report.events += !sr->waits.learning;
	if (entry->kind == CLASS_WAKE) {
		sched_waits_wake(&sr->waits, event->time_ns, tid, entry->second);
		return;
	}
	sides = switch_sides(entry->sides, event);
	sched_waits_switch(&sr->waits, event->cpu, event->time_ns, switch_prev(sides, event->tid),
			   !event_uint(event, (size_t)entry->state), switch_next(sides, tid));
}

static void sched_batch(struct report *report, const struct event *events, size_t count)
{
	struct sched_report *sr = (struct sched_report *)report;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct sched_class *entry = &sr->classes[events[i].class->index];

		if (entry->kind == CLASS_OTHER)
			continue;
		if (__builtin_expect(entry->kind == CLASS_LOST, 0))
			sched_waits_lose(&sr->waits, events[i].cpu);
		else
			count_event(sr, entry, &events[i]);
	}
}

static void sched_learn(struct report *report, const struct event *events, size_t count)
{
	struct sched_report *sr = (struct sched_report *)report;

	sr->chosen = true;
	sr->waits.learning = true;
	sched_batch(report, events, count);
	sr->waits.learning = false;
}

static void add_up(struct task_wait *all, const struct task_wait *wait)
{
	all->preempted += wait->preempted;
	all->preempted_ns += wait->preempted_ns;
	if (wait->preempted_max_ns > all->preempted_max_ns)
		all->preempted_max_ns = wait->preempted_max_ns;
	all->unmatched += wait->unmatched;
	all->voluntary += wait->voluntary;
	all->involuntary += wait->involuntary;
	cpu_set_merge(&all->cpus, &wait->cpus);
}

static void sched_end(struct report *report, const struct report_span *span)
{
	struct sched_report *sr = (struct sched_report *)report;
	size_t i, count = sched_waits_count(&sr->waits);

	sr->span = *span;
	/* Else not every switch is there, or counts: the task that came last may have left long ago. */
	if (!sr->waits.filtered && !sr->chosen)
		task_stats_end(&sr->waits.tasks, span->end_ns);
	sr->all.woken = &sr->woken;
	sr->all_ranked = (struct ranked_wait){.wait = &sr->all, .tid = -1};
	for (i = 0; i < count; i++) {
		const struct task_wait *wait = &sr->waits.waits[i];

		if (wait->woken)
			latency_merge(&sr->woken, wait->woken);
		add_up(&sr->all, wait);
		if (sr->waits.tasks.tasks[i].tid)
			sr->all_ranked.cpu_ns += sr->waits.tasks.tasks[i].cpu_ns;
	}
}

static int by_weight(uint64_t a, uint64_t b, int32_t tid_a, int32_t tid_b)
{
	if (a != b)
		return a > b ? -1 : 1;
	return (uint32_t)tid_a < (uint32_t)tid_b ? -1 : tid_a != tid_b;
}

static int compare_waiting(const void *left, const void *right)
{
	const struct ranked_wait *a = left, *b = right;

	return by_weight(task_wait_woken_ns(a->wait) + a->wait->preempted_ns,
			 task_wait_woken_ns(b->wait) + b->wait->preempted_ns, a->tid, b->tid);
}

static int compare_running(const void *left, const void *right)
{
	const struct ranked_wait *a = left, *b = right;

	return by_weight(a->cpu_ns, b->cpu_ns, a->tid, b->tid);
}

/* The tasks that were on a CPU or waited for one, the idle ones left out. */
static struct ranked_wait *rank(const struct sched_report *sr,
				int (*compare)(const void *, const void *), size_t *count)
{
	size_t i, total = sched_waits_count(&sr->waits);
	struct ranked_wait *list = calloc(total, sizeof(*list));

	*count = 0;
	if (!list)
		return NULL;
	for (i = 0; i < total; i++) {
		const struct task_count *task = &sr->waits.tasks.tasks[i];
		const struct task_wait *wait = &sr->waits.waits[i];

		if (task->tid && (task->cpu_ns || task_wait_woken(wait) || wait->preempted ||
				  wait->unmatched || wait->voluntary || wait->involuntary))
			list[(*count)++] = (struct ranked_wait){wait, task->tid, task->cpu_ns};
	}
	qsort(list, *count, sizeof(*list), compare);
	return list;
}

struct ranked_wait *report_sched_rank_waiting(const struct sched_report *sr, size_t *count)
{
	return rank(sr, compare_waiting, count);
}

struct ranked_wait *report_sched_rank_running(const struct sched_report *sr, size_t *count)
{
	return rank(sr, compare_running, count);
}

static void sched_free(struct report *report)
{
	struct sched_report *sr = (struct sched_report *)report;

	sched_waits_fini(&sr->waits);
	cpu_set_fini(&sr->all.cpus);
	free(sr->classes);
	free(sr);
}

static const struct report_ops sched_ops = {
	sched_batch,
	sched_learn,
	sched_end,
	sched_free,
};

static bool shows_waking(const struct analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->info->class_count; i++) {
		const struct event_class *class = analysis->info->classes[i];

		if (select_shows(analysis->select, class) && !strcmp(class->name, "sched.waking"))
			return true;
	}
	return false;
}

static void sched_class_init(struct sched_class *entry, const struct event_class *class,
			     const struct analysis *analysis)
{
	static const char *const wakes[] = {"sched.waking", "sched.wakeup", "sched.wakeup_new"};
	size_t i;

	if (class->role == EVENT_ROLE_LOST)
		entry->kind = CLASS_LOST;
	if (class->role == EVENT_ROLE_LOST || !select_shows(analysis->select, class))
		return;
	if (!strcmp(class->name, "sched.switch")) {
		entry->tid = event_class_find_number(class, "next_tid");
		entry->state = event_class_find_number(class, "prev_state");
		entry->sides = switch_sides_find(class);
		if (entry->tid >= 0 && entry->state >= 0)
			entry->kind = CLASS_SWITCH;
		return;
	}
	entry->tid = event_class_find_number(class, "wake_tid");
	entry->second = !strcmp(class->name, "sched.wakeup") && shows_waking(analysis);
	for (i = 0; i < sizeof(wakes) / sizeof(wakes[0]); i++)
		if (entry->tid >= 0 && !strcmp(class->name, wakes[i]))
			entry->kind = CLASS_WAKE;
}

struct report *report_sched_new(const struct analysis *analysis)
{
	struct sched_report *sr = calloc(1, sizeof(*sr));
	size_t i;

	if (!sr)
		return NULL;
	sr->report = (struct report){.ops = &sched_ops, .analysis = analysis};
	sr->classes = calloc(analysis->info->class_count ?: 1, sizeof(*sr->classes));
	if (sched_waits_init(&sr->waits) || !sr->classes) {
		sched_free(&sr->report);
		return NULL;
	}
	sr->waits.filtered = switch_sides_unknown(analysis->info);
	for (i = 0; i < analysis->info->class_count; i++)
		sched_class_init(&sr->classes[i], analysis->info->classes[i], analysis);
	return &sr->report;
}
