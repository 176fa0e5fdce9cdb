/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * analysis: what everything that looks at a stream of events is given by the verb that reads it: which of
 * them are chosen, and what earlier ones told (names of tasks, of other things, the queues of disks).
 */
#ifndef SONDE_ANALYSE_ANALYSIS_H
#define SONDE_ANALYSE_ANALYSIS_H

#include "analyse/derive_view.h"
#include "analyse/disk_queue.h"
#include "analyse/known.h"
#include "analyse/select.h"
#include "analyse/task_names.h"
#include "schema/source.h"

/* Room for what waits in a disk's queue. */
#define ANALYSIS_WAITING_BYTES (DISK_QUEUE_SHOWN * 24u + 64u)

/* All borrowed by whoever looks, until it is freed. */
struct analysis {
	const struct trace_info *info;
	const struct select *select; /* bound */
	struct task_names *names; /* whoever looks teaches these two each event that it is given */
	struct known *known;
	struct disk_queues *queues; /* NULL: not wanted */
	uint32_t derived; /* values that follow from several events and are shown like fields: enum derived */
	struct derive_view *derives; /* follows these; NULL: none */
};

static inline void analysis_learn_names(const struct analysis *analysis, const struct event *event)
{
	if (__builtin_expect(task_names_has(analysis->names, event->class), 0))
		task_names_learn(analysis->names, event);
	if (__builtin_expect(known_has(analysis->known, event->class->index), 0))
		known_learn(analysis->known, event);
}

static inline void analysis_learn(const struct analysis *analysis, const struct event *event)
{
	analysis_learn_names(analysis, event);
	if (__builtin_expect(analysis->queues != NULL, 0))
		disk_queues_follow(analysis->queues, event);
	if (analysis->derives)
		derive_view_follow(analysis->derives, event, analysis->select);
}

/* What follows of the event that was learnt from last, or NULL. */
static inline const struct event_facts *analysis_facts(const struct analysis *analysis)
{
	return analysis->derives ? &analysis->derives->facts : NULL;
}

/* Whether events of @class change how later ones are shown. */
static inline bool analysis_teaches(const struct analysis *analysis,
				    const struct event_class *class)
{
	return analysis->queues || task_names_has(analysis->names, class) ||
	       known_has(analysis->known, class->index) ||
	       (analysis->derives && analysis->derives->exact &&
		derive_takes(analysis->derives->derive, class));
}

/* All of @events, which are not shown. */
static inline void analysis_learn_batch(const struct analysis *analysis, const struct event *events,
					size_t count)
{
	for (size_t i = 0; i < count; i++)
		analysis_learn(analysis, &events[i]);
}

/* What is done first with each event: learns names from it. Whether it is to be shown. */
static inline bool analysis_takes(const struct analysis *analysis, const struct event *event)
{
	analysis_learn(analysis, event);
	return select_shows(analysis->select, event->class);
}

/* The path of a task's cgroup (@class as of task_names_get), or NULL: not known, or the root, in
 * which all tasks are if no other cgroups exist. Borrowed until the next event. */
static inline const char *analysis_cgroup(const struct analysis *analysis,
					  const struct event_class *class, int32_t tid)
{
	uint64_t id = task_names_cgroup(analysis->names, class, tid);
	const char *path = id ? known_get(analysis->known, class, NAME_CGROUP, id, 0, 0) : NULL;

	return path && path[1] ? path : NULL;
}

/* The name of the container that a task runs in, or NULL: in none, or not known. As above. */
static inline const char *analysis_container(const struct analysis *analysis,
					     const struct event_class *class, int32_t tid)
{
	uint64_t id = task_names_cgroup(analysis->names, class, tid);

	return id ? known_container(analysis->known, class, id) : NULL;
}

#endif /* SONDE_ANALYSE_ANALYSIS_H */
