// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/report_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "base/diag.h"
#include "base/glob.h"

#define NO_VALUE SIZE_MAX
#define VALUE_HEAD 9u /* of event_value_pack */

struct events_measure {
	size_t value; /* in event_values; NO_VALUE: events are counted */
	bool there; /* some class has it */
	struct where where; /* which of them */
	const struct field *field; /* of the first class that has it */
};

struct events_class {
	bool follows; /* values follow from its events */
	bool counts; /* its events are in the rows */
	bool adds; /* and each is one of those that are counted */
	uint32_t measures; /* 1 << number of each that it has */
};

void report_events_key(const struct events_report *er, const struct tally_row *row, size_t i,
		       struct event_value *ret)
{
	(void)er;
	if (row->key)
		event_value_unpack(row->key, i, ret);
	else
		*ret = (struct event_value){.kind = EVENT_VALUE_NONE};
}

static bool measure_value(const struct events_report *er, const struct events_measure *measure,
			  const struct event *event, long double *ret)
{
	struct event_value value;

	*ret = 1;
	if (measure->value == NO_VALUE)
		return true;
	event_values_get(&er->values, measure->value, event, &value);
	switch (value.kind) {
	case EVENT_VALUE_SIGNED:
		*ret = (long double)(int64_t)value.number;
		return true;
	case EVENT_VALUE_UNSIGNED:
		*ret = (long double)value.number;
		return true;
	case EVENT_VALUE_FLOAT:
		*ret = value.real;
		return value.real == value.real;
	default:
		return false;
	}
}

static void add_measure(struct events_report *er, size_t i, const struct event *event,
			struct tally_row *row)
{
	struct events_measure *measure = &er->measures[i];
	long double value;

	if (measure->where.code && !where_holds(&measure->where, event, er->report.analysis->names))
		return;
	if (measure_value(er, measure, event, &value))
		tally_add(&er->tally, &row->sums[i], value,
			  er->grouping.measures->list[i].shows & (MEASURE_SPREAD | MEASURE_HIST));
}

struct tally_row *report_events_row(struct events_report *er, const struct event *event)
{
	uint8_t key[TALLY_KEY_MAX];
	struct event_value value;
	struct tally_row *row;
	size_t len = 0;

	for (size_t i = 0; i < er->grouping.by_count; i++) {
		event_values_get(&er->values, i, event, &value);
		len = event_value_pack(key, len, TALLY_KEY_MAX / er->grouping.by_count, &value);
	}
	row = tally_at(&er->tally, key, len);
	if (!row->class)
		row->class = event->class;
	return row;
}

static void count_event(struct events_report *er, const struct events_class *entry,
			const struct event *event)
{
	struct tally_row *row = report_events_row(er, event);

	row->events += entry->adds;
	for (size_t i = 0; i < er->grouping.measures->count; i++) {
		if (entry->measures >> i & 1)
			add_measure(er, i, event, row);
	}
	er->report.events++;
}

static void follow(struct events_report *er, const struct event *event)
{
	if (er->classes[event->class->index].follows)
		event_values_follow(&er->values, event, er->report.analysis->names);
}

static void events_batch(struct report *report, const struct event *events, size_t count)
{
	struct events_report *er = (struct events_report *)report;

	for (size_t i = 0; i < count; i++) {
		const struct events_class *entry = &er->classes[events[i].class->index];

		follow(er, &events[i]);
		if (entry->counts)
			count_event(er, entry, &events[i]);
	}
}

static void events_learn(struct report *report, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		follow((struct events_report *)report, &events[i]);
}

static void events_end(struct report *report, const struct report_span *span)
{
	(void)report;
	(void)span;
}

static void events_free(struct report *report)
{
	struct events_report *er = (struct events_report *)report;

	report_events_fini(er);
	free(er);
}

static const struct report_ops events_ops = {
	.batch = events_batch,
	.learn = events_learn,
	.end = events_end,
	.free = events_free,
};

