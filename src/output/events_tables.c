// SPDX-License-Identifier: BSD-2-Clause
/*
 * events_tables: the report "events", and any report with --by: a row for each group of events. Which columns there are
 * follows from what was asked for, so the table is made with its rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analysis.h"
#include "analyse/latency.h"
#include "analyse/report_events.h"
#include "analyse/stack_text.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/emit.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/names.h"
#include "output/report_kind.h"
#include "schema/field.h"
#include "schema/stack.h"
#include "symbol/symbols.h"

#define COLUMNS_MAX REPORT_ROW_CELLS
#define TEXT_BYTES (64u * COLUMNS_MAX)
#define STACK_SHOWN 48u /* bytes of a stack in a cell */

/* The table of one report: it lives as long as the rows. */
struct made_table {
	struct report_table table; /* first: this is what is freed */
	struct report_column columns[COLUMNS_MAX];
	char text[TEXT_BYTES]; /* of keys and titles */
	size_t text_len;
};

static const char *keep(struct made_table *made, const char *before, const char *name,
			const char *after)
{
	char *text = made->text + made->text_len;
	const size_t room = sizeof(made->text) - made->text_len;
	const int len = snprintf(text, room, "%s%s%s", before, name, after);

	made->text_len += len > 0 && (size_t)len < room ? (size_t)len + 1 : 0;
	return text;
}

static void add_column(struct made_table *made, const char *key, const char *title,
		       enum report_column_use use)
{
	if (made->table.column_count < COLUMNS_MAX)
		made->columns[made->table.column_count++] =
			(struct report_column){.key = key, .title = title, .use = use};
}

/* @about: what the title says it is of; NULL: nothing, since only one value is measured. */
static void add_figure(struct made_table *made, const char *name, const char *figure,
		       const char *title, const char *about)
{
	add_column(made, keep(made, name, ".", figure),
		   about ? keep(made, title, " ", about) : title, REPORT_PLAIN);
}

static const struct {
	uint32_t shows;
	const char *key;
	const char *title;
} figures[] = {
	{MEASURE_SUM, "sum", "total"},	{MEASURE_SHARE, "share", "share"},
	{MEASURE_AVG, "avg", "avg"},	{MEASURE_MIN, "min", "min"},
	{MEASURE_SPREAD, "p50", "p50"}, {MEASURE_SPREAD, "p90", "p90"},
	{MEASURE_SPREAD, "p99", "p99"}, {MEASURE_MAX, "max", "max"},
};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

static bool is_shown(const struct events_report *er, size_t measure)
{
	return report_events_measures(er, measure) || er->grouping.named;
}

static void add_measure(struct made_table *made, const struct report_measure *measure, bool alone,
			bool named)
{
	const char *about = alone ? NULL : measure->name;

	if (measure->field && measure->shows == MEASURE_SUM && !named) {
		add_column(made, keep(made, measure->name, ".", "sum"), measure->name,
			   REPORT_PLAIN);
		return;
	}

	if (!measure->field) {
		add_column(made, measure->name, measure->name, REPORT_PLAIN);
		return;
	}
	if (measure->shows & MEASURE_COUNT)
		add_column(made, keep(made, measure->name, ".", "count"), NULL, REPORT_PLAIN);
	for (size_t f = 0; f < FIGURES; f++) {
		if (measure->shows & figures[f].shows)
			add_figure(made, measure->name, figures[f].key, figures[f].title, about);
	}
	if (measure->shows & MEASURE_SPREAD)
		add_column(made, keep(made, measure->name, ".", "histogram"), NULL, REPORT_NESTED);
}

static const char *counts_of(const struct events_report *er)
{
	return er->grouping.measures->counts ?: "events";
}

static bool is_symbol(const struct field *field)
{
	return field && field->show == FIELD_SHOW_SYMBOL;
}

/* Whether values of key @i may have names. A wait has one that does: its call. */
static bool has_labels(const struct events_report *er, size_t i)
{
	const struct event_value_place *place;

	if (!er->values.count)
		return !strcmp(er->grouping.by[i], "call");
	if (!er->sample)
		return false;
	place = event_values_place(&er->values, i, er->sample);
	return place->field && (place->side.source == EXPR_FROM_CALL || place->field->label_count ||
				is_symbol(place->field) || place->field->show == FIELD_SHOW_RESULT);
}

