/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_classes: an event class for the entry of each system call that this architecture has, out of the table of
 * calls (schema/calls.h), and the plans by which probe/sys.bpf.c packs records of these classes.
 */
#ifndef SONDE_PROBE_CALL_CLASSES_H
#define SONDE_PROBE_CALL_CLASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/event.h"
#include "wire/call.h"

struct call_classes;

/* All classes. NULL: no memory. The caller frees it. */
struct call_classes *call_classes_new(void);
void call_classes_free(struct call_classes *classes);

size_t call_classes_count(const struct call_classes *classes);
const struct event_class *call_classes_get(const struct call_classes *classes, size_t i);

/*
 * Which calls are recorded: all, until some are chosen. Returns whether @pattern matches any. With sys.enter
 * itself (call_classes_choose_all) all are, whatever was or will be chosen.
 */
bool call_classes_choose(struct call_classes *classes, const char *pattern);
void call_classes_choose_all(struct call_classes *classes);
bool call_classes_matches(const struct call_classes *classes, const char *pattern);
/* Whether class @i is recorded; and whether calls without a class of their own are. */
bool call_classes_chosen(const struct call_classes *classes, size_t i);
bool call_classes_all_chosen(const struct call_classes *classes);

/* What texts arguments point to is not recorded: classes lose these fields. */
void call_classes_leave_out_texts(struct call_classes *classes);

/* Classes that @pattern means have stacks: @sides of wire/stack.h. Whether it means any. */
bool call_classes_give_stacks(struct call_classes *classes, const char *pattern,
			      unsigned int sides);
bool call_classes_any_stacks(const struct call_classes *classes);
/* Class @i, which the caller may add to, where it has stacks; or NULL. */
struct event_class *call_classes_with_stacks(struct call_classes *classes, size_t i);

/* By 32-bit caller and number. */
void call_classes_plan(const struct call_classes *classes,
		       struct call_plan plans[2][CALL_NUMBERS_PLANNED]);

#endif /* SONDE_PROBE_CALL_CLASSES_H */
