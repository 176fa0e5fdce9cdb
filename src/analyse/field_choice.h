/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * field_choice: which fields of events are shown, and in which order: names, globs, and the beginnings
 * of dotted names ("a" is "a.b" and "a.c" too), in the order in which they were asked for.
 *
 * Beside the fields, `time`, `cpu`, `tid`, `comm` and `event` can be named, which tables have as columns
 * and other forms show in any case; `hostname`, `procname` and `vpid` likewise, if the environment of a trace
 * has them. A field that is called so has "fields." in front of its name, as
 * in the heads of tables.
 */
#ifndef SONDE_ANALYSE_FIELD_CHOICE_H
#define SONDE_ANALYSE_FIELD_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/origin.h"

struct diag;
struct event_class;
struct trace_info;

#define FIELD_CHOICE_MAX 256u /* names and globs */
#define FIELD_CHOICE_PREFIX "fields."

/* What events have beside their fields, in the order of the columns of tables. */
enum field_choice_common {
	COMMON_TIME,
	COMMON_CPU,
	COMMON_HOSTNAME,
	COMMON_PROCNAME,
	COMMON_VPID,
	COMMON_TID,
	COMMON_COMM,
	COMMON_EVENT,
	COMMON_COUNT,
};

extern const char *const field_choice_common[COMMON_COUNT];

/* Zeros: all fields, in the order of their classes. */
struct field_choice {
	char **names;
	size_t count;
};

void field_choice_fini(struct field_choice *choice);

/* Adds what a list with commas names. -EINVAL: an empty name; -E2BIG; -ENOMEM. */
int field_choice_add(struct field_choice *choice, const char *list, struct diag *diag);
/* Which of the common ones @name is, or -1. */
int field_choice_find_common(const struct trace_info *info, const char *name);
/* Whether a common one is the origin of traces: host or process. */
bool field_choice_is_origin(int common, enum origin_part *ret);
/* Whether the field called @field is meant by @name. */
bool field_choice_fits(const char *name, const char *field);
/*
 * The fields of @class that are shown, in that order: their indexes, in @ret, which has room for all
 * of them. How many. NULL chooses all. @derived: values that it has beside its fields, a bit for each enum derived; their
 * indexes follow those of the fields.
 */
size_t field_choice_list(const struct field_choice *choice, const struct event_class *class,
			 uint32_t derived, uint32_t *ret);
/* Of @known, a bit for each enum derived, those that are chosen. */
uint32_t field_choice_derived(const struct field_choice *choice, uint32_t known);
/* Whether a name, not a glob, is that of a derived value: then it is to be known of every event that is shown. */
bool field_choice_names_derived(const struct field_choice *choice);

#endif /* SONDE_ANALYSE_FIELD_CHOICE_H */
