// SPDX-License-Identifier: BSD-2-Clause
#include "schema/derived.h"

#include <string.h>

#include "schema/calls.h"
#include "schema/event.h"

const struct derived_field derived_fields[DERIVED_COUNT] = {
	[DERIVED_DUR] = {"dur", "sys.exit", {"sys.enter"}, "time since sys.enter of this call"},
	[DERIVED_QUEUE] = {"queue", "disk.issue", {"disk.queue"}, "time in the disk's queue"},
	[DERIVED_SERVICE] = {"service", "disk.complete", {"disk.issue"}, "time at the disk"},
	[DERIVED_TOTAL] = {"total",
			   "disk.complete",
			   {"disk.queue", "disk.issue"},
			   "time since the request was first seen"},
	[DERIVED_WAIT] = {"wait",
			  "sched.switch",
			  {"sched.waking", "sched.wakeup", "sched.wakeup_new"},
			  "time that the task which comes waited for a CPU"},
};

#define DESCRIBED(WHAT, NAME)      \
	[WHAT] = {                 \
		.name = NAME,      \
		.unit = "ns",      \
		.kind = FIELD_INT, \
		.bits = 64,        \
		.align_bits = 64,  \
		.count = 1,        \
		.optional = true,  \
	}

static const struct field described[DERIVED_COUNT] = {
	DESCRIBED(DERIVED_DUR, "dur"),	       DESCRIBED(DERIVED_QUEUE, "queue"),
	DESCRIBED(DERIVED_SERVICE, "service"), DESCRIBED(DERIVED_TOTAL, "total"),
	DESCRIBED(DERIVED_WAIT, "wait"),
};

const struct field *derived_described(enum derived what)
{
	return &described[what];
}

int derived_find(const char *event, const char *name)
{
	for (int i = 0; i < DERIVED_COUNT; i++) {
		if (!strcmp(derived_fields[i].name, name) &&
		    !strcmp(derived_fields[i].event, event))
			return i;
	}
	return -1;
}

bool derived_is(const char *name)
{
	for (int i = 0; i < DERIVED_COUNT; i++) {
		if (!strcmp(derived_fields[i].name, name))
			return true;
	}
	return false;
}

static bool is_source(const struct derived_field *derived, const struct event_class *class)
{
	for (size_t i = 0; i < DERIVED_SOURCES_MAX && derived->sources[i]; i++) {
		if (calls_pattern_matches(derived->sources[i], class->name))
			return true;
	}
	return false;
}

uint32_t derived_known(const struct event_class *const *classes, size_t count)
{
	uint32_t there = 0, follows = 0;

	for (size_t c = 0; c < count; c++) {
		for (int i = 0; i < DERIVED_COUNT; i++) {
			const struct derived_field *derived = &derived_fields[i];

			if (is_source(derived, classes[c]))
				follows |= 1u << i;
			if (!strcmp(derived->event, classes[c]->name) &&
			    event_class_find_any(classes[c], derived->name) < 0)
				there |= 1u << i;
		}
	}
	return there & follows;
}

uint32_t derived_of(const struct event_class *class, uint32_t known)
{
	uint32_t of = 0;

	for (int i = 0; known && i < DERIVED_COUNT; i++) {
		if (known & 1u << i && !strcmp(derived_fields[i].event, class->name))
			of |= 1u << i;
	}
	return of;
}