static void add_key(struct made_table *made, const struct events_report *er, size_t i)
{
	const char *name = er->grouping.by[i];

	add_column(made, name, NULL, REPORT_PLAIN);
	add_column(made, has_labels(er, i) ? keep(made, name, "_", "name") : NULL, NULL,
		   REPORT_PLAIN);
	add_column(made, NULL, name, REPORT_PLAIN);
}

/* The function of the kernel that an address is in, and how far; NULL: not known. */
static const char *symbol_of(const struct events_report *er, uint64_t address,
			     char text[SYMBOL_TEXT_BYTES])
{
	struct symbols *symbols = er->report.analysis->info->symbols;
	struct symbol_place place;

	if (!symbols || !address || !symbols_find(symbols, 0, INT64_MAX, address, &place) ||
	    !place.function)
		return NULL;
	(void)symbol_format(&place, text);
	return text;
}

/* Its name, where it stands for something: a system call, an error, or a value of an enumeration. NULL: it has none. */
static const char *label_of(const struct field *field, const struct names *names,
			    const struct event_value *value)
{
	const struct name *name;

	if (value->kind == EVENT_VALUE_CALL) {
		name = names_call(names, value->number >> 32 & 1, (uint32_t)value->number);
		return name ? name->text : NULL;
	}
	if (!field || (value->kind != EVENT_VALUE_SIGNED && value->kind != EVENT_VALUE_UNSIGNED))
		return NULL;
	if (field->show == FIELD_SHOW_RESULT) {
		name = names_error(names, (int64_t)value->number);
		return name ? name->text : NULL;
	}
	return field_label(field, (int64_t)value->number);
}

static void put_number(struct report_row *row, const struct event_value *value)
{
	if (value->kind == EVENT_VALUE_CALL)
		report_row_int(row, (int32_t)value->number);
	else if (value->kind == EVENT_VALUE_SIGNED)
		report_row_int(row, (int64_t)value->number);
	else
		report_row_count(row, value->number);
}

static void put_value(struct report_row *row, const struct event_value *value)
{
	char address[EMIT_ADDRESS_BYTES + EMIT_SLACK_BYTES];

	switch (value->kind) {
	case EVENT_VALUE_NONE:
		report_row_none(row);
		return;
	case EVENT_VALUE_FLOAT:
		report_row_real(row, value->real, 6);
		return;
	case EVENT_VALUE_TEXT:
		report_row_chars(row, value->text, value->len);
		return;
	case EVENT_VALUE_ADDRESS:
		*emit_address(address, (const uint8_t *)value->text, 0) = '\0';
		report_row_copy(row, address);
		return;
	default:
		put_number(row, value);
	}
}

/* A field that an event can have is not known; a wait has no call, or no waker. */
static const char *missing_of(const struct events_report *er)
{
	return er->values.count ? "unknown" : "-";
}

/* As people read it: numbers without commas, and with their names where they have some. */
static void put_title(struct report_row *row, const struct field *field, const char *label,
		      const struct event_value *value, const char *missing)
{
	if (label)
		report_row_copy(row, label);
	else if (value->kind == EVENT_VALUE_NONE ||
		 (value->kind == EVENT_VALUE_TEXT && !value->len))
		report_row_text(row, missing);
	else if (value->kind == EVENT_VALUE_UNSIGNED && field && field->show == FIELD_SHOW_HEX)
		report_row_format(row, "0x%llx", (unsigned long long)value->number);
	else if (value->kind == EVENT_VALUE_UNSIGNED)
		report_row_format(row, "%llu", (unsigned long long)value->number);
	else
		put_value(row, value);
}

/* Of an event, or of who ended a wait. */
static bool is_stack(const struct events_report *er, size_t i)
{
	const char *name = er->grouping.by[i];

	return !strcmp(name, STACK_NAME) || !strcmp(name, STACK_OF_WAKER_NAME);
}

