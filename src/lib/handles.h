/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handles: what the library's callers hold pointers to, from inside. include/sonde/sonde.h is what
 * they see of it.
 *
 * An event that sonde_next gives is always the same struct: it points to where the source has come.
 */
#ifndef SONDE_LIB_HANDLES_H
#define SONDE_LIB_HANDLES_H

#include <sonde/sonde.h>

#include "analyse/analysis.h"
#include "analyse/code_names.h"
#include "analyse/select.h"
#include "analyse/sieve.h"
#include "analyse/task_names.h"
#include "analyse/where.h"
#include "output/plan.h"
#include "schema/source.h"

struct diag;

struct sonde_field {
	const struct sonde_class *owner;
	const struct field *field;
	uint32_t index; /* in the class; of a derived one: enum derived */
	bool is_derived; /* its value is in the event's facts */
	enum sonde_type type;
	struct sonde_class *items; /* of a list */
};

struct sonde_class {
	const struct event_class *class;
	size_t index; /* among those of the source */
	struct sonde_field *fields; /* those of the class, then derived ones */
	size_t field_count;
	const struct plan *plan; /* NULL until a label is asked for */
	bool is_item; /* its events are items of a list */
};

struct sonde_event {
	const struct event *event;
	const struct sonde_class *class;
	struct sonde_source *source;
	const struct event_facts *facts; /* what follows of it; NULL = nothing */
	/* Of a copy what was known then, both NULL of others. */
	const char *comm;
	const char *cgroup;
	bool is_copy;
};

struct sonde_source {
	struct event_source *source;
	struct sonde_class **classes; /* in the order in which they were met; they stay */
	size_t class_count;
	struct sonde_class **by_index; /* by event_class.index of `source` */
	/* What was asked for. */
	struct select select;
	char *patterns[SELECT_PATTERNS];
	struct where where;
	char *where_text; /* NULL = no expression */
	/* Where it has come. */
	bool started;
	int err; /* ended with it, sticky */
	struct sieve sieve;
	const struct event *events; /* those still to come of the batch, behind the run */
	const struct event *events_end;
	struct sieve_run run;
	struct sonde_event current;
	/* Of a trace that is followed, which is opened again when it has more classes: */
	char *name; /* NULL = it is not */
	int64_t given_ns; /* how far it has been read */
	int64_t again_ns; /* up to here what comes was given before */
	struct task_names *old_names; /* what was learnt before, until the next view has it */
	struct known *old_known;
	struct derive_view *old_derives;
	struct event_source **old; /* retired: classes lead to theirs */
	size_t old_count;
	/* What has been learnt on the way. */
	struct analysis view;
	/* For labels, made when the first is asked for. */
	struct plan *plans;
	struct names *names;
	char comm[TASK_NAME_BYTES + 1];
	char label[CODE_NAME_BYTES];
};

/* Tells the caller what failed; returns @err. @error may be NULL. */
int sonde_error_take(struct sonde_error *error, int err, const struct diag *diag);

/* Makes handles of what source->source has, a view of it, and all that was asked for. */
int source_take(struct sonde_source *source, struct diag *diag);
void source_drop_view(struct sonde_source *source);
/* The sieve, once the expression is bound. 0 or -errno. */
int source_ask(struct sonde_source *source);
/* Opens the trace again, whose metadata has grown, and goes to the next event; a live session
 * continues by itself. 0 or -errno. */
int source_reopen(struct sonde_source *source);

/* Whether @event has a value of @field, which may be any. */
static inline bool handle_fits(const struct sonde_event *event, const struct sonde_field *field)
{
	if (!field || field->owner != event->class)
		return false;
	if (field->is_derived)
		return event->facts && event->facts->has >> field->index & 1;
	return event_has(event->event, field->index);
}

#endif /* SONDE_LIB_HANDLES_H */