static int add_values(struct events_report *er, struct diag *diag)
{
	const struct report_grouping *grouping = &er->grouping;
	int err = 0;

	for (size_t i = 0; i < grouping->by_count && !err; i++)
		err = event_values_add(&er->values, "--by", grouping->by[i], false, diag);
	for (size_t i = 0; i < grouping->measures->count && !err; i++) {
		const struct report_measure *measure = &grouping->measures->list[i];

		er->measures[i] = (struct events_measure){
			.value = measure->field ? er->values.count : NO_VALUE};
		if (measure->field)
			err = event_values_add(&er->values, "--sum, --hist", measure->field,
					       !grouping->named, diag);
	}
	return err;
}

/* A condition on a field that no event has leaves out the measure. */
static int bind_holds(struct events_report *er, size_t i, struct diag *diag)
{
	const char *text = er->grouping.measures->list[i].holds;
	struct where *where = &er->measures[i].where;
	int err;

	if (!text)
		return 0;
	err = where_parse(where, text, diag);
	if (err)
		return err;
	err = where_bind(where, er->report.analysis->info, diag);
	where->known = er->report.analysis->known;
	if (err == -ENOENT)
		where_fini(where);
	return err;
}

static bool has_measure(const struct events_report *er, size_t i, const struct event_class *class)
{
	const struct report_measure *measure = &er->grouping.measures->list[i];
	const size_t value = er->measures[i].value;
	const struct event_value_place *place;

	if (measure->events && !pattern_matches(measure->events, class->name))
		return false;
	if (measure->holds && !er->measures[i].where.code)
		return false;
	if (value == NO_VALUE)
		return true;
	place = event_values_place(&er->values, value, class);
	return place->known && place->kind <= SIDE_FLOAT;
}

static bool has_keys(const struct events_report *er, const struct event_class *class)
{
	for (size_t i = 0; i < er->grouping.by_count; i++) {
		if (!event_values_place(&er->values, i, class)->known)
			return false;
	}
	return true;
}

static void find_class(struct events_report *er, const struct event_class *class)
{
	const struct report_measures *measures = er->grouping.measures;
	struct events_class *entry = &er->classes[class->index];
	bool plain = !measures->count;

	entry->follows = event_values_takes(&er->values, class);
	if (class->role == EVENT_ROLE_LOST || class->quiet ||
	    !select_shows(er->report.analysis->select, class) || !has_keys(er, class))
		return;
	if (measures->events)
		plain = pattern_matches(measures->events, class->name);
	for (size_t i = 0; i < measures->count; i++) {
		struct events_measure *measure = &er->measures[i];

		if (!has_measure(er, i, class))
			continue;
		entry->measures |= 1u << i;
		if (!measure->there && measure->value != NO_VALUE)
			measure->field =
				event_values_place(&er->values, measure->value, class)->field;
		measure->there = true;
	}
	entry->counts = entry->measures || plain;
	entry->adds = measures->events ? plain : entry->counts;
	if (entry->counts && !er->sample)
		er->sample = class;
}

/* What the user wants added up must be numbers. */
static int check_numbers(const struct events_report *er, struct diag *diag)
{
	const struct report_measures *measures = er->grouping.measures;

	for (size_t i = 0; er->grouping.named && i < measures->count; i++) {
		if (!er->measures[i].there)
			return diag_set(diag, -ENOENT,
					"no chosen event with the fields of --by has a number '%s'",
					measures->list[i].field);
	}
	return 0;
}

static int find_classes(struct events_report *er, struct diag *diag)
{
	const struct trace_info *info = er->report.analysis->info;
	int err;

	if (er->grouping.by_count)
		er->values.stack_room = TALLY_KEY_MAX / er->grouping.by_count - VALUE_HEAD;
	er->values.counted = er->grouping.measures->events;
	err = event_values_bind(&er->values, info, er->report.analysis->select, diag);
	er->values.where.known = er->report.analysis->known;
	for (size_t i = 0; i < er->grouping.measures->count && !err; i++) {
		err = bind_holds(er, i, diag);
		err = err == -ENOENT ? 0 : err;
	}
	for (size_t i = 0; i < info->class_count && !err; i++)
		find_class(er, info->classes[i]);
	return err ?: check_numbers(er, diag);
}

