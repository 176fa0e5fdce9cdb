// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyse/conn_id.h"
#include "analyse/latency.h"
#include "analyse/level.h"
#include "analyse/task_names.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/names.h"
#include "output/table.h"
#include "schema/field.h"

#define NAME_SHOWN 64u /* characters of a function's name: those of C++ know no end */

static struct report_cell *next_cell(struct report_row *row, enum report_cell_kind kind)
{
	struct report_cell *cell = &row->cells[row->count++];

	assert(row->count <= REPORT_TABLE_COLUMNS);
	*cell = (struct report_cell){.kind = kind};
	return cell;
}

void report_row_none(struct report_row *row)
{
	(void)next_cell(row, REPORT_CELL_NONE);
}

void report_row_skip(struct report_row *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_row_none(row);
}

void report_row_count(struct report_row *row, uint64_t count)
{
	next_cell(row, REPORT_CELL_COUNT)->count = count;
}

void report_row_count_or_blank(struct report_row *row, uint64_t count)
{
	struct report_cell *cell = next_cell(row, REPORT_CELL_COUNT);

	cell->count = count;
	cell->blank = !count;
}

void report_row_count_if(struct report_row *row, uint64_t count, bool known)
{
	next_cell(row, known ? REPORT_CELL_COUNT : REPORT_CELL_NONE)->count = count;
}

void report_row_size(struct report_row *row, uint64_t bytes)
{
	next_cell(row, REPORT_CELL_SIZE)->count = bytes;
}

void report_row_size_if(struct report_row *row, uint64_t bytes, bool known)
{
	next_cell(row, known ? REPORT_CELL_SIZE : REPORT_CELL_NONE)->count = bytes;
}

void report_row_time(struct report_row *row, uint64_t ns)
{
	next_cell(row, REPORT_CELL_TIME)->count = ns;
}

void report_row_time_or_blank(struct report_row *row, uint64_t ns)
{
	struct report_cell *cell = next_cell(row, REPORT_CELL_TIME);

	cell->count = ns;
	cell->blank = !ns;
}

void report_row_time_if(struct report_row *row, uint64_t ns, bool known)
{
	next_cell(row, known ? REPORT_CELL_TIME : REPORT_CELL_NONE)->count = ns;
}

void report_row_int(struct report_row *row, int64_t number)
{
	next_cell(row, REPORT_CELL_INT)->number = number;
}

void report_row_int_if(struct report_row *row, int64_t number, bool known)
{
	next_cell(row, known ? REPORT_CELL_INT : REPORT_CELL_NONE)->number = number;
}

void report_row_real(struct report_row *row, double real, unsigned int digits)
{
	struct report_cell *cell = next_cell(row, REPORT_CELL_REAL);

	cell->real = real;
	cell->digits = (uint8_t)digits;
}

void report_row_share(struct report_row *row, uint64_t part, uint64_t whole)
{
	next_cell(row, REPORT_CELL_SHARE)->real = whole ? 100.0 * (double)part / (double)whole :
							  0.0;
}

void report_row_share_or_blank(struct report_row *row, uint64_t part, uint64_t whole)
{
	report_row_share(row, part, whole);
	row->cells[row->count - 1].blank = !part;
}

void report_row_bool(struct report_row *row, bool flag)
{
	next_cell(row, REPORT_CELL_BOOL)->count = flag;
}

void report_row_chars(struct report_row *row, const char *text, size_t len)
{
	struct report_cell *cell = next_cell(row, REPORT_CELL_TEXT);

	cell->text = text;
	cell->len = len;
}

void report_row_text(struct report_row *row, const char *text)
{
	if (text)
		report_row_chars(row, text, strlen(text));
	else
		report_row_none(row);
}

void report_row_name(struct report_row *row, const char *name)
{
	report_row_text(row, name);
	row->cells[row->count - 1].most = NAME_SHOWN;
}

void report_row_format(struct report_row *row, const char *format, ...)
{
	char *text = row->text + row->text_len;
	size_t room = sizeof(row->text) - row->text_len;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, room, format, args);
	va_end(args);
	if (len < 0)
		len = 0;
	if ((size_t)len >= room)
		len = (int)(room - 1);
	row->text_len += (size_t)len;
	report_row_chars(row, text, (size_t)len);
}

