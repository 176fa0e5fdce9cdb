/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure: one number of each event that has it, for pictures of how values are spread: which events
 * are meant, the value in the steps of its unit, and the group that it is of.
 */
#ifndef SONDE_GRAPH_MEASURE_H
#define SONDE_GRAPH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/field_pick.h"
#include "graph/group.h"
#include "graph/unit.h"
#include "schema/derived.h"

struct conn_pick;
struct derive;
struct analysis;

#define MEASURE_MOST \
	1e300 /* what is larger, either way, would overflow the scales: it is left out */

/* What is measured. All borrowed until the measure is gone. */
struct measure_request {
	const struct field_pick *pick; /* bound */
	const struct conn_pick *conns; /* only these connections */
	size_t conn_count; /* 0 = all */
	struct group_choice by;
};

/* Where the events of one class have it. */
struct measure_place {
	bool wanted;
	bool derives; /* derive_event needs them */
	struct field_place field;
	struct group_place group;
	struct group_place conn; /* where only some connections are wanted */
};

struct measure {
	const struct analysis *analysis;
	struct measure_request request;
	struct measure_place *places; /* by event_class.index */
	struct derive *derive; /* NULL: nothing needs it */
	struct unit unit;
	double factor; /* that values were multiplied by */
	bool whole; /* they are multiples of it */
	uint64_t limitless; /* values that mean "no limit": they are not measured */
	uint64_t lost; /* events that are missing */
	int64_t first_ns, last_ns; /* of what was measured */
	uint64_t count;
	struct event_facts facts; /* of the event that was taken last */
	int32_t tid; /* whose the last value is: the owner's (analyse/owner), or of a wait its task's */
};

/* 0 or -ENOMEM; measure_fini is due in both cases. Borrows @analysis. */
int measure_init(struct measure *measure, const struct analysis *analysis,
		 const struct measure_request *request);
void measure_fini(struct measure *measure);
/*
 * Every event in order, also those that are not shown (then with @shown false): values derived from
 * several events need them. NULL: nothing to measure in it. Else its place, and *@value.
 */
const struct measure_place *measure_take(struct measure *measure, const struct event *event,
					 bool shown, double *value);
/* Adds what @from has counted, of another part of the same source. */
void measure_merge(struct measure *into, const struct measure *from);
/* What all values are multiples of; 0 = they may be any. */
double measure_step(const struct measure *measure);

#endif /* SONDE_GRAPH_MEASURE_H */
