// SPDX-License-Identifier: BSD-2-Clause
#include "view/report_sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "view/amount.h"
#include "view/cell.h"
#include "view/json_member.h"
#include "view/latency_write.h"
#include "view/report.h"
#include "view/report_kind.h"
#include "view/sched_waits.h"
#include "view/table.h"
#include "view/view.h"

enum class_kind {
	CLASS_OTHER, /* or not to be shown */
	CLASS_WAKE,
	CLASS_SWITCH,
	CLASS_LOST,
};

struct class_entry {
	enum class_kind kind;
	int tid; /* index of the field that says who wakes up, or who comes */
	int state; /* of a switch, 0 = could have run on */
	bool second; /* of a wakeup, for sched_waits_wake */
};

struct sched_report {
	struct report report;
	struct class_entry *classes; /* by event_class.index */
	struct sched_waits waits;
	/* At the end. */
	struct report_span span;
	struct latency woken; /* of all tasks */
	struct task_wait all;
};

/* One task at the end. */
struct ranked_wait {
	const struct task_wait *wait;
	int32_t tid; /* -1: all others */
	uint64_t cpu_ns;
};

static void count_event(struct sched_report *sr, const struct class_entry *entry,
			const struct event *event)
{
	int32_t tid = (int32_t)event_uint(event, (size_t)entry->tid);

	sr->report.events++;
	if (entry->kind == CLASS_WAKE)
		sched_waits_wake(&sr->waits, event->time_ns, tid, entry->second);
	else
		sched_waits_switch(&sr->waits, event->cpu, event->time_ns, event->tid,
				   !event_uint(event, (size_t)entry->state), tid);
}

static void sched_batch(struct report *report, const struct event *events, size_t count)
{
	struct sched_report *sr = (struct sched_report *)report;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct class_entry *entry = &sr->classes[events[i].class->index];

		if (entry->kind == CLASS_OTHER)
			continue;
		if (__builtin_expect(entry->kind == CLASS_LOST, 0))
			sched_waits_lose(&sr->waits, events[i].cpu);
		else
			count_event(sr, entry, &events[i]);
	}
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
	/* Else not every switch is there: whoever came last may have left long ago. */
	if (!trace_info_is_filtered(report->view->info))
		task_stats_end(&sr->waits.tasks, span->end_ns);
	sr->all.woken = &sr->woken;
	for (i = 0; i < count; i++) {
		const struct task_wait *wait = &sr->waits.waits[i];

		if (wait->woken)
			latency_merge(&sr->woken, wait->woken);
		add_up(&sr->all, wait);
	}
}

static uint64_t woken_ns(const struct task_wait *wait)
{
	return wait->woken ? wait->woken->total_ns : 0;
}

static uint64_t woken_count(const struct task_wait *wait)
{
	return wait->woken ? wait->woken->count : 0;
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

	return by_weight(woken_ns(a->wait) + a->wait->preempted_ns,
			 woken_ns(b->wait) + b->wait->preempted_ns, a->tid, b->tid);
}

static int compare_running(const void *left, const void *right)
{
	const struct ranked_wait *a = left, *b = right;

	return by_weight(a->cpu_ns, b->cpu_ns, a->tid, b->tid);
}

/* The tasks that were on a CPU or waited for one, the idle ones left out. */
static struct ranked_wait *rank_tasks(const struct sched_report *sr,
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

		if (task->tid && (task->cpu_ns || woken_count(wait) || wait->preempted ||
				  wait->unmatched || wait->voluntary || wait->involuntary))
			list[(*count)++] = (struct ranked_wait){wait, task->tid, task->cpu_ns};
	}
	qsort(list, *count, sizeof(*list), compare);
	return list;
}

/* What stands behind the name of a task. */
static void add_waiting(struct table *table, const struct task_wait *wait)
{
	static const unsigned int asked[] = {500, 900, 990};
	bool known = woken_count(wait);
	size_t i;

	table_add(table, "%s", amount_count_or_blank(woken_count(wait)).text);
	table_add(table, "%s", amount_time_or_blank(woken_ns(wait), known).text);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		table_add(table, "%s",
			  known ? amount_time(latency_percentile(wait->woken, asked[i])).text : "");
	table_add(table, "%s", known ? amount_time(wait->woken->max_ns).text : "");
	table_add(table, "%s", amount_count_or_blank(wait->preempted).text);
	table_add(table, "%s", amount_time_or_blank(wait->preempted_ns, wait->preempted).text);
}

/* With the task that it is most about: the recorder's own wakeups, for one, are in no trace. */
static void write_unmatched(const struct sched_report *sr, const struct ranked_wait *list,
			    size_t count, struct buffer *out)
{
	const struct ranked_wait *most = list;
	uint64_t times = sr->all.unmatched;
	size_t i;

	if (!times)
		return;
	for (i = 1; i < count; i++)
		if (list[i].wait->unmatched > most->wait->unmatched)
			most = &list[i];
	buffer_format(out, "%s time%s since when a task had waited is not known: not counted",
		      amount_count(times).text, times == 1 ? "" : "s");
	buffer_format(out, " (%s of %s)\n", amount_count(most->wait->unmatched).text,
		      cell_text_task(sr->report.view->names, most->tid).text);
}

