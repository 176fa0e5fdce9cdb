// SPDX-License-Identifier: BSD-2-Clause
#include "schema/derived.h"

#include <string.h>

#include "base/glob.h"
#include "schema/calls.h"
#include "schema/event.h"
#include "schema/trace_info.h"

const struct derived_field derived_fields[DERIVED_COUNT] = {
	[DERIVED_DUR] =
		{"dur", "sys.exit", {NULL}, {"sys.enter"}, "time since sys.enter of this call"},
	[DERIVED_QUEUE] =
		{"queue", "disk.issue", {NULL}, {"disk.queue"}, "time in the disk's queue"},
	[DERIVED_SERVICE] = {"service", "disk.complete", {NULL}, {"disk.issue"}, "time at the disk"},
	[DERIVED_TOTAL] = {"total",
			   "disk.complete",
			   {NULL},
			   {"disk.queue", "disk.issue"},
			   "time since the request was first seen"},
	[DERIVED_WAIT] = {"wait",
			  "sched.switch",
			  {NULL},
			  {"sched.waking", "sched.wakeup", "sched.wakeup_new"},
			  "time that the task which comes waited for a CPU"},
	[DERIVED_OWNER] =
		{"owner",
		 "disk.complete",
		 {"disk.bio", "disk.queue", "disk.issue", "disk.requeue", "disk.merge", "net.*",
		  "tcp.*", "irq.enter", "irq.exit", "irq.soft_*", "irq.timer*"},
		 {"disk.bio", "disk.queue", "disk.issue", "net.sock_send", "net.tcp_send",
		  "net.udp_send", "net.app_recv", "tcp.send", "tcp.recv", "tcp.state", "irq.enter",
		  "irq.exit", "irq.soft_raise", "irq.soft_enter", "irq.soft_exit", "irq.timer",
		  "irq.timer_exit"},
		 "what the event belongs to, if not to the task that ran: the task that "
		 "submitted the request, made the pages dirty or used the socket last, or the interrupt"},
	[DERIVED_FILE] = {"file",
			  "sys.exit",
			  {"sys.*"},
			  {"sys.enter"},
			  "file, socket or pipe that the call's descriptor is, or that it opened"},
};

#define DESCRIBED(WHAT, NAME, UNIT) \
	[WHAT] = {                  \
		.name = NAME,       \
		.unit = UNIT,       \
		.kind = FIELD_INT,  \
		.bits = 64,         \
		.align_bits = 64,   \
		.count = 1,         \
		.optional = true,   \
	}

static const struct field described[DERIVED_COUNT] = {
	DESCRIBED(DERIVED_DUR, "dur", "ns"),
	DESCRIBED(DERIVED_QUEUE, "queue", "ns"),
	DESCRIBED(DERIVED_SERVICE, "service", "ns"),
	DESCRIBED(DERIVED_TOTAL, "total", "ns"),
	DESCRIBED(DERIVED_WAIT, "wait", "ns"),
	DESCRIBED(DERIVED_OWNER, "owner", NULL),
	[DERIVED_FILE] =
		{
			.name = "file",
			.kind = FIELD_TEXT,
			.bits = 8,
			.align_bits = 8,
			.count = FACTS_FILE_BYTES,
			.optional = true,
		},
};

const struct field *derived_described(enum derived what)
{
	return &described[what];
}

bool derived_is_text(enum derived what)
{
	return described[what].kind == FIELD_TEXT;
}

bool derived_has(enum derived what, const char *event)
{
	const struct derived_field *derived = &derived_fields[what];

	if (!strcmp(derived->event, event))
		return true;
	if (what == DERIVED_FILE && !calls_takes_descriptor(event))
		return false;
	for (size_t i = 0; i < DERIVED_OTHERS_MAX && derived->others[i]; i++) {
		if (pattern_matches(derived->others[i], event))
			return true;
	}
	return false;
}

const char *derived_source(enum derived what, const char *event, size_t i)
{
	const size_t group = strcspn(event, ".") + 1;

	for (size_t s = 0; s < DERIVED_SOURCES_MAX && derived_fields[what].sources[s]; s++) {
		const char *source = derived_fields[what].sources[s];

		if (!strncmp(source, event, group) && !i--)
			return source;
	}
	return NULL;
}

int derived_find(const char *event, const char *name)
{
	for (int i = 0; i < DERIVED_COUNT; i++) {
		if (!strcmp(derived_fields[i].name, name) && derived_has((enum derived)i, event))
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

uint32_t derived_known(const struct trace_info *info)
{
	const struct event_class *const *classes = info->classes;
	uint32_t there = 0, follows = 0;

	for (size_t c = 0; c < info->class_count; c++) {
		for (int i = 0; i < DERIVED_COUNT; i++) {
			const struct derived_field *derived = &derived_fields[i];

			if (is_source(derived, classes[c]))
				follows |= 1u << i;
			if (derived_has((enum derived)i, classes[c]->name) &&
			    event_class_find_any(classes[c], derived->name) < 0)
				there |= 1u << i;
		}
	}
	if (!trace_info_env(info, DERIVED_FILES_ENV))
		there &= ~(1u << DERIVED_FILE);
	return there & follows;
}

uint32_t derived_of(const struct event_class *class, uint32_t known)
{
	uint32_t of = 0;

	for (int i = 0; known && i < DERIVED_COUNT; i++) {
		if (known & 1u << i && derived_has((enum derived)i, class->name))
			of |= 1u << i;
	}
	return of;
}