/* The innermost functions; all of them stand below the table. */
static void put_stack_title(struct report_row *row, const struct event_value *value)
{
	char cut[STACK_SHOWN + 1];

	if (value->len > STACK_SHOWN) {
		(void)stack_text_cut(value->text, value->len, cut, STACK_SHOWN);
		report_row_copy(row, cut);
	} else {
		report_row_chars(row, value->text, value->len);
	}
}

static void put_key(const struct report_rows *rows, const struct tally_row *from, size_t i,
		    struct report_row *row)
{
	const struct events_report *er = rows->owner;
	const struct field *field = report_events_key_field(er, from, i);
	char symbol[SYMBOL_TEXT_BYTES];
	struct event_value value;
	const char *label;

	report_events_key(er, from, i, &value);
	label = is_symbol(field) ? symbol_of(er, value.number, symbol) :
				   label_of(field, rows->names, &value);
	put_value(row, &value);
	report_row_copy(row, label);
	if (from->key && value.kind == EVENT_VALUE_TEXT && is_stack(er, i))
		put_stack_title(row, &value);
	else if (from->key)
		put_title(row, field, label, &value, missing_of(er));
	else
		report_row_text(row, "(others)");
}

/* In the unit of its field: times and sizes are known as such. */
static void put_amount(struct report_row *row, const struct field *field, long double amount,
		       bool whole)
{
	const char *unit = field && field->unit ? field->unit : "";
	const bool large = amount < 0 || amount > (long double)UINT64_MAX;

	if (field && field->kind == FIELD_FLOAT)
		report_row_real(row, (double)amount, 6);
	else if (!large && !strcmp(unit, "ns"))
		report_row_time(row, (uint64_t)(amount + 0.5L));
	else if (!large && !strcmp(unit, "bytes"))
		report_row_size(row, (uint64_t)(amount + 0.5L));
	else if (!whole)
		report_row_real(row, (double)amount, 1);
	else if (!large)
		report_row_count(row, (uint64_t)amount);
	else if (amount >= (long double)INT64_MIN && amount <= (long double)INT64_MAX)
		report_row_int(row, (int64_t)amount);
	else
		report_row_real(row, (double)amount, 0);
}

static void put_percentile(struct report_row *row, const struct field *field,
			   const struct tally_sum *sum, unsigned int per_mille)
{
	if (sum->spread)
		put_amount(row, field, (long double)latency_percentile(sum->spread, per_mille),
			   true);
	else
		report_row_none(row);
}

static void put_figure(struct report_row *row, const struct field *field,
		       const struct tally_sum *sum, size_t figure)
{
	static const unsigned int permilles[FIGURES] = {[4] = 500, [5] = 900, [6] = 990};

	if (!sum->count)
		report_row_none(row);
	else if (figures[figure].shows == MEASURE_SUM)
		put_amount(row, field, sum->sum, true);
	else if (figures[figure].shows == MEASURE_AVG)
		put_amount(row, field, sum->sum / (long double)sum->count, false);
	else if (figures[figure].shows == MEASURE_MIN)
		put_amount(row, field, sum->min, true);
	else if (figures[figure].shows == MEASURE_MAX)
		put_amount(row, field, sum->max, true);
	else
		put_percentile(row, field, sum, permilles[figure]);
}

static void put_share(struct report_row *row, const struct events_report *er, size_t i,
		      const struct tally_sum *sum)
{
	const long double total = report_events_total(er, i);

	if (total > 0)
		report_row_share(row, (uint64_t)sum->sum, (uint64_t)total);
	else
		report_row_none(row);
}

/* Half open ranges, a power of two each; below 0 is one, too. */
static void write_histogram(const void *from, const char *key, struct json_writer *json)
{
	const struct tally_sum *sum = from;
	uint64_t counts[65] = {0};
	struct latency_bucket bucket;
	size_t at = 0;

	json_writer_array(json, key);
	if (sum->below_zero) {
		json_writer_object(json, NULL);
		json_writer_int(json, "to", 0);
		json_writer_uint(json, "count", sum->below_zero);
		json_writer_end(json);
	}
	while (sum->spread && latency_next(sum->spread, &at, &bucket))
		counts[bucket.from_ns ? 64 - __builtin_clzll(bucket.from_ns) : 0] += bucket.count;
	for (unsigned int bits = 0; bits < 65; bits++) {
		if (!counts[bits])
			continue;
		json_writer_object(json, NULL);
		json_writer_uint(json, "from", bits ? 1ull << (bits - 1) : 0);
		if (bits < 64)
			json_writer_uint(json, "to", 1ull << bits);
		json_writer_uint(json, "count", counts[bits]);
		json_writer_end(json);
	}
	json_writer_end(json);
}

