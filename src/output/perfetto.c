// SPDX-License-Identifier: BSD-2-Clause
#include "output/perfetto.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/disk_pair.h"
#include "analyse/switch_sides.h"
#include "base/map.h"
#include "output/perfetto_class.h"
#include "output/perfetto_cpu.h"
#include "output/perfetto_out.h"
#include "output/perfetto_packet.h"
#include "output/perfetto_task.h"
#include "output/view.h"
#include "schema/event.h"
#include "schema/lost.h"

/*
 * The tracks of disks: a process for each, requests as asynchronous slices (how long
 * each waited in the queue, how long the disk worked on it), and how many there are of both.
 *
 * A request is written when it ends: only then is known that nothing of it is missing.
 */

#define PERFETTO_DISK_MAX 65536u

/* Zeros: a disk that is not known yet. */
struct perfetto_disk {
	uint32_t number; /* 1 = the first that was seen */
	int64_t waiting; /* requests in its queue */
	int64_t issued; /* and that it works on */
};

struct perfetto_disks {
	struct perfetto_out *po;
	struct disk_pairs pairs;
	struct map disks; /* struct perfetto_disk by name */
};

static void perfetto_disks_init(struct perfetto_disks *disks, struct perfetto_out *po)
{
	*disks = (struct perfetto_disks){.po = po};
	disk_pairs_init(&disks->pairs);
	map_init(&disks->disks, DISK_NAME_BYTES, sizeof(struct perfetto_disk), PERFETTO_DISK_MAX);
}

static void perfetto_disks_fini(struct perfetto_disks *disks)
{
	disk_pairs_fini(&disks->pairs);
	map_fini(&disks->disks);
}

static struct perfetto_place place_of(const struct perfetto_disk *disk)
{
	return (struct perfetto_place){PERFETTO_DISKS + disk->number,
				       PERFETTO_DISKS + disk->number};
}

/* NULL: no memory, or more disks than there can be. */
static struct perfetto_disk *disk_at(struct perfetto_disks *disks, const char *name)
{
	struct perfetto_disk *disk = map_at(&disks->disks, name);
	char text[DISK_NAME_BYTES + 8];
	struct perfetto_place at;
	int len;

	if (!disk || disk->number)
		return disk;
	disk->number = (uint32_t)disks->disks.count;
	at = place_of(disk);
	len = snprintf(text, sizeof(text), "Disk %.*s", (int)DISK_NAME_BYTES, name);
	perfetto_name_process(disks->po, at.pid, text, (size_t)len);
	perfetto_sort(disks->po, "process", at, -3);
	perfetto_name_thread(disks->po, at, "other events", 12);
	return disk;
}

/* One of a pair that encloses the slice; name and id tell whose they are. */
static void put_end(struct perfetto_disks *disks, char phase, int64_t time_ns,
		    struct perfetto_place at, const char *what, const struct disk_fields *fields,
		    const struct event *event)
{
	struct perfetto_out *po = disks->po;
	char id[32], before[32];

	(void)snprintf(id, sizeof(id), "0x%x", (uint32_t)event_uint(event, fields->request));
	(void)snprintf(before, sizeof(before), "%s", what);
	perfetto_open(po, phase, time_ns, at);
	perfetto_plain(po, "cat", *what == 'i' ? "disk.queue" : "disk.service");
	perfetto_plain(po, "id", id);
	perfetto_field_name(po, "name", before, event, fields->op);
}

static void put_slice(struct perfetto_disks *disks, struct perfetto_place at, const char *what,
		      uint64_t ns, const struct disk_fields *fields, const struct event *event)
{
	put_end(disks, 'b', (int64_t)((uint64_t)event->time_ns - ns), at, what, fields, event);
	perfetto_args(disks->po);
	perfetto_fields(disks->po, event, 0);
	perfetto_close(disks->po);
	put_end(disks, 'e', event->time_ns, at, what, fields, event);
	perfetto_close(disks->po);
}