void report_row_copy(struct report_row *row, const char *text)
{
	if (text)
		report_row_format(row, "%s", text);
	else
		report_row_none(row);
}

void report_row_latency(struct report_row *row, const struct latency *latency)
{
	next_cell(row, REPORT_CELL_LATENCY)->latency = latency;
}

void report_row_nested(struct report_row *row, report_nested_fn *write, const void *from)
{
	struct report_cell *cell = next_cell(row, REPORT_CELL_NESTED);

	cell->write = write;
	cell->from = from;
}

void report_nested_latency(const void *from, const char *key, struct json_writer *json)
{
	latency_write_object(from, key, json);
}

void report_row_permilles(struct report_row *row, const struct latency *latency,
			  const unsigned int *permilles, size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_row_time_if(row,
				   permilles[i] == 1000 ? latency->max_ns :
							  latency_percentile(latency, permilles[i]),
				   latency->count);
}

void report_row_task(struct report_row *row, const struct task_names *names, int32_t tid)
{
	const struct task_name *name = task_names_get(names, NULL, tid);

	if (tid < 0)
		report_row_text(row, "(others)");
	else
		report_row_format(row, "%.*s:%d", name->len ? (int)TASK_NAME_LEN(name) : 1,
				  name->len ? name->text : "-", tid);
}

void report_row_comm(struct report_row *row, const struct task_names *names, int32_t tid)
{
	const struct task_name *name = tid < 0 ? NULL : task_names_get(names, NULL, tid);

	if (name && name->len)
		report_row_chars(row, name->text, TASK_NAME_LEN(name));
	else
		report_row_none(row);
}

void report_row_label(struct report_row *row, const struct field *field, int64_t number)
{
	report_row_int_if(row, number, field);
	report_row_text(row, field ? field_label(field, number) : NULL);
}

static void put_address(struct report_row *row, const struct conn_id *id, const uint8_t *address)
{
	char text[EMIT_ADDRESS_BYTES + EMIT_SLACK_BYTES];

	if (id->no_addresses)
		report_row_none(row);
	else
		report_row_format(row, "%.*s", (int)(emit_address(text, address, 0) - text), text);
}

void report_row_conn(struct report_row *row, const struct conn_id *id)
{
	put_address(row, id, id->saddr);
	report_row_count(row, id->lport);
	put_address(row, id, id->daddr);
	report_row_count(row, id->rport);
	report_row_count_if(row, id->cookie, id->cookie);
}

void report_row_level(struct report_row *row, const struct level *level)
{
	const struct latency *spread = &level->spread;

	report_row_count(row, spread->count);
	report_row_count_if(row, spread->min_ns, spread->count);
	if (spread->count)
		report_row_real(row, level_mean(level), 1);
	else
		report_row_none(row);
	report_row_count_if(row, latency_percentile(spread, 500), spread->count);
	report_row_count_if(row, latency_percentile(spread, 900), spread->count);
	report_row_count_if(row, latency_percentile(spread, 990), spread->count);
	report_row_count_if(row, spread->max_ns, spread->count);
}

void report_row_call_name(struct report_row *row, const struct names *names, int64_t nr,
			  bool compat)
{
	const struct name *name = names_call(names, compat, nr);

	if (name)
		report_row_chars(row, name->text, name->len);
	else
		report_row_none(row);
}

void report_row_call_title(struct report_row *row, const struct names *names, int64_t nr,
			   bool compat)
{
	report_row_copy(row, cell_text_call(names, nr, compat).text);
}

static const void *row_at(const struct report_rows *rows, size_t i)
{
	const char *list = rows->list;

	return rows->bytes ? list + i * rows->bytes : ((const void *const *)rows->list)[i];
}

static void fill(const struct report_table *table, const struct report_rows *rows, const void *from,
		 struct report_row *row)
{
	row->count = row->text_len = 0;
	table->fill(rows, from, row);
	assert(row->count == table->column_count);
}

/* Texts may be anything. */
static void add_text(struct table *table, const struct report_cell *cell)
{
	char text[REPORT_ROW_TEXT_BYTES * ESCAPE_FACTOR + 4];
	const size_t most = cell->most ?: REPORT_ROW_TEXT_BYTES;
	char *end = escape_terminal(text, cell->text, cell->len < most ? cell->len : most);

	strcpy(end, cell->len > most ? "..." : "");
	table_add(table, "%s", text);
}

