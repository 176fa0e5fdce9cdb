/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * derive_view: derived values (analyse/derive) of the events that a view shows, so that it can show them like fields.
 *
 * A view gives it every event that it is given, shown or not. It learns only from events of the time that is shown, so
 * that what is shown does not depend on where reading began; with `exact`, from all events before that too, which then
 * must all be read.
 */
#ifndef SONDE_ANALYSE_DERIVE_VIEW_H
#define SONDE_ANALYSE_DERIVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/derive.h"
#include "analyse/select.h"
#include "schema/derived.h"
#include "schema/event.h"

struct trace_info;

struct derive_view {
	struct derive *derive;
	bool exact;
	struct event_facts facts; /* of the event that came last */
};

/* For @needs, a bit for each enum derived. Pairs in progress in @old continue; frees @old, which
 * may be NULL, in any case. NULL: no memory. */
struct derive_view *derive_view_renew(struct derive_view *old, const struct trace_info *info,
				      uint32_t needs, bool exact);
void derive_view_free(struct derive_view *view);

/* In the order of time. */
static inline void derive_view_follow(struct derive_view *view, const struct event *event,
				      const struct select *select)
{
	view->facts.has = 0;
	if (derive_takes(view->derive, event->class) &&
	    (view->exact || event->time_ns >= select->from_ns))
		derive_event(view->derive, event, &view->facts);
}

#endif /* SONDE_ANALYSE_DERIVE_VIEW_H */
