/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_events: any events grouped by any of their fields, counted, with sums and distributions of others: the report
 * "events", and what each report shows with --by. A report says in a table what it measures of which events
 * (report_measure); all else is the same for all.
 */
#ifndef SONDE_ANALYSE_REPORT_EVENTS_H
#define SONDE_ANALYSE_REPORT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/event_values.h"
#include "analyse/report_model.h"
#include "analyse/tally.h"
#include "analyse/where.h"

#define REPORT_KEYS_MAX 8u
#define REPORT_MEASURES_MAX 16u

struct diag;

/* Which figures of a measured value are shown. */
enum measure_shows {
	MEASURE_COUNT = 1u << 0, /* of events that have it, and for which it `holds` */
	MEASURE_SUM = 1u << 1,
	MEASURE_AVG = 1u << 2,
	MEASURE_MIN = 1u << 3,
	MEASURE_MAX = 1u << 4,
	MEASURE_SPREAD = 1u << 5, /* percentiles, and buckets in JSON */
	MEASURE_HIST = 1u << 6, /* drawn in text */
	MEASURE_SHARE = 1u << 7, /* of the sum of all rows */
	MEASURE_RANKS = 1u << 8, /* not a figure: rows go by its sum */
};

struct report_measure {
	const char *name; /* its key in JSON and CSV, and title */
	const char *events; /* a pattern: of these only; NULL: of all that have the field */
	const char *field; /* NULL: the events are counted */
	const char *holds; /* an expression: of these only; NULL: of all */
	uint32_t shows; /* measure_shows */
};

/* What a report measures if it groups. */
struct report_measures {
	const char
		*events; /* a pattern: each of these counts; NULL: all that have what is measured */
	const char *counts; /* what these are: "calls" */
	const struct report_measure *list;
	size_t count;
};

struct report_grouping {
	const char *report; /* its name */
	const char *const *by;
	size_t by_count; /* up to REPORT_KEYS_MAX */
	const struct report_measures *measures;
	bool named; /* by the user: each field must be there */
	const char *
		where; /* an expression over its rows (analyse/row_where), if it asks of rows; NULL: all */
};

struct events_class; /* what a class of events means */
struct events_measure;

struct events_report {
	struct report report;
	struct report_grouping grouping; /* borrowed */
	struct event_values values; /* the keys, then the fields of `measures` */
	struct events_class *classes; /* by event_class.index */
	struct events_measure *measures; /* as in grouping */
	struct tally tally; /* a sum for each measure */
	const struct event_class *sample; /* the first class that has all keys */
};

/* -ENOENT: no event has a field, and the diag has a name that is near. Borrows @analysis and @grouping. */
int report_events_new(const struct analysis *analysis, const struct report_grouping *grouping,
		      struct report **ret, struct diag *diag);

/*
 * For models that have rows of their own kind: a tally with `grouping` and times as measures, which output/events_tables
 * shows. 0 or -ENOMEM; fini is due all the same.
 */
int report_events_init(struct events_report *er, const struct analysis *analysis,
		       const struct report_grouping *grouping);
void report_events_fini(struct events_report *er);

/* The row of @event, by its values as they were followed last: never NULL. */
struct tally_row *report_events_row(struct events_report *er, const struct event *event);
/* Whether the trace has what measure @i needs, and the field whose unit its sums have (NULL: none), where no event has it. */
void report_events_describe(struct events_report *er, size_t i, bool there,
			    const struct field *field);

/* The sum of measure @i over all rows. */
long double report_events_total(const struct events_report *er, size_t i);
/* Key @i of @row; the text is borrowed from it. */
void report_events_key(const struct events_report *er, const struct tally_row *row, size_t i,
		       struct event_value *ret);
/* The field that describes key @i of @row, or measure @i of the report; NULL: none does. */
const struct field *report_events_key_field(const struct events_report *er,
					    const struct tally_row *row, size_t i);
const struct field *report_events_measure_field(const struct events_report *er, size_t i);
/* Whether the trace has what measure @i needs. */
bool report_events_measures(const struct events_report *er, size_t i);
/* The largest first: by the first sum, or by number. For the caller to free; NULL: no memory. */
const struct tally_row **report_events_rank(const struct events_report *er, size_t *count);

#endif /* SONDE_ANALYSE_REPORT_EVENTS_H */
