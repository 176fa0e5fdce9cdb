/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gap: where events of a group may be missing: they were lost, or a measurement of the group goes
 * on or off while others record. What reports pair must not reach across.
 */
#ifndef SONDE_ANALYSE_GAP_H
#define SONDE_ANALYSE_GAP_H

#include <stdbool.h>

struct event;
struct event_class;

/* Where a class of events says so. */
struct gap_fields {
	bool lost;
	bool state; /* and so are the next ones */
	int on;
	int reason;
	int measurement;
};

void gap_fields_find(struct gap_fields *fields, const struct event_class *class);
/* Whether @event says that a measurement is on or off because the recording begins or ends. */
bool gap_is_routine(const struct gap_fields *fields, const struct event *event);
/* Whether there is one for @group ("tcp.") at @event. */
bool gap_is_here(const struct gap_fields *fields, const struct event *event, const char *group);
/* Whether from @event on all is recorded that is on (1), or some of it in part only (0), since programs are
 * being attached or detached; -1: it does not say. */
int gap_all(const struct gap_fields *fields, const struct event *event);

static inline bool gap_fields_any(const struct gap_fields *fields)
{
	return fields->lost || fields->state;
}

#endif /* SONDE_ANALYSE_GAP_H */
