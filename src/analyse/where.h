/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * where: an expression over events together with all that it takes to ask it of each: what names
 * mean in a trace, and what follows from the events before (analyse/derive).
 */
#ifndef SONDE_ANALYSE_WHERE_H
#define SONDE_ANALYSE_WHERE_H

#include <stdbool.h>

#include "schema/derived.h"
#include "schema/expr_code.h"

struct derive;
struct diag;
struct event;
struct known;
struct syscalls;
struct task_names;
struct trace_info;

/* Zeros: nothing is asked. */
struct where {
	struct expr *expr;
	struct expr_code *code; /* NULL until it is bound */
	struct derive *derive; /* NULL: nothing needs it */
	struct syscalls *calls;
	struct event_facts facts;
	const struct trace_info *info; /* of the last binding; has the symbols of stacks */
	char *stack; /* of the event that was followed last; NULL: nothing asks for it */
	size_t stack_room; /* bytes of it; 0 = as many as there may be */
	/* Of the class that was asked last, where the file of its events is: a field, or -1. */
	const struct event_class *path_class;
	int inode, major, minor;
	struct known *
		known; /* the caller's, borrowed: names of cgroups and containers; NULL: there are none */
};

/* Errors as expr_parse; @text is copied. */
int where_parse(struct where *where, const char *text, struct diag *diag);
/* Errors as expr_bind. Borrows the classes of @info. May be called again, for a source that has
 * more of them than it had: pairs in progress continue. */
int where_bind(struct where *where, const struct trace_info *info, struct diag *diag);
void where_fini(struct where *where);

/* Whether events of @class have to be given to where_holds: the others never satisfy it, and
 * nothing follows from them. */
bool where_takes(const struct where *where, const struct event_class *class);
/* As where_holds, of an expression that needs more than @event carries. */
bool where_follow(struct where *where, const struct event *event, const struct task_names *names);

/*
 * Whether @event satisfies it. In the order of time. @names: as they are at that event. tid, pid and comm are
 * those of the owner (analyse/derive): the task that submitted a request or used a socket; where it asks for a
 * wait, the task that waited.
 */
static inline bool where_holds(struct where *where, const struct event *event,
			       const struct task_names *names)
{
	if (where->code->needs)
		return where_follow(where, event, names);
	return expr_matches(where->code, event, &where->facts);
}

#endif /* SONDE_ANALYSE_WHERE_H */