static int write_waiting(const struct sched_report *sr, const struct report_options *options,
			 struct buffer *out)
{
	static const char *const titles[] = {"task by time waiting",
					     "woken",
					     "waited",
					     "p50",
					     "p90",
					     "p99",
					     "longest",
					     "preempted",
					     "waited",
					     NULL};
	size_t i, count, shown;
	struct ranked_wait *list = rank_tasks(sr, compare_waiting, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	shown = report_rows(options, count);
	table_init(&table, titles);
	table_add(&table, "(all)");
	add_waiting(&table, &sr->all);
	for (i = 0; i < shown; i++) {
		cell_task(&table, sr->report.view->names, list[i].tid);
		add_waiting(&table, list[i].wait);
	}
	table_finish(&table, out, shown, count);
	write_unmatched(sr, list, count, out);
	free(list);
	return 0;
}

static void add_cpus(struct table *table, const struct cpu_set *cpus)
{
	struct buffer text;

	buffer_init(&text);
	cpu_set_write(cpus, &text);
	table_add(table, "%.*s", (int)text.len, text.len ? text.data : "");
	buffer_fini(&text);
}

static void add_running(struct table *table, const struct task_wait *wait, uint64_t cpu_ns,
			uint64_t duration_ns)
{
	double share = duration_ns ? 100.0 * (double)cpu_ns / (double)duration_ns : 0;

	table_add(table, "%s", amount_time(cpu_ns).text);
	table_add(table, "%.1f %%", share);
	table_add(table, "%s", amount_count(wait->voluntary + wait->involuntary).text);
	table_add(table, "%s", amount_count_or_blank(wait->voluntary).text);
	table_add(table, "%s", amount_count_or_blank(wait->involuntary).text);
	add_cpus(table, &wait->cpus);
}

static uint64_t add_cpu_ns(const struct ranked_wait *list, size_t count)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < count; i++)
		sum += list[i].cpu_ns;
	return sum;
}

static int write_running(const struct sched_report *sr, const struct report_options *options,
			 struct buffer *out)
{
	static const char *const titles[] = {
		"task by time on a CPU", "time", "of one CPU", "switches", "voluntary",
		"involuntary",		 "CPUs", NULL};
	uint64_t duration_ns = (uint64_t)sr->span.end_ns - (uint64_t)sr->span.begin_ns;
	size_t i, count, shown;
	struct ranked_wait *list = rank_tasks(sr, compare_running, &count);
	struct table table;

	if (!list)
		return -ENOMEM;
	shown = report_rows(options, count);
	table_init(&table, titles);
	table_add(&table, "(all)");
	add_running(&table, &sr->all, add_cpu_ns(list, count), duration_ns);
	for (i = 0; i < shown; i++) {
		cell_task(&table, sr->report.view->names, list[i].tid);
		add_running(&table, list[i].wait, list[i].cpu_ns, duration_ns);
	}
	table_finish(&table, out, shown, count);
	free(list);
	return 0;
}

static void write_histogram(const char *title, const struct latency *latency, struct buffer *out)
{
	if (latency->count)
		buffer_format(out, "\n%s\n", title);
	latency_write_text(latency, out);
}

/* One for each task of the table of those that wait. */
static int write_histograms(const struct sched_report *sr, const struct report_options *options,
			    struct buffer *out)
{
	size_t i, count;
	struct ranked_wait *list = rank_tasks(sr, compare_waiting, &count);

	if (!list)
		return -ENOMEM;
	for (i = 0; i < report_rows(options, count); i++)
		if (list[i].wait->woken)
			write_histogram(cell_text_task(sr->report.view->names, list[i].tid).text,
					list[i].wait->woken, out);
	free(list);
	return 0;
}

/* "5 waits of woken tasks, 1.2 ms" */
static void write_waits(struct buffer *out, const struct latency *latency, const char *whose)
{
	buffer_format(out, "%s wait%s of %s tasks, %s", amount_count(latency->count).text,
		      latency->count == 1 ? "" : "s", whose, amount_time(latency->total_ns).text);
}

static void write_summary(const struct sched_report *sr, struct buffer *out)
{
	buffer_string(out, "Scheduler: ");
	write_waits(out, &sr->woken, "woken");
	buffer_string(out, "; ");
	write_waits(out, &sr->waits.preempted, "preempted");
	buffer_char(out, '\n');
}

static int sched_text(const struct report *report, const struct report_options *options,
		      struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	int err;

	write_summary(sr, out);
	err = write_waiting(sr, options, out);
	if (err)
		return err;
	write_histogram("from wakeup to running, all tasks", &sr->woken, out);
	write_histogram("from preemption to running, all tasks", &sr->waits.preempted, out);
	err = write_running(sr, options, out);
	return err || !options->histograms ? err : write_histograms(sr, options, out);
}

