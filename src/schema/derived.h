/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * derived: values of an event beside its fields: derived from it and those
 * before it, such as how long a system call took. They have names like fields; the code that keeps
 * track of them is analyse/derive.
 */
#ifndef SONDE_SCHEMA_DERIVED_H
#define SONDE_SCHEMA_DERIVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum derived {
	DERIVED_DUR,
	DERIVED_QUEUE,
	DERIVED_SERVICE,
	DERIVED_TOTAL,
	DERIVED_WAIT,
	DERIVED_COUNT,
};

#define DERIVED_SOURCES_MAX 4u

struct event_class;
struct field;

/* All of them are in ns. */
struct derived_field {
	const char *name;
	const char *event; /* the class that has it */
	const char *sources[DERIVED_SOURCES_MAX]; /* what it follows from, besides; NULL at the end */
	const char *text; /* description */
};

extern const struct derived_field derived_fields[DERIVED_COUNT];

/* Of one event. */
struct event_facts {
	uint32_t has; /* a bit for each of `derived` that is known, and FACTS_OWNER */
	uint64_t derived[DERIVED_COUNT];
	int32_t owner; /* where it is known: the task whose `derived` it is, which may not be event->tid */
	uint32_t pid; /* of event->tid, or of the owner; 0 = not known */
	const char *comm; /* likewise */
	size_t comm_len; /* 0 = not known */
};

#define FACTS_OWNER (1u << DERIVED_COUNT)

/* The value called @name that events called @event have, or -1. */
int derived_find(const char *event, const char *name);
/* Whether any event has a value called so. */
bool derived_is(const char *name);
/*
 * Which of them can be shown for events of @classes, a bit for each: the class that has it is there, has no field of
 * that name, and so is something that it follows from.
 */
uint32_t derived_known(const struct event_class *const *classes, size_t count);
/* Of @known, those that events of @class have. */
uint32_t derived_of(const struct event_class *class, uint32_t known);
/* Described as a field is: name, unit, text. Its value is in event_facts, not in the event. */
const struct field *derived_described(enum derived what);

#endif /* SONDE_SCHEMA_DERIVED_H */