static void put_measure(const struct events_report *er, const struct tally_row *from, size_t i,
			struct report_row *row)
{
	const struct report_measure *measure = &er->grouping.measures->list[i];
	const struct field *field = report_events_measure_field(er, i);
	const struct tally_sum *sum = &from->sums[i];

	if (!measure->field) {
		report_row_count(row, sum->count);
		return;
	}
	if (measure->shows & MEASURE_COUNT)
		report_row_count(row, sum->count);
	for (size_t f = 0; f < FIGURES; f++) {
		if (measure->shows & figures[f].shows & MEASURE_SHARE)
			put_share(row, er, i, sum);
		else if (measure->shows & figures[f].shows)
			put_figure(row, field, sum, f);
	}
	if (measure->shows & MEASURE_SPREAD)
		report_row_nested(row, write_histogram, sum);
}

static void fill(const struct report_rows *rows, const void *from, struct report_row *row)
{
	const struct events_report *er = rows->owner;
	const struct tally_row *tally_row = from;

	for (size_t i = 0; i < er->grouping.by_count; i++)
		put_key(rows, tally_row, i, row);
	report_row_count(row, tally_row->events);
	for (size_t i = 0; i < er->grouping.measures->count; i++) {
		if (is_shown(er, i))
			put_measure(er, tally_row, i, row);
	}
}

const struct report_table report_events_table = {.key = "rows"};

/* All that a report measures by itself, but for sums. */
static bool is_alone(const struct events_report *er)
{
	size_t count = 0;

	for (size_t i = 0; i < er->grouping.measures->count; i++)
		count += er->grouping.measures->list[i].field &&
			 er->grouping.measures->list[i].shows != MEASURE_SUM;
	return !er->grouping.named && count == 1;
}

static struct made_table *make_table(const struct events_report *er)
{
	struct made_table *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->table = (struct report_table){.key = "rows", .columns = made->columns, .fill = fill};
	for (size_t i = 0; i < er->grouping.by_count; i++)
		add_key(made, er, i);
	add_column(made, counts_of(er), counts_of(er), REPORT_PLAIN);
	for (size_t i = 0; i < er->grouping.measures->count; i++) {
		if (is_shown(er, i))
			add_measure(made, &er->grouping.measures->list[i], is_alone(er),
				    er->grouping.named);
	}
	return made;
}

int report_events_rows(const struct report *report, struct report_rows *ret)
{
	const struct events_report *er = (const struct events_report *)report;
	struct made_table *made = make_table(er);

	ret->made = made ? &made->table : NULL;
	ret->list = ret->owned = report_events_rank(er, &ret->count);
	ret->names = names_plain_new(report->analysis->info);
	return ret->made && ret->list && ret->names ? 0 : -ENOMEM;
}

static void write_row_title(const struct report_rows *ranked, const struct tally_row *row,
			    struct buffer *out)
{
	const struct events_report *er = ranked->owner;

	for (size_t i = 0; i < er->grouping.by_count; i++) {
		const struct field *field = report_events_key_field(er, row, i);
		struct report_row cells = {.count = 0};
		struct event_value value;
		const char *label;

		report_events_key(er, row, i, &value);
		label = label_of(field, ranked->names, &value);
		put_title(&cells, field, label, &value, missing_of(er));
		buffer_format(out, "%s%s ", i ? ", " : "", er->grouping.by[i]);
		if (cells.cells[0].kind == REPORT_CELL_TEXT)
			buffer_format(out, "%.*s", (int)cells.cells[0].len, cells.cells[0].text);
		else
			buffer_format(out, "%lld", (long long)cells.cells[0].number);
	}
}

/* Of one row, for --hist. */
static void write_hists(const struct report_rows *ranked, const struct tally_row *row,
			struct buffer *out)
{
	const struct events_report *er = ranked->owner;