int report_events_init(struct events_report *er, const struct analysis *analysis,
		       const struct report_grouping *grouping)
{
	er->report.analysis = analysis;
	er->grouping = *grouping;
	er->classes = calloc(analysis->info->class_count ?: 1, sizeof(*er->classes));
	er->measures = calloc(grouping->measures->count + 1, sizeof(*er->measures));
	for (size_t i = 0; er->measures && i < grouping->measures->count; i++)
		er->measures[i] = (struct events_measure){
			.value = NO_VALUE,
			.there = true,
			.field = derived_described(DERIVED_WAIT),
		};
	if (tally_init(&er->tally, grouping->measures->count) || !er->classes || !er->measures)
		return -ENOMEM;
	return 0;
}

void report_events_fini(struct events_report *er)
{
	for (size_t i = 0; er->measures && i < er->grouping.measures->count; i++)
		where_fini(&er->measures[i].where);
	free(er->measures);
	free(er->classes);
	event_values_fini(&er->values);
	tally_fini(&er->tally);
}

int report_events_new(const struct analysis *analysis, const struct report_grouping *grouping,
		      struct report **ret, struct diag *diag)
{
	struct events_report *er = calloc(1, sizeof(*er));
	int err;

	if (!er)
		return diag_set(diag, -ENOMEM, "no memory");
	er->report.ops = &events_ops;
	err = report_events_init(er, analysis, grouping);
	if (!err)
		err = add_values(er, diag) ?: find_classes(er, diag);
	else
		(void)diag_set(diag, err, "no memory");
	if (err) {
		events_free(&er->report);
		return err;
	}
	*ret = &er->report;
	return 0;
}

void report_events_describe(struct events_report *er, size_t i, bool there,
			    const struct field *field)
{
	er->measures[i].there = there;
	er->measures[i].field = field;
}

const struct field *report_events_key_field(const struct events_report *er,
					    const struct tally_row *row, size_t i)
{
	return row->class && er->values.count ?
		       event_values_place(&er->values, i, row->class)->field :
		       NULL;
}

const struct field *report_events_measure_field(const struct events_report *er, size_t i)
{
	return er->measures[i].field;
}

bool report_events_measures(const struct events_report *er, size_t i)
{
	return er->measures[i].there;
}

/* What rows are ranked by: the first sum, or how many. */
static long double weight_of(const struct tally_row *row, size_t sum)
{
	return sum == NO_VALUE ? (long double)row->events : row->sums[sum].sum;
}

struct ranking {
	size_t sum;
};

static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct tally_row *a = *(const struct tally_row *const *)left;
	const struct tally_row *b = *(const struct tally_row *const *)right;
	const struct ranking *ranking = ctx;
	const size_t least = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
	long double x = weight_of(a, ranking->sum), y = weight_of(b, ranking->sum);
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	order = memcmp(a->key, b->key, least);
	return order ?: (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
}

const struct tally_row **report_events_rank(const struct events_report *er, size_t *count)
{
	const struct tally_row **list = calloc(er->tally.count + 1, sizeof(*list));
	struct ranking ranking = {NO_VALUE};
	/* Packets rank by their number, not by their bytes; what the user adds up is what counts. */
	const uint32_t by = MEASURE_SPREAD | MEASURE_RANKS | (er->grouping.named ? MEASURE_SUM : 0);

	*count = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < er->tally.count; i++)
		list[(*count)++] = er->tally.rows[i];
	for (size_t i = er->grouping.measures->count; i-- > 0;) {
		if (er->measures[i].there && er->grouping.measures->list[i].field &&
		    er->grouping.measures->list[i].shows & by)
			ranking.sum = i;
	}
	qsort_r(list, *count, sizeof(*list), compare_rows, &ranking);
	return list;
}

long double report_events_total(const struct events_report *er, size_t i)
{
	long double total = er->tally.others.sums[i].sum;

	for (size_t r = 0; r < er->tally.count; r++)
		total += er->tally.rows[r]->sums[i].sum;
	return total;
}