static void put_waits(const struct task_wait *wait, uint64_t cpu_ns, struct buffer *out)
{
	static const struct latency none;
	int32_t cpu = -1;
	const char *before = "";

	json_member_uint(out, "", "cpu_ns", cpu_ns);
	json_member_uint(out, ",", "switches", wait->voluntary + wait->involuntary);
	json_member_uint(out, ",", "voluntary", wait->voluntary);
	json_member_uint(out, ",", "involuntary", wait->involuntary);
	json_member_key(out, ",", "cpus");
	buffer_char(out, '[');
	while ((cpu = cpu_set_next(&wait->cpus, cpu)) >= 0) {
		buffer_string(out, before);
		buffer_int(out, cpu);
		before = ",";
	}
	buffer_char(out, ']');
	json_member_uint(out, ",", "unmatched", wait->unmatched);
	json_member_key(out, ",", "woken");
	buffer_char(out, '{');
	latency_write_json(wait->woken ?: &none, out);
	buffer_char(out, '}');
}

static void put_task(const struct sched_report *sr, const struct ranked_wait *ranked,
		     struct buffer *out)
{
	const struct task_name *name = task_names_get(sr->report.view->names, ranked->tid);
	const struct task_wait *wait = ranked->wait;

	buffer_char(out, '{');
	if (ranked->tid >= 0)
		json_member_int(out, "", "tid", ranked->tid);
	if (ranked->tid >= 0 && name->len)
		json_member_text(out, ",", "comm", name->text, TASK_NAME_LEN(name));
	if (ranked->tid >= 0)
		buffer_char(out, ',');
	put_waits(wait, ranked->cpu_ns, out);
	json_member_key(out, ",", "preempted");
	json_member_uint(out, "{", "count", wait->preempted);
	json_member_uint(out, ",", "total_ns", wait->preempted_ns);
	if (wait->preempted)
		json_member_uint(out, ",", "max_ns", wait->preempted_max_ns);
	buffer_string(out, "}}");
}

static int sched_json(const struct report *report, const struct report_options *options,
		      struct buffer *out)
{
	const struct sched_report *sr = (const struct sched_report *)report;
	size_t i, count;
	struct ranked_wait *list = rank_tasks(sr, compare_waiting, &count);

	if (!list)
		return -ENOMEM;
	buffer_char(out, '{');
	put_waits(&sr->all, add_cpu_ns(list, count), out);
	json_member_key(out, ",", "preempted");
	buffer_char(out, '{');
	latency_write_json(&sr->waits.preempted, out);
	buffer_char(out, '}');
	json_member_key(out, ",", "tasks");
	buffer_char(out, '[');
	for (i = 0; i < report_rows(options, count); i++) {
		if (i)
			buffer_char(out, ',');
		put_task(sr, &list[i], out);
	}
	buffer_string(out, "]}");
	free(list);
	return 0;
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
	sched_batch, sched_end, sched_text, sched_json, sched_free,
};

static bool shows_waking(const struct view *view)
{
	size_t i;

	for (i = 0; i < view->info->class_count; i++) {
		const struct event_class *class = view->info->classes[i];

		if (select_shows(view->select, class) && !strcmp(class->name, "sched.waking"))
			return true;
	}
	return false;
}

static void class_entry_init(struct class_entry *entry, const struct event_class *class,
			     const struct view *view)
{
	static const char *const wakes[] = {"sched.waking", "sched.wakeup", "sched.wakeup_new"};
	size_t i;

	if (class->role == EVENT_ROLE_LOST)
		entry->kind = CLASS_LOST;
	if (class->role == EVENT_ROLE_LOST || !select_shows(view->select, class))
		return;
	if (!strcmp(class->name, "sched.switch")) {
		entry->tid = event_class_find_number(class, "next_tid");
		entry->state = event_class_find_number(class, "prev_state");
		if (entry->tid >= 0 && entry->state >= 0)
			entry->kind = CLASS_SWITCH;
		return;
	}
	entry->tid = event_class_find_number(class, "wake_tid");
	entry->second = !strcmp(class->name, "sched.wakeup") && shows_waking(view);
	for (i = 0; i < sizeof(wakes) / sizeof(wakes[0]); i++)
		if (entry->tid >= 0 && !strcmp(class->name, wakes[i]))
			entry->kind = CLASS_WAKE;
}

struct report *report_sched_new(const struct view *view)
{
	struct sched_report *sr = calloc(1, sizeof(*sr));
	size_t i;

	if (!sr)
		return NULL;
	sr->report = (struct report){.ops = &sched_ops, .view = view};
	sr->classes = calloc(view->info->class_count ?: 1, sizeof(*sr->classes));
	if (sched_waits_init(&sr->waits) || !sr->classes) {
		sched_free(&sr->report);
		return NULL;
	}
	sr->waits.filtered = trace_info_is_filtered(view->info);
	for (i = 0; i < view->info->class_count; i++)
		class_entry_init(&sr->classes[i], view->info->classes[i], view);
	return &sr->report;
}
