// SPDX-License-Identifier: BSD-2-Clause
#include "output/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "analyse/switch_sides.h"
#include "output/view.h"
#include "schema/derived.h"
#include "schema/lost.h"
#include "schema/origin.h"

static void class_count_init(struct class_count *cc, const struct event_class *class)
{
	cc->class = class;
	cc->note = !strncmp(class->name, "sonde.", 6);
	cc->next_tid = event_class_find_number(class, "next_tid");
	cc->sides = switch_sides_find(class);
	if (call_fields_find(&cc->call, class))
		cc->kind = STATS_CALL;
	else if (!strcmp(class->name, "sched.switch") && cc->next_tid >= 0)
		cc->kind = STATS_SWITCH;
	else if (conn_fields_find(&cc->conn, class))
		cc->kind = STATS_CONN;
	else if (sample_fields_find(&cc->sample, class))
		cc->kind = STATS_SAMPLE;
	disk_fields_find(&cc->disk, class);
	if (cc->disk.stage != DISK_NONE)
		cc->kind = STATS_DISK;
}

/* The entry of @cpu; that of unknown CPUs where it is not to be had. */
static struct loss_count *loss_at(struct stats *stats, int32_t cpu)
{
	size_t want = cpu < 0 || cpu >= (int32_t)TASK_STATS_CPUS ? 0 : (size_t)cpu + 1;
	size_t room = stats->loss_room;
	struct loss_count *larger;

	if (want < room)
		return &stats->losses[want];
	while (room <= want)
		room *= 2;
	larger = realloc(stats->losses, room * sizeof(*larger));
	if (!larger)
		return &stats->losses[0];
	memset(larger + stats->loss_room, 0, (room - stats->loss_room) * sizeof(*larger));
	stats->losses = larger;
	stats->loss_room = room;
	return &larger[want];
}

static void loss_add(struct loss_count *loss, const struct event *event)
{
	loss->count += event_uint(event, LOST_COUNT);
	loss->nested += event_uint(event, LOST_NESTED);
	loss->recursion += event_uint(event, LOST_RECURSION);
	loss->packets += event_uint(event, LOST_PACKETS);
}

static void count_lost(struct stats *stats, const struct event *event)
{
	const uint32_t stream = lost_stream(event);

	if (stream < stats->view->analysis.info->stream_count)
		stats->stream_losses[stream] += event_uint(event, LOST_COUNT);
	loss_add(loss_at(stats, event->cpu), event);
	loss_add(&stats->lost, event);
	task_stats_lose(&stats->tasks, event->cpu);
	disk_times_lose(&stats->disks);
}

/* Of whom the event is, which may be another task than the one that ran. */
static struct task_count *owner_at(struct stats *stats, const struct event *event)
{
	int32_t owner = owner_of_event(analysis_facts(&stats->view->analysis), event->tid);

	return owner == OWNER_UNKNOWN && event->tid != owner ? &stats->unknown :
							       task_stats_at(&stats->tasks, owner);
}

static void count_event(struct stats *stats, const struct event *event)
{
	struct class_count *cc = &stats->classes[event->class->index];
	struct task_count *task = owner_at(stats, event);
	unsigned int sides;

	cc->events++;
	cc->bytes += event->bytes;
	task->events += !cc->note;
	if (__builtin_expect(!stats->events++, 0))
		stats->begin_ns = event->time_ns;
	stats->end_ns = event->time_ns;
	switch (cc->kind) {
	case STATS_CALL:
		(void)call_stats_count(stats->calls, &cc->call, task, stats->tasks.epoch, event);
		break;
	case STATS_SWITCH:
		sides = switch_sides(cc->sides, event);
		task_stats_switch(
			&stats->tasks, event->cpu, event->time_ns, switch_prev(sides, event->tid),
			switch_next(sides, (int32_t)event_uint(event, (size_t)cc->next_tid)));
		break;
	case STATS_CONN:
		conn_stats_count(&stats->conns, &cc->conn, event);
		break;
	case STATS_SAMPLE:
		sample_stats_count(&stats->samples, &cc->sample, stats->view->analysis.info,
				   task_names_get(stats->view->analysis.names, event->class,
						  event->tid),
				   event);
		break;
	case STATS_DISK:
		disk_times_count(&stats->disks, &cc->disk, event);
		break;
	case STATS_PLAIN:
	default:
		break;
	}
}