static void put_counter(struct perfetto_disks *disks, int64_t time_ns, struct perfetto_place at,
			const char *name, int64_t value)
{
	perfetto_open(disks->po, 'C', time_ns, at);
	perfetto_plain(disks->po, "name", name);
	perfetto_args(disks->po);
	perfetto_number(disks->po, "requests", value);
	perfetto_close(disks->po);
}

/* Those that were there before the trace began are not counted: never below none. */
static void count(struct perfetto_disks *disks, int64_t time_ns, struct perfetto_place at,
		  const char *name, int64_t *value, int change)
{
	if (!change || (change < 0 && !*value))
		return;
	*value += change;
	put_counter(disks, time_ns, at, name, *value);
}

static void perfetto_disk_event(struct perfetto_disks *disks, const struct disk_fields *fields,
				const struct event *event)
{
	char name[DISK_NAME_BYTES];
	struct perfetto_disk *disk;
	struct perfetto_place at;
	struct disk_step step;
	int64_t now = event->time_ns;
	bool begun = fields->stage == DISK_QUEUED || fields->stage == DISK_ISSUED;

	disk_fields_name(fields, event, name);
	disk = disk_at(disks, name);
	if (!disk)
		return;
	at = place_of(disk);
	step = disk_pairs_step(&disks->pairs, fields, name, event);
	if (step.has_queue)
		put_slice(disks, at, "in queue: ", step.queue_ns, fields, event);
	if (step.has_service)
		put_slice(disks, at, "", step.service_ns, fields, event);
	if (!begun && !step.has_service)
		perfetto_instant(disks->po, event, at);
	count(disks, now, at, "waiting", &disk->waiting, (int)step.waits - (int)step.waited);
	if (fields->stage == DISK_ISSUED)
		count(disks, now, at, "in flight", &disk->issued, 1);
	else if (step.has_service || (fields->stage == DISK_REQUEUED && step.waits))
		count(disks, now, at, "in flight", &disk->issued, -1);
}

/* Events are missing here. */
static void perfetto_disks_lose(struct perfetto_disks *disks, int64_t time_ns)
{
	const void *key;
	void *value;

	(void)disk_pairs_lose(&disks->pairs);
	for (size_t i = 0; map_next(&disks->disks, &i, &key, &value);) {
		struct perfetto_disk *disk = value;

		if (disk->waiting)
			put_counter(disks, time_ns, place_of(disk), "waiting", 0);
		if (disk->issued)
			put_counter(disks, time_ns, place_of(disk), "in flight", 0);
		disk->waiting = disk->issued = 0;
	}
}

struct perfetto {
	struct event_sink sink;
	struct perfetto_out out;
	struct perfetto_class *classes; /* by event_class.index */
	struct perfetto_tasks tasks;
	struct perfetto_cpus cpus;
	struct perfetto_conns conns;
	struct perfetto_disks disks;
	struct perfetto_packets packets;
	uint64_t flows; /* arrows so far */
	bool others_named;
};

/* Of events of no task and no CPU. */
static struct perfetto_place other_place(struct perfetto *pf)
{
	static const struct perfetto_place at = {PERFETTO_OTHERS, PERFETTO_OTHERS};

	if (!pf->others_named) {
		perfetto_name_process(&pf->out, at.pid, "Other events", 12);
		perfetto_name_thread(&pf->out, at, "notes of the recorder", 21);
		perfetto_sort(&pf->out, "process", at, -5);
	}
	pf->others_named = true;
	return at;
}

static struct perfetto_place cpu_place(struct perfetto *pf, const struct event *event)
{
	return perfetto_is_cpu(event->cpu) ? perfetto_cpu_place(&pf->cpus, event->cpu) :
					     other_place(pf);
}

/* On the track of its task; of the idle task on that of the CPU. */
static void show_point(struct perfetto *pf, const struct event *event)
{
	struct perfetto_place at;
	struct perfetto_task *task;

	if (!perfetto_is_task(event->tid)) {
		perfetto_instant(&pf->out, event, cpu_place(pf, event));
		return;
	}
	task = perfetto_task_at(&pf->tasks, event->tid, event->time_ns);
	if (!task)
		return;
	task->wanted = true;
	at = perfetto_task_place(&pf->tasks, task, event->tid, event->time_ns);
	perfetto_instant(&pf->out, event, at);
}

