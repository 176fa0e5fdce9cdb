/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_cell: a known column of one event class: found once, then read from each event. Our own tcp
 * events have their fields in Linux's terms, which the rules of pm_columns turn into PSC's; any
 * other class has fields that are called as the columns.
 */
#ifndef SONDE_RECORD_FORMAT_PM_PM_CELL_H
#define SONDE_RECORD_FORMAT_PM_PM_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_format/pm/pm_columns.h"
#include "schema/event.h"

struct pm_cell {
	enum pm_rule rule; /* PM_RULE_NONE: the class has nothing like it */
	size_t a;
	size_t b;
	unsigned int fraction; /* bits: the column counts fractions of the field's unit */
};

/* Whether its events are snapshots: of a .pm file, or they tell of a connection as these do. */
bool pm_cell_is_snapshot(const struct event_class *class);
/* Whether @class has the column. */
bool pm_cell_find(struct pm_cell *cell, const struct event_class *class,
		  const struct pm_known *known);
/* Of a column that is a number. */
uint64_t pm_cell_value(const struct pm_cell *cell, const struct event *event);

#endif /* SONDE_RECORD_FORMAT_PM_PM_CELL_H */
