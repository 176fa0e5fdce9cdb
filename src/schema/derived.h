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
	DERIVED_OWNER,
	DERIVED_FILE,
	DERIVED_COUNT,
};

#define DERIVED_SOURCES_MAX 18u
#define DERIVED_OTHERS_MAX 12u

/* Bytes of the longest name of a file; longer ones are not known. */
#define FACTS_FILE_BYTES 512u
#define FACTS_FILES_MAX 3u
#define FACTS_FIELD_NONE UINT32_MAX

struct event_class;
struct field;
struct trace_info;

/* Times are in ns; the owner is the tid of a task; the file is a text. */
struct derived_field {
	const char *name;
	const char *event; /* the class that has it */
	const char *others
		[DERIVED_OTHERS_MAX]; /* patterns of other classes that have it; NULL at the end */
	const char *sources[DERIVED_SOURCES_MAX]; /* what it follows from, besides; NULL at the end */
	const char *text; /* description */
};

extern const struct derived_field derived_fields[DERIVED_COUNT];

/* What a descriptor of a system call is. */
struct fact_file {
	const char *name;
	size_t len;
	uint32_t field; /* of the class: the descriptor; FACTS_FIELD_NONE: the event does not have it */
};

/* Of one event. */
struct event_facts {
	uint32_t has; /* a bit for each of `derived` that is known, FACTS_OWNER, FACTS_FILES */
	uint64_t derived[DERIVED_COUNT]; /* of DERIVED_FILE: nothing */
	/* With FACTS_FILES. With DERIVED_FILE, the first one is its value. Borrowed until the next event. */
	struct fact_file files[FACTS_FILES_MAX];
	uint32_t file_count;
	/* With FACTS_OWNER: the task that the event, or what is derived, belongs to, which may not be event->tid;
	 * OWNER_UNKNOWN: another task than event->tid, and not known which. */
	int32_t owner;
	uint32_t pid; /* of event->tid, or of the owner; 0 = not known */
	const char *comm; /* likewise */
	size_t comm_len; /* 0 = not known */
	int32_t task; /* event->tid, where an expression asks for the task that ran; and what follows from it */
	uint32_t task_pid;
	const char *task_comm;
	size_t task_comm_len;
	const char *cgroup,
		*container; /* of event->tid, or of the owner; NULL = not known, or none */
	const char *path; /* of the file whose inode the event has; NULL = not known, or none */
	const char *stack; /* as one text (analyse/stack_text.h); NULL = not known, or none */
};

/*
 * In the environment of a trace: all calls that change descriptors were recorded, of all threads of each process (1),
 * or of tasks that were chosen one by one (2). Without it, what a descriptor is cannot be known.
 */
#define DERIVED_FILES_ENV "sonde_descriptors"

#define FACTS_OWNER (1u << DERIVED_COUNT)
#define FACTS_FILES (2u << DERIVED_COUNT) /* files are known */
#define OWNER_UNKNOWN (-1)
/* Owners that are no tasks: analyse/task_names has their names. */
#define OWNER_WRITEBACK (-2)
#define OWNER_INTERRUPT (-3)
#define OWNER_SOFTIRQ (-4)
#define OWNER_TIMER (-5)
#define OWNER_VECTOR(vector) \
	(-16 - (int32_t)(vector)) /* of a soft interrupt, up to OWNER_VECTORS */
#define OWNER_VECTORS 10
#define OWNER_IRQ(number) \
	(-64 - (int32_t)(number)) /* the handlers of an interrupt, up to OWNER_IRQS */
#define OWNER_IRQS 16000

/* The one rule, for whatever counts, groups or draws events by task. @facts: NULL = nothing was derived. */
static inline int32_t owner_of_event(const struct event_facts *facts, int32_t tid)
{
	return facts && facts->has & FACTS_OWNER ? facts->owner : tid;
}

/* Source @i of those that are of the group of the class called @event, NULL behind the last. */
const char *derived_source(enum derived what, const char *event, size_t i);
/* The value called @name that events called @event have, or -1. */
int derived_find(const char *event, const char *name);
/* Whether events of the class called @event have it. */
bool derived_has(enum derived what, const char *event);
/* Whether any event has a value called so. */
bool derived_is(const char *name);
/*
 * Which of them can be shown for events of @info, a bit for each: the class that has it is there, has no field of
 * that name, and so is something that it follows from. Files only if descriptors were recorded (DERIVED_FILES_ENV).
 */
uint32_t derived_known(const struct trace_info *info);
/* Whether it is a text, and not a number. */
bool derived_is_text(enum derived what);
/* Of @known, those that events of @class have. */
uint32_t derived_of(const struct event_class *class, uint32_t known);
/* Described as a field is: name, unit, text. Its value is in event_facts, not in the event. */
const struct field *derived_described(enum derived what);

#endif /* SONDE_SCHEMA_DERIVED_H */