/* "12 events lost here": shown on all tracks. */
static void show_lost(struct perfetto *pf, const struct event *event)
{
	uint64_t count = event_uint(event, LOST_COUNT), packets = event_uint(event, LOST_PACKETS);
	char name[96];
	int len;

	if (packets && !count)
		len = snprintf(name, sizeof(name), "%llu packets overwritten here",
			       (unsigned long long)packets);
	else
		len = snprintf(name, sizeof(name), "%llu event%s lost here",
			       (unsigned long long)count, count == 1 ? "" : "s");
	perfetto_open(&pf->out, 'i', event->time_ns, other_place(pf));
	perfetto_plain(&pf->out, "s", "g");
	perfetto_category(&pf->out, event);
	perfetto_text(&pf->out, "name", name, (size_t)len);
	perfetto_args(&pf->out);
	if (event->cpu >= 0)
		perfetto_number(&pf->out, "cpu", event->cpu);
	perfetto_fields(&pf->out, event, 0);
	perfetto_close(&pf->out);
}

/* What is under way when events of its group are missing is not known to go on. */
static void end_slices(struct perfetto *pf, const struct gap_fields *gap, const struct event *event)
{
	const char *why = gap->lost ? "events were lost here" : "not recorded from here on";
	int64_t now = event->time_ns;
	int all = gap_all(gap, event);

	if (all >= 0)
		packet_paths_whole(&pf->packets.paths, all);
	if (gap_is_here(gap, event, "sys."))
		perfetto_tasks_end_calls(&pf->tasks, now, why);
	if (gap_is_here(gap, event, "irq.")) {
		perfetto_tasks_end_work(&pf->tasks, now, why);
		perfetto_cpus_end_interrupts(&pf->cpus, now, why);
	}
	if (gap_is_here(gap, event, "sched.")) {
		perfetto_tasks_end_states(&pf->tasks, now, why);
		perfetto_cpus_end_tasks(&pf->cpus, now, why);
	}
	if (gap_is_here(gap, event, "disk."))
		perfetto_disks_lose(&pf->disks, now);
	if (gap_is_here(gap, event, "net."))
		packet_paths_lose(&pf->packets.paths);
}

static void show_call(struct perfetto *pf, const struct perfetto_class *entry,
		      const struct event *event)
{
	if (perfetto_is_task(event->tid))
		perfetto_task_call(&pf->tasks, &entry->call, event);
	else
		show_point(pf, event);
}

static void show_interrupt(struct perfetto *pf, const struct perfetto_class *entry,
			   const struct event *event)
{
	if (perfetto_is_cpu(event->cpu))
		perfetto_cpu_interrupt(&pf->cpus, &entry->interrupt, event);
	else
		show_point(pf, event);
}

/* What a soft interrupt does of it is not the doing of the task that it hits. */
static void show_work(struct perfetto *pf, const struct perfetto_class *entry,
		      const struct event *event)
{
	if (perfetto_is_task(event->tid) && !perfetto_cpu_is_interrupted(&pf->cpus, event->cpu))
		perfetto_task_work(&pf->tasks, event, entry->interrupt.ends, entry->interrupt.name);
	else
		show_interrupt(pf, entry, event);
}

/* One half of an arrow: 's' from the CPU that wakes a task, 'f' to that which it comes to. */
static void put_arrow(struct perfetto *pf, char phase, const struct event *event, uint64_t id)
{
	struct perfetto_out *po = &pf->out;

	perfetto_open(po, phase, event->time_ns, perfetto_cpu_place(&pf->cpus, event->cpu));
	perfetto_plain(po, "cat", "sched");
	perfetto_plain(po, "name", "wakes");
	perfetto_number(po, "id", (int64_t)id);
	if (phase == 'f')
		perfetto_plain(po, "bp", "e"); /* to the slice around it, not to the next one */
	perfetto_close(po);
}

