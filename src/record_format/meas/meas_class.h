/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_class: the classes of events that records of measurement-system files become, "meas.swtch" and
 * so on, and the way back: from such an event, whatever it was read from, to the record's values.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_CLASS_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_format/meas/meas_form.h"

/*
 * Which of a source's classes of events are those that records are made of, and where their
 * fields are. Looked up once.
 */

struct trace_info;

#define MEAS_KIND_FIELDS 10u
#define MEAS_KIND_NONE (-1)

/* What a class must be called and have; a name that begins with '?' may be missing. */
struct meas_kind {
	const char *name;
	const char *fields[MEAS_KIND_FIELDS + 1]; /* NULL at the end */
};

/* Of one class. */
struct meas_kind_class {
	int kind; /* place in the table of kinds, or MEAS_KIND_NONE */
	int fields[MEAS_KIND_FIELDS]; /* -1: it is missing */
};

/* One for each class of @info; the caller frees it. NULL: no memory. */
struct meas_kind_class *meas_kinds_find(const struct trace_info *info,
					const struct meas_kind *kinds, size_t count);

struct class_table;
struct event;
struct event_class;
struct meas_record;

#define MEAS_CLASSES_MAX 64u

/* The classes of all forms; their events' payloads are the slots of a record. */
struct meas_classes {
	struct class_table *table;
	const struct event_class *unknown;
	const struct meas_form *forms[MEAS_CLASSES_MAX]; /* by event_class.index */
	const struct event_class *classes[MEAS_CLASSES_MAX]; /* by the form's place in its table */
};

/* 0 or -ENOMEM. */
int meas_classes_init(struct meas_classes *classes);
void meas_classes_fini(struct meas_classes *classes);
/* Of a record's form; NULL = not known. */
const struct event_class *meas_classes_get(const struct meas_classes *classes,
					   const struct meas_form *form);

/* Where a class of any source has what a form holds. */
struct meas_bind {
	bool is; /* events of this class are such records */
	const struct meas_form *form; /* NULL: of a record that is not known */
	int fields[MEAS_FIELDS_MAX]; /* -1: none */
	int list; /* the queue, the name or the words */
};

/* False: events of @class are not such records. Those of schema/lost.h are. */
bool meas_bind_init(struct meas_bind *bind, const struct event_class *class);
/* Fills @record from the event, its slots (MEAS_RECORD_SLOTS_MAX) as well. False: the event cannot be
 * a record. */
bool meas_bind_take(const struct meas_bind *bind, const struct event *event,
		    struct meas_record *record);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_CLASS_H */