static void add_cell(struct table *table, const struct report_cell *cell)
{
	switch (cell->blank ? REPORT_CELL_NONE : cell->kind) {
	case REPORT_CELL_TEXT:
		add_text(table, cell);
		return;
	case REPORT_CELL_COUNT:
		table_add(table, "%s", amount_count(cell->count).text);
		return;
	case REPORT_CELL_SIZE:
		table_add(table, "%s", amount_size(cell->count).text);
		return;
	case REPORT_CELL_TIME:
		table_add(table, "%s", amount_time(cell->count).text);
		return;
	case REPORT_CELL_INT:
		table_add(table, "%lld", (long long)cell->number);
		return;
	case REPORT_CELL_REAL:
		table_add(table, "%.*f", cell->digits, cell->real);
		return;
	case REPORT_CELL_SHARE:
		table_add(table, "%.1f %%", cell->real);
		return;
	case REPORT_CELL_BOOL:
		table_add(table, "%s", cell->count ? "yes" : "");
		return;
	default:
		table_add(table, "%s", "");
	}
}

static bool has_title(const struct report_rows *rows, const struct report_column *column)
{
	return column->title && !(column->wide && rows->narrow);
}

static void add_row(const struct report_table *table, const struct report_rows *rows,
		    const void *from, struct table *text)
{
	struct report_row row;

	fill(table, rows, from, &row);
	for (size_t i = 0; i < table->column_count; i++) {
		if (has_title(rows, &table->columns[i]))
			add_cell(text, &row.cells[i]);
	}
}

void report_table_text(const struct report_table *table, const struct report_rows *rows,
		       struct buffer *out)
{
	const char *titles[TABLE_COLUMNS + 1] = {NULL};
	struct table text;
	size_t count = 0;

	for (size_t i = 0; i < table->column_count && count < TABLE_COLUMNS; i++) {
		if (has_title(rows, &table->columns[i]))
			titles[count++] = table->columns[i].title;
	}
	titles[0] = rows->title ?: titles[0];
	table_init(&text, titles);
	if (rows->all)
		add_row(table, rows, rows->all, &text);
	for (size_t i = 0; i < rows->shown; i++)
		add_row(table, rows, row_at(rows, i), &text);
	table_finish(&text, out, rows->shown, rows->count);
}

static void put_cell(const char *key, const struct report_cell *cell, struct json_writer *json)
{
	switch (cell->kind) {
	case REPORT_CELL_TEXT:
		json_writer_text(json, key, cell->text, cell->len);
		return;
	case REPORT_CELL_COUNT:
	case REPORT_CELL_SIZE:
	case REPORT_CELL_TIME:
		json_writer_uint(json, key, cell->count);
		return;
	case REPORT_CELL_INT:
		json_writer_int(json, key, cell->number);
		return;
	case REPORT_CELL_REAL:
		json_writer_real(json, key, cell->real, cell->digits);
		return;
	case REPORT_CELL_SHARE:
		json_writer_real(json, key, cell->real, 1);
		return;
	case REPORT_CELL_BOOL:
		json_writer_bool(json, key, cell->count);
		return;
	case REPORT_CELL_LATENCY:
		if (*key)
			latency_write_object(cell->latency, key, json);
		else
			latency_write_json(cell->latency, json);
		return;
	case REPORT_CELL_NESTED:
		cell->write(cell->from, key, json);
		return;
	default: /* REPORT_CELL_NONE */
		return;
	}
}

/*
 * Closes the objects that the key @open stands in and @key does not, and opens those that @key stands in. Returns
 * what is behind its last dot.
 */
static const char *enter(struct json_writer *json, const char *open, const char *key)
{
	char name[64];
	const char *dot;
	size_t same = 0;

	for (size_t i = 0; open[i] && open[i] == key[i]; i++) {
		if (open[i] == '.')
			same = i + 1;
	}
	for (open += same; (dot = strchr(open, '.')); open = dot + 1)
		json_writer_end(json);
	for (key += same; (dot = strchr(key, '.')); key = dot + 1) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
		json_writer_object(json, name);
	}
	return key;
}