static void show_wake(struct perfetto *pf, const struct perfetto_class *entry,
		      const struct event *event)
{
	int32_t tid = (int32_t)event_uint(event, entry->tid);
	struct perfetto_task *task = NULL;

	if (perfetto_is_task(tid))
		task = perfetto_task_at(&pf->tasks, tid, event->time_ns);
	if (!task || !perfetto_task_wakes(&pf->tasks, task, tid, event->time_ns, entry->second))
		return;
	/* An arrow is tied to the slices at its ends. */
	task->flow = 0;
	if (!perfetto_is_cpu(event->cpu) || !perfetto_cpu_is_busy(&pf->cpus, event->cpu))
		return;
	task->flow = ++pf->flows;
	put_arrow(pf, 's', event, task->flow);
}

static void show_comer(struct perfetto *pf, const struct perfetto_class *entry,
		       const struct event *event, int32_t tid)
{
	struct perfetto_task *task = perfetto_task_at(&pf->tasks, tid, event->time_ns);
	const struct task_name *name = task_names_get(pf->out.view->analysis.names, NULL, tid);

	if (!task)
		return;
	perfetto_task_comes(&pf->tasks, task, tid, event);
	/* What a filter left out goes unseen. */
	if (task->state != PERFETTO_TASK_RUNNING || !perfetto_is_cpu(event->cpu))
		return;
	perfetto_cpu_comes(&pf->cpus, event, tid, name, entry->leaver);
	if (task->flow)
		put_arrow(pf, 'f', event, task->flow);
	task->flow = 0;
}

static void show_switch(struct perfetto *pf, const struct perfetto_class *entry,
			const struct event *event)
{
	int32_t next = (int32_t)event_uint(event, entry->tid), other = 0;
	const unsigned int sides = switch_sides(entry->sides, event);

	if (!(sides & SWITCH_PREV))
		perfetto_task_left_unseen(&pf->tasks, event->tid, event->time_ns);
	else if (perfetto_is_task(event->tid))
		perfetto_task_leaves(&pf->tasks, event, entry->state);
	if (perfetto_is_cpu(event->cpu))
		other = perfetto_cpu_leaves(&pf->cpus, event);
	if (other)
		perfetto_task_left_unseen(&pf->tasks, other, event->time_ns);
	if (perfetto_is_task(next) && sides & SWITCH_NEXT)
		show_comer(pf, entry, event, next);
}

static void show_exit(struct perfetto *pf, const struct event *event)
{
	struct perfetto_task *task;

	show_point(pf, event);
	if (!perfetto_is_task(event->tid))
		return;
	task = perfetto_task_at(&pf->tasks, event->tid, event->time_ns);
	if (task)
		task->exits = true;
}

static void show_event(struct perfetto *pf, const struct perfetto_class *entry,
		       const struct event *event)
{
	switch (entry->kind) {
	case PERFETTO_CLASS_POINT:
		show_point(pf, event);
		break;
	case PERFETTO_CLASS_LOST:
		show_lost(pf, event);
		break;
	case PERFETTO_CLASS_NAMES:
		break;
	case PERFETTO_CLASS_NOTE:
		perfetto_instant(&pf->out, event, other_place(pf));
		break;
	case PERFETTO_CLASS_CALL:
		show_call(pf, entry, event);
		break;
	case PERFETTO_CLASS_SWITCH:
		show_switch(pf, entry, event);
		break;
	case PERFETTO_CLASS_WAKE:
		show_wake(pf, entry, event);
		break;
	case PERFETTO_CLASS_EXIT:
		show_exit(pf, event);
		break;
	case PERFETTO_CLASS_INTERRUPT:
		show_interrupt(pf, entry, event);
		break;
	case PERFETTO_CLASS_WORK:
		show_work(pf, entry, event);
		break;
	case PERFETTO_CLASS_SAMPLE:
		perfetto_instant(&pf->out, event, cpu_place(pf, event));
		break;
	case PERFETTO_CLASS_CONN:
		perfetto_conn_event(&pf->conns, &entry->conn, event);
		break;
	case PERFETTO_CLASS_DISK:
		perfetto_disk_event(&pf->disks, &entry->disk, event);
		break;
	case PERFETTO_CLASS_PACKET:
		perfetto_packet_event(&pf->packets, &entry->net, event);
		break;
	}
}

