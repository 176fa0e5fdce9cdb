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
#include "analyse/task_names.h"
#include "output/plan.h"
#include "schema/sockaddr.h"
#include "source/read_session.h"

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
	const char *container;
	bool is_copy;
};

struct sonde_source {
	struct read_request request; /* what was asked for */
	struct read_session *session;
	char *name; /* the one SOURCE */
	char *patterns[SELECT_PATTERNS]; /* of the request, likewise: */
	char *where_text; /* NULL = no expression */
	struct sonde_class **classes; /* in the order in which they were met; they stay */
	size_t class_count;
	struct sonde_class **by_index; /* by event_class.index of the session */
	bool started;
	int err; /* ended with it, sticky */
	struct sonde_event current;
	/* For labels, made when the first is asked for. */
	struct plan *plans;
	struct names *names;
	char comm[TASK_NAME_BYTES + 1];
	char label[CODE_NAME_BYTES + SOCKADDR_TEXT_BYTES];
};

/* Tells the caller what failed; returns @err. @error may be NULL. */
int sonde_error_take(struct sonde_error *error, int err, const struct diag *diag);

/* Handles of the classes that the session has by now; those of before stay. 0 or -ENOMEM. */
int source_take_classes(struct sonde_source *source);
/* All that labels need: it is made again for the classes of a session that is renewed. */
void source_drop_plans(struct sonde_source *source);

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
