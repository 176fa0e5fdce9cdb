/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns: the columns of a table of events: what every event has, and the fields of the classes that
 * are chosen, those of one name in one column.
 *
 * They own their names, as a table may go on when the trace that they were taken from has been opened
 * again: then they stay what they were.
 */
#ifndef SONDE_OUTPUT_COLUMNS_H
#define SONDE_OUTPUT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

struct diag;
struct field_choice;
struct select;
struct trace_info;
struct view;

struct column {
	char *name;
	int common; /* enum field_choice_common, or -1: a field */
};

/* Zeros: not made yet. */
struct columns {
	struct column *list;
	size_t count;
	uint32_t *index; /* by the hash of a name: 1 + where it is in the list */
	size_t index_room; /* a power of two: twice what the list has room for, at least */
};

/* The fields of view->fields, in that order; without it, all fields. 0 or -ENOMEM. */
int columns_make(struct columns *columns, const struct view *view);
void columns_fini(struct columns *columns);
/* Where the column of this name is, with -1 for @common that of a field; -1 = none. */
int columns_find(const struct columns *columns, const char *name, int common);

/* How many fields of classes that are chosen have no column; the first of them, with commas, in @text. */
size_t columns_missing(const struct columns *columns, const struct view *view, char *text,
		       size_t room);

/* -ENOENT: a name that fits no field of a class that is shown; the diag has one that is near. */
int columns_check(const struct field_choice *choice, const struct trace_info *info,
		  const struct select *select, struct diag *diag);

#endif /* SONDE_OUTPUT_COLUMNS_H */