static int perfetto_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct perfetto *pf = (struct perfetto *)sink;
	struct output *out = pf->out.view->out;

	if (count && !pf->out.begun)
		perfetto_begin(&pf->out, events[0].time_ns);
	for (size_t i = 0; i < count; i++) {
		const struct event *event = &events[i];
		const struct perfetto_class *entry = &pf->classes[event->class->index];
		bool shows = analysis_takes(&pf->out.view->analysis, event);

		pf->out.last_ns = event->time_ns;
		if (gap_fields_any(&entry->gap))
			end_slices(pf, &entry->gap, event);
		if (shows)
			show_event(pf, entry, event);
		if (output_end_line(out))
			return out->err;
	}
	return output_end_batch(out);
}

/* What is still under way ends with the trace. */
static int perfetto_finish(struct event_sink *sink)
{
	struct perfetto *pf = (struct perfetto *)sink;
	static const char why[] = "the trace ends";
	int64_t now = pf->out.last_ns;

	if (!pf->out.begun)
		perfetto_begin(&pf->out, 0);
	perfetto_tasks_end_calls(&pf->tasks, now, why);
	perfetto_tasks_end_work(&pf->tasks, now, why);
	perfetto_tasks_end_states(&pf->tasks, now, why);
	perfetto_cpus_end_tasks(&pf->cpus, now, why);
	packet_paths_end(&pf->packets.paths);
	perfetto_end(&pf->out);
	return output_flush(pf->out.view->out);
}

static void perfetto_free(struct event_sink *sink)
{
	struct perfetto *pf = (struct perfetto *)sink;

	perfetto_tasks_fini(&pf->tasks);
	perfetto_cpus_fini(&pf->cpus);
	perfetto_conns_fini(&pf->conns);
	perfetto_disks_fini(&pf->disks);
	perfetto_packets_fini(&pf->packets);
	perfetto_out_fini(&pf->out);
	free(pf->classes);
	free(pf);
}

static const struct sink_ops perfetto_ops = {
	.batch = perfetto_batch,
	.finish = perfetto_finish,
	.free = perfetto_free,
};

static void init_class(struct perfetto *pf, const struct event_class *class, bool has_waking)
{
	struct perfetto_class *entry = &pf->classes[class->index];

	perfetto_class_find(entry, class, has_waking);
	if (entry->kind == PERFETTO_CLASS_PACKET &&
	    select_shows(pf->out.view->analysis.select, class))
		pf->packets.paths.records[entry->net.crossing] = true;
}

struct event_sink *perfetto_new(const struct view *view)
{
	struct perfetto *pf = calloc(1, sizeof(*pf));
	bool has_waking = false, failed;

	if (!pf)
		return NULL;
	pf->sink.ops = &perfetto_ops;
	failed = perfetto_out_init(&pf->out, view) != 0;
	perfetto_tasks_init(&pf->tasks, &pf->out);
	perfetto_cpus_init(&pf->cpus, &pf->out);
	perfetto_conns_init(&pf->conns, &pf->out);
	perfetto_disks_init(&pf->disks, &pf->out);
	failed |= perfetto_packets_init(&pf->packets, &pf->out) != 0;
	pf->classes = calloc(view->analysis.info->class_count ?: 1, sizeof(*pf->classes));
	if (failed || !pf->classes) {
		perfetto_free(&pf->sink);
		return NULL;
	}
	pf->tasks.filtered = switch_sides_unknown(view->analysis.info);
	for (size_t i = 0; i < view->analysis.info->class_count; i++)
		has_waking |= !strcmp(view->analysis.info->classes[i]->name, "sched.waking") &&
			      select_shows(view->analysis.select, view->analysis.info->classes[i]);
	for (size_t i = 0; i < view->analysis.info->class_count; i++)
		init_class(pf, view->analysis.info->classes[i], has_waking);
	return &pf->sink;
}
