/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view: what every view of a stream of events is given by the verb that makes it.
 */
#ifndef SONDE_VIEW_VIEW_H
#define SONDE_VIEW_VIEW_H

#include "schema/source.h"
#include "view/output.h"
#include "view/select.h"
#include "view/task_names.h"

/* All borrowed by the views until they are freed. */
struct view {
	const struct trace_info *info;
	const struct select *select; /* bound */
	struct task_names *names; /* the view teaches it each event that it is given */
	struct output *out;
};

/* What a view does first with each event: learns names from it. Whether it is to be shown. */
static inline bool view_takes(const struct view *view, const struct event *event)
{
	if (__builtin_expect(task_names_has(view->names, event->class), 0))
		task_names_learn(view->names, event);
	return select_shows(view->select, event->class);
}

#endif /* SONDE_VIEW_VIEW_H */