static int stats_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct stats *stats = (struct stats *)sink;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!analysis_takes(&stats->view->analysis, &events[i]))
			continue;
		if (__builtin_expect(events[i].class->role == EVENT_ROLE_LOST, 0))
			count_lost(stats, &events[i]);
		else
			count_event(stats, &events[i]);
	}
	return 0;
}

static int compare_origins(const void *left, const void *right)
{
	const struct origin_count *a = left, *b = right;

	return origin_compare(a->origin, b->origin);
}

/* The most events first; equal ones by name. */
static int compare_counts(const void *left, const void *right)
{
	const struct origin_count *a = left, *b = right;

	if (a->events != b->events)
		return a->events > b->events ? -1 : 1;
	return origin_compare(a->origin, b->origin);
}

/* Entries of one origin become one, and those without events and losses none. */
static size_t join(struct origin_count *list, size_t count)
{
	size_t joined = 0;

	qsort(list, count, sizeof(*list), compare_origins);
	for (size_t i = 0; i < count; i++) {
		struct origin_count *last = joined ? &list[joined - 1] : NULL;

		if (!list[i].events && !list[i].lost)
			continue;
		if (!last || origin_compare(last->origin, list[i].origin)) {
			list[joined++] = list[i];
			continue;
		}
		last->events += list[i].events;
		last->bytes += list[i].bytes;
		last->lost += list[i].lost;
	}
	return joined;
}

/* Sums up what the classes and streams have counted, before classes of one name become one. */
static int sum_origins(struct stats *stats)
{
	const struct trace_info *info = stats->view->analysis.info;
	struct origin_parts parts = origin_parts_differing(info);
	struct origin_count *list;
	size_t count = 0;

	if (!parts.hosts && !parts.processes)
		return 0;
	list = calloc(stats->class_count + info->stream_count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < stats->class_count; i++)
		list[count++] = (struct origin_count){
			.origin = stats->classes[i].class->origin,
			.events = stats->classes[i].events,
			.bytes = stats->classes[i].bytes,
		};
	for (size_t i = 0; i < info->stream_count; i++)
		list[count++] = (struct origin_count){
			.origin = info->streams[i].origin,
			.lost = stats->stream_losses[i],
		};
	stats->origins = list;
	stats->origin_count = join(list, count);
	qsort(list, stats->origin_count, sizeof(*list), compare_counts);
	return 0;
}

static int compare_names(const void *left, const void *right)
{
	const struct class_count *a = *(struct class_count *const *)left;
	const struct class_count *b = *(struct class_count *const *)right;
	int order = strcmp(a->class->name, b->class->name);

	return order ?: (a > b) - (a < b);
}

/* Streams of one trace each have classes of their own: classes with the same name are merged into the first. */
static int merge_classes(struct stats *stats)
{
	struct class_count **order = calloc(stats->class_count ?: 1, sizeof(*order));
	struct class_count *first = NULL;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < stats->class_count; i++)
		order[i] = &stats->classes[i];
	qsort(order, stats->class_count, sizeof(struct class_count *), compare_names);
	for (size_t i = 0; i < stats->class_count; i++) {
		struct class_count *cc = order[i];

		if (!first || strcmp(first->class->name, cc->class->name)) {
			first = cc;
			continue;
		}
		first->events += cc->events;
		first->bytes += cc->bytes;
		cc->events = cc->bytes = 0;
	}
	free(order);
	return 0;
}

static int stats_finish(struct event_sink *sink)
{
	struct stats *stats = (struct stats *)sink;
	struct output *out = stats->view->out;
	size_t i;
	int err;

	for (i = 0; i < stats->class_count; i++)
		stats->bytes += stats->classes[i].bytes;
	err = sum_origins(stats);
	err = err ? err : merge_classes(stats);
	if (err)
		return err;
	/* Else not every switch is there: the task that came last may have left long ago. */
	if (!switch_sides_unknown(stats->view->analysis.info))
		task_stats_end(&stats->tasks, stats->end_ns);
	err = stats->options.write(stats, &out->buf);
	return err ?: output_flush(out);
}