void report_row_json(const struct report_table *table, const struct report_rows *rows,
		     const void *from, struct json_writer *json)
{
	struct report_row row;
	const char *open = "";

	fill(table, rows, from, &row);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct report_column *column = &table->columns[i];

		if (!column->key || column->use == REPORT_FLAT ||
		    row.cells[i].kind == REPORT_CELL_NONE)
			continue;
		put_cell(enter(json, open, column->key), &row.cells[i], json);
		open = column->key;
	}
	(void)enter(json, open, "");
}

void report_table_json(const struct report_table *table, const struct report_rows *rows,
		       struct json_writer *json)
{
	json_writer_array(json, table->key);
	for (size_t i = 0; i < rows->shown; i++) {
		json_writer_object(json, NULL);
		report_row_json(table, rows, row_at(rows, i), json);
		json_writer_end(json);
	}
	json_writer_end(json);
}

/* What latency_write_json has, without the histogram. */
static const char *const figures[] = {"count",	"total_ns", "min_ns", "avg_ns",
				      "p50_ns", "p90_ns",   "p99_ns", "max_ns"};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

static void csv_figures(const struct latency *latency, struct buffer *out)
{
	const uint64_t values[FIGURES] = {
		latency->count,
		latency->total_ns,
		latency->min_ns,
		latency->count ? latency->total_ns / latency->count : 0,
		latency_percentile(latency, 500),
		latency_percentile(latency, 900),
		latency_percentile(latency, 990),
		latency->max_ns,
	};

	for (size_t i = 0; i < FIGURES; i++) {
		if (i)
			buffer_char(out, ',');
		if (i < 2 || latency->count)
			buffer_uint(out, values[i]);
	}
}

static void csv_head(const char *key, struct buffer *out)
{
	for (; *key; key++)
		buffer_char(out, *key == '.' ? '_' : *key);
}

static void csv_cell(const struct report_cell *cell, struct buffer *out)
{
	char *text;

	switch (cell->kind) {
	case REPORT_CELL_TEXT:
		text = buffer_reserve(out, cell->len * ESCAPE_FACTOR + 2);
		if (text)
			buffer_advance(out,
				       (size_t)(escape_csv(text, cell->text, cell->len) - text));
		return;
	case REPORT_CELL_COUNT:
	case REPORT_CELL_SIZE:
	case REPORT_CELL_TIME:
	case REPORT_CELL_BOOL:
		buffer_uint(out, cell->count);
		return;
	case REPORT_CELL_INT:
		buffer_int(out, cell->number);
		return;
	case REPORT_CELL_REAL:
		buffer_format(out, "%.*f", cell->digits, cell->real);
		return;
	case REPORT_CELL_SHARE:
		buffer_format(out, "%.1f", cell->real);
		return;
	case REPORT_CELL_LATENCY:
		csv_figures(cell->latency, out);
		return;
	default:
		return;
	}
}

static void csv_heads(const struct report_column *column, struct buffer *out)
{
	csv_head(column->use == REPORT_SPREAD ? "" : column->key, out);
	for (size_t i = 0; column->use == REPORT_SPREAD && i < FIGURES; i++) {
		buffer_string(out, i ? "," : "");
		csv_head(column->key, out);
		buffer_format(out, "%s%s", *column->key ? "_" : "", figures[i]);
	}
}

void report_table_csv(const struct report_table *table, const struct report_rows *rows,
		      struct buffer *out)
{
	struct report_row row;

	for (size_t i = 0; i < rows->shown + 1; i++) {
		bool any = false;

		if (i)
			fill(table, rows, row_at(rows, i - 1), &row);
		for (size_t c = 0; c < table->column_count; c++) {
			if (!table->columns[c].key || table->columns[c].use == REPORT_NESTED)
				continue;
			if (any)
				buffer_char(out, ',');
			any = true;
			if (i && table->columns[c].use == REPORT_SPREAD &&
			    row.cells[c].kind == REPORT_CELL_NONE)
				buffer_pad(out, ',', FIGURES - 1);
			else if (i)
				csv_cell(&row.cells[c], out);
			else
				csv_heads(&table->columns[c], out);
		}
		buffer_char(out, '\n');
	}
}