	for (size_t i = 0; i < er->grouping.measures->count; i++) {
		const struct report_measure *measure = &er->grouping.measures->list[i];
		const struct field *field = report_events_measure_field(er, i);
		const struct tally_sum *sum = &row->sums[i];
		struct buffer title;

		if (!(measure->shows & MEASURE_HIST) || !sum->spread)
			continue;
		buffer_init(&title);
		write_row_title(ranked, row, &title);
		buffer_format(&title, ": %s", measure->field);
		if (sum->below_zero)
			buffer_format(&title, " (%s below 0 left out)",
				      amount_count(sum->below_zero).text);
		buffer_char(&title, 0);
		if (!buffer_error(&title)) {
			escape_blank(title.data);
			latency_write_values(title.data, sum->spread, field ? field->unit : NULL,
					     out);
		}
		buffer_fini(&title);
	}
}

/* A function a line, the innermost first. */
static void write_stack(const char *title, size_t number, const struct event_value *value,
			struct buffer *out)
{
	size_t end = value->len, from;
	char *text;

	buffer_format(out, "\n%s of row %zu\n", title, number);
	for (;;) {
		for (from = end; from && value->text[from - 1] != ';'; from--)
			;
		buffer_string(out, "    ");
		text = buffer_reserve(out, (end - from) * ESCAPE_FACTOR);
		if (text)
			buffer_advance(out, (size_t)(escape_terminal(text, value->text + from,
								     end - from) -
						     text));
		buffer_char(out, '\n');
		if (!from)
			return;
		end = from - 1;
	}
}

static void write_stacks(const struct report_rows *ranked, size_t number,
			 const struct tally_row *row, struct buffer *out)
{
	const struct events_report *er = ranked->owner;
	struct event_value value;

	for (size_t i = 0; i < er->grouping.by_count; i++) {
		report_events_key(er, row, i, &value);
		if (value.kind == EVENT_VALUE_TEXT && value.len && is_stack(er, i))
			write_stack(er->grouping.by[i], number, &value, out);
	}
}

void report_events_below(const struct report *report, const struct report_options *options,
			 const struct report_rows *ranked, struct buffer *out)
{
	const struct events_report *er = (const struct events_report *)report;
	const struct tally_row *others = tally_others(&er->tally);

	(void)options;
	if (others)
		buffer_format(out, "%s %s beyond %u groups are not shown\n",
			      amount_count(others->events).text, counts_of(er), TALLY_ROWS_MAX);
	for (size_t i = 0; i < ranked->shown; i++) {
		const struct tally_row *row = ((const struct tally_row *const *)ranked->list)[i];

		write_stacks(ranked, i + 1, row, out);
		write_hists(ranked, row, out);
	}
}

static int events_summary(const struct report *report, const struct report_options *options,
			  struct buffer *out)
{
	const struct events_report *er = (const struct events_report *)report;

	(void)options;
	buffer_format(out, "%s by ", er->grouping.report);
	for (size_t i = 0; i < er->grouping.by_count; i++)
		buffer_format(out, "%s%s", i ? ", " : "", escape_name(er->grouping.by[i]).text);
	buffer_char(out, '\n');
	return 0;
}

int report_events_json(const struct report *report, const struct report_options *options,
		       struct json_writer *json)
{
	const struct events_report *er = (const struct events_report *)report;
	const struct tally_row *others = tally_others(&er->tally);

	(void)options;
	json_writer_array(json, "by");
	for (size_t i = 0; i < er->grouping.by_count; i++)
		json_writer_string(json, NULL, er->grouping.by[i]);
	json_writer_end(json);
	json_writer_uint(json, "groups", er->tally.count);
	if (others)
		json_writer_uint(json, "others", others->events);
	return 0;
}

static const struct report_part parts[] = {
	{&report_events_table, report_events_rows, report_events_below}};

static const char *const default_by[] = {"event"};

const struct report_kind report_kind_events = {
	.name = "events",
	.events = "a class that has all these fields",
	.group = "",
	.only_named = true,
	.summary = events_summary,
	.make = report_events_new,
	.default_by = default_by,
	.default_count = 1,
	.members = report_events_json,
	.parts = parts,
	.part_count = 1,
};