static void stats_free(struct event_sink *sink)
{
	struct stats *stats = (struct stats *)sink;

	if (!stats)
		return;
	task_stats_fini(&stats->tasks);
	conn_stats_fini(&stats->conns);
	disk_times_fini(&stats->disks);
	sample_stats_fini(&stats->samples);
	free(stats->calls);
	free(stats->losses);
	free(stats->stream_losses);
	free(stats->origins);
	free(stats->classes);
	free(stats);
}

static const struct sink_ops stats_ops = {
	.batch = stats_batch,
	.finish = stats_finish,
	.free = stats_free,
};

struct event_sink *stats_new(const struct view *view, const struct stats_options *options)
{
	struct stats *stats = calloc(1, sizeof(*stats));
	size_t i;

	if (!stats)
		return NULL;
	stats->sink.ops = &stats_ops;
	stats->view = view;
	stats->options = *options;
	stats->class_count = view->analysis.info->class_count;
	stats->classes = calloc(stats->class_count ?: 1, sizeof(*stats->classes));
	stats->loss_room = 16;
	stats->losses = calloc(stats->loss_room, sizeof(*stats->losses));
	stats->stream_losses = calloc(view->analysis.info->stream_count ?: 1, sizeof(uint64_t));
	stats->calls = calloc(1, sizeof(*stats->calls));
	stats->unknown.tid = OWNER_UNKNOWN;
	conn_stats_init(&stats->conns);
	disk_times_init(&stats->disks);
	if (task_stats_init(&stats->tasks) || sample_stats_init(&stats->samples, false) ||
	    !stats->classes || !stats->losses || !stats->stream_losses || !stats->calls) {
		stats_free(&stats->sink);
		return NULL;
	}
	for (i = 0; i < stats->class_count; i++)
		class_count_init(&stats->classes[i], view->analysis.info->classes[i]);
	return &stats->sink;
}

bool stats_can_add(const struct event_sink *sink)
{
	const struct stats *stats = (const struct stats *)sink;

	if (stats->view->analysis.derives)
		return false;
	for (size_t i = 0; i < stats->class_count; i++)
		if (stats->classes[i].kind != STATS_PLAIN &&
		    select_shows(stats->view->analysis.select,
				 stats->view->analysis.info->classes[i]))
			return false;
	return true;
}

static void add_loss(struct loss_count *into, const struct loss_count *from)
{
	into->count += from->count;
	into->nested += from->nested;
	into->recursion += from->recursion;
	into->packets += from->packets;
}

static void add_losses(struct stats *into, const struct stats *from)
{
	add_loss(&into->lost, &from->lost);
	for (size_t i = 0; i < from->view->analysis.info->stream_count; i++)
		into->stream_losses[i] += from->stream_losses[i];
	for (size_t i = 0; i < from->loss_room; i++) {
		const struct loss_count *loss = &from->losses[i];

		if (loss->count || loss->packets)
			add_loss(loss_at(into, (int32_t)i - 1), loss);
	}
}

/* Plain events alone: no calls, switches, connections, samples or disks. */
bool stats_add(struct event_sink *into_sink, const struct event_sink *from_sink)
{
	struct stats *into = (struct stats *)into_sink;
	const struct stats *from = (const struct stats *)from_sink;

	if (from->events && (!into->events || from->begin_ns < into->begin_ns))
		into->begin_ns = from->begin_ns;
	if (from->events && (!into->events || from->end_ns > into->end_ns))
		into->end_ns = from->end_ns;
	into->events += from->events;
	for (size_t i = 0; i < into->class_count; i++) {
		into->classes[i].events += from->classes[i].events;
		into->classes[i].bytes += from->classes[i].bytes;
	}
	for (size_t i = 0; i <= from->tasks.index->count; i++)
		task_stats_at(&into->tasks, from->tasks.tasks[i].tid)->events +=
			from->tasks.tasks[i].events;
	add_losses(into, from);
	return into->tasks.index->count < TASK_STATS_LIMIT;
}

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
	const struct task_count **list = calloc(total + 1, sizeof(*list));

	*count = 0;
	if (!list)
		return NULL;
	for (i = 0; i < total; i++) {
		const struct task_count *task = &stats->tasks.tasks[i];

		if (running ? task->cpu_ns && task->tid != 0 : task->events)
			list[(*count)++] = task;
	}
	if (!running && stats->unknown.events)
		list[(*count)++] = &stats->unknown;
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
