/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view: what every view of a stream of events is given by the verb that makes it.
 */
#ifndef SONDE_VIEW_VIEW_H
#define SONDE_VIEW_VIEW_H

#include "schema/source.h"
#include "view/derive_view.h"
#include "view/disk_queue.h"
#include "view/field_choice.h"
#include "view/known.h"
#include "view/output.h"
#include "view/select.h"
#include "view/task_names.h"

/* Room for what waits in a disk's queue. */
#define VIEW_WAITING_BYTES (DISK_QUEUE_SHOWN * 24u + 64u)

struct columns;
struct time_text;

/* All borrowed by the views until they are freed. */
struct view {
	const struct trace_info *info;
	const struct select *select; /* bound */
	struct task_names *names; /* the view teaches these two each event that it is given */
	struct known *known;
	struct output *out;
	struct field_choice fields; /* borrowed too; zeros: all of them */
	struct disk_queues *queues; /* NULL: not wanted */
	uint32_t derived; /* values that follow from several events and are shown like fields: enum derived */
	struct derive_view *derives; /* follows these; NULL: none */
	struct columns *columns; /* of a continued table, made by the first view; NULL: its own */
	struct time_text *time; /* likewise the times of text */
	bool continued; /* others show what comes before: no head */
};

static inline void view_learn_names(const struct view *view, const struct event *event)
{
	if (__builtin_expect(task_names_has(view->names, event->class), 0))
		task_names_learn(view->names, event);
	if (__builtin_expect(known_has(view->known, event->class->index), 0))
		known_learn(view->known, event);
}

static inline void view_learn(const struct view *view, const struct event *event)
{
	view_learn_names(view, event);
	if (__builtin_expect(view->queues != NULL, 0))
		disk_queues_follow(view->queues, event);
	if (view->derives)
		derive_view_follow(view->derives, event, view->select);
}

/* What follows of the event that was learnt from last, or NULL. */
static inline const struct event_facts *view_facts(const struct view *view)
{
	return view->derives ? &view->derives->facts : NULL;
}

/* Whether events of @class change how later ones are shown. */
static inline bool view_teaches(const struct view *view, const struct event_class *class)
{
	return view->queues || task_names_has(view->names, class) ||
	       known_has(view->known, class->index) ||
	       (view->derives && view->derives->exact &&
		derive_takes(view->derives->derive, class));
}

/* All of @events, which are not shown. */
static inline void view_learn_batch(const struct view *view, const struct event *events,
				    size_t count)
{
	for (size_t i = 0; i < count; i++)
		view_learn(view, &events[i]);
}

/* What a view does first with each event: learns names from it. Whether it is to be shown. */
static inline bool view_takes(const struct view *view, const struct event *event)
{
	view_learn(view, event);
	return select_shows(view->select, event->class);
}

/* The path of a task's cgroup (@class as of task_names_get), or NULL: not known, or the root, in
 * which all tasks are if no other cgroups exist. Borrowed until the next event. */
static inline const char *view_cgroup(const struct view *view, const struct event_class *class,
				      int32_t tid)
{
	uint64_t id = task_names_cgroup(view->names, class, tid);
	const char *path = id ? known_get(view->known, class, NAME_CGROUP, id, 0, 0) : NULL;

	return path && path[1] ? path : NULL;
}

#endif /* SONDE_VIEW_VIEW_H */
