/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switch_sides: which of the two tasks of a sched.switch the recorder's filter wanted.
 *
 * A switch is recorded if either task is wanted, and names both. Of the other task nothing else is recorded: when it
 * came, what it waited for and until when are unknown. So what follows switches follows the wanted sides only.
 */
#ifndef SONDE_ANALYSE_SWITCH_SIDES_H
#define SONDE_ANALYSE_SWITCH_SIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/event.h"

struct trace_info;

#define SWITCH_PREV 1u /* the task that leaves; the values are those of the field `wanted` */
#define SWITCH_NEXT 2u /* the task that comes */
#define SWITCH_BOTH 3u

/* The field of @class, or -1: traces without it do not say. */
int switch_sides_find(const struct event_class *class);
/* Whether the trace was filtered, and some switches do not say which side was wanted. */
bool switch_sides_unknown(const struct trace_info *info);

static inline unsigned int switch_sides(int field, const struct event *event)
{
	return field < 0 ? SWITCH_BOTH : (unsigned int)event_uint(event, (size_t)field);
}

/* The tids of the wanted tasks, -1 for another. */
static inline int32_t switch_prev(unsigned int sides, int32_t tid)
{
	return sides & SWITCH_PREV ? tid : -1;
}

static inline int32_t switch_next(unsigned int sides, int32_t tid)
{
	return sides & SWITCH_NEXT ? tid : -1;
}

#endif /* SONDE_ANALYSE_SWITCH_SIDES_H */
