/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trigger: what a recording waits for, and what it does then: an expression over events, and a snapshot
 * of a flight recorder's rings, or the end.
 *
 * Snapshots keep a distance, whichever triggers ask for them, so that a storm of events does not
 * fill the disk: events that match within it are counted and do nothing.
 */
#ifndef SONDE_RECORD_TRIGGER_H
#define SONDE_RECORD_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/note.h"

struct catalogue;
struct diag;
struct triggers;

#define TRIGGERS_MAX 8u
#define TRIGGER_GAP_NS 1000000000ull /* between snapshots, by default */

/* How a trigger stands. */
struct trigger_state {
	const char *text; /* the expression */
	enum trigger_action action;
	uint64_t matched; /* events */
	uint64_t fired; /* times that it was acted upon */
};

/* The event that one fires upon. */
struct trigger_event {
	const char *text;
	enum trigger_action action;
	int64_t time_ns; /* as in the trace */
	int32_t tid;
	char event[NOTE_NAME_BYTES];
	uint64_t matched; /* events so far, this one included */
};

/* NULL: no memory. */
struct triggers *triggers_new(uint64_t gap_ns);
/* NULL is fine. */
void triggers_free(struct triggers *triggers);
/* Errors as expr_parse; -E2BIG: too many. @text is borrowed. */
int triggers_add(struct triggers *triggers, enum trigger_action action, const char *text,
		 struct diag *diag);
size_t triggers_count(const struct triggers *triggers);
/* False past the last. */
bool triggers_get(const struct triggers *triggers, size_t i, struct trigger_state *ret);

/* The @n-th name in all of their expressions, or NULL behind the last. */
const char *triggers_name(const struct triggers *triggers, size_t n);

/*
 * Marks in @added what the triggers ask for and @wanted does not have: measurements that they name,
 * and those from which a value follows (dur, service, ...) that nothing wanted has by itself. Both by
 * class.index.
 */
void triggers_choose(const struct triggers *triggers, const struct catalogue *cat,
		     const bool *wanted, bool *added);
/* Whether each of them can ever fire, where @wanted is recorded. -ENOENT, -EINVAL as expr_bind, with
 * the number of the trigger in *@which. */
int triggers_check(struct triggers *triggers, const struct catalogue *cat, const bool *wanted,
		   size_t *which, struct diag *diag);

/* By which a watch passes events to them: its `ctx` are the triggers. */
extern const struct watch_ops triggers_watch_ops;

/*
 * What is to be done at @now_ns (CLOCK_MONOTONIC), of the events seen since the last call: fills in
 * up to TRIGGERS_MAX, and returns how many. Those whose time has not come are forgotten.
 */
size_t triggers_take(struct triggers *triggers, uint64_t now_ns,
		     struct trigger_event events[TRIGGERS_MAX]);

#endif /* SONDE_RECORD_TRIGGER_H */
