// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_table.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/latency.h"
#include "base/amount.h"
#include "base/buffer.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "output/latency_write.h"
#include "output/table.h"

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

/* What latency_write_json has, without the histogram. */
static const char *const figures[] = {"count",	"total_ns", "min_ns", "avg_ns",
				      "p50_ns", "p90_ns",   "p99_ns", "max_ns"};
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

static void find_figures(const struct latency *latency, uint64_t values[FIGURES])
{
	const uint64_t found[FIGURES] = {
		latency->count,
		latency->total_ns,
		latency->min_ns,
		latency->count ? latency->total_ns / latency->count : 0,
		latency_percentile(latency, 500),
		latency_percentile(latency, 900),
		latency_percentile(latency, 990),
		latency->max_ns,
	};

	memcpy(values, found, sizeof(found));
}

/* A column that rows can be sorted by. */
struct sort_column {
	size_t column;
	size_t figure; /* of a spread; FIGURES: the cell itself */
	bool turned;
};

/* "cwnd.p50" is also called cwnd_p50, as in CSV. */
static bool is_called(const char *key, const char *name)
{
	for (; *key && *name; key++, name++) {
		if (*key != *name && !(*key == '.' && *name == '_'))
			return false;
	}
	return !*key && !*name;
}

static bool is_figure(const char *key, const char *name, size_t figure)
{
	char text[96];

	(void)snprintf(text, sizeof(text), "%s%s%s", key, *key ? "." : "", figures[figure]);
	return is_called(text, name);
}

static bool find_sort(const struct report_table *table, const char *name, struct sort_column *ret)
{
	*ret = (struct sort_column){.figure = FIGURES, .turned = *name == '-'};
	name += ret->turned;
	for (size_t i = 0; i < table->column_count; i++) {
		const struct report_column *column = &table->columns[i];

		ret->column = i;
		if (column->use == REPORT_NESTED || column->nest)
			continue;
		for (size_t f = 0; column->use == REPORT_SPREAD && column->key && f < FIGURES;
		     f++) {
			ret->figure = f;
			if (is_figure(column->key, name, f))
				return true;
		}
		ret->figure = FIGURES;
		if (column->use != REPORT_SPREAD &&
		    ((column->key && is_called(column->key, name)) ||
		     (column->title && !strcmp(column->title, name))))
			return true;
	}
	return false;
}

bool report_table_has(const struct report_table *table, const char *column)
{
	struct sort_column sort;

	return find_sort(table, column, &sort);
}

void report_table_columns(const struct report_table *table, struct buffer *out)
{
	char name[96];

	for (size_t i = 0; i < table->column_count; i++) {
		const struct report_column *column = &table->columns[i];

		if (column->use == REPORT_NESTED || column->nest)
			continue;
		for (size_t f = 0; column->use == REPORT_SPREAD && column->key && f < FIGURES;
		     f++) {
			snprintf(name, sizeof(name), "%s%s%s", column->key, *column->key ? "." : "",
				 figures[f]);
			buffer_list(out, 0, name);
		}
		if (column->use != REPORT_SPREAD)
			buffer_list(out, 0, column->key ?: column->title ?: "");
	}
}

/* What one row is sorted by. */
struct sort_key {
	const void *from;
	size_t order; /* as it was: equal ones stay so */
	bool known, text;
	bool turned;
	long double number;
	size_t len;
	char start[64]; /* of a text */
};

static void sort_key_init(struct sort_key *key, const struct report_cell *cell,
			  const struct sort_column *sort)
{
	uint64_t values[FIGURES];

	key->known = true;
	switch (cell->kind) {
	case REPORT_CELL_TEXT:
		key->text = true;
		key->len = cell->len < sizeof(key->start) ? cell->len : sizeof(key->start);
		memcpy(key->start, cell->text, key->len);
		return;
	case REPORT_CELL_COUNT:
	case REPORT_CELL_SIZE:
	case REPORT_CELL_TIME:
	case REPORT_CELL_BOOL:
		key->number = (long double)cell->count;
		return;
	case REPORT_CELL_INT:
		key->number = (long double)cell->number;
		return;
	case REPORT_CELL_REAL:
	case REPORT_CELL_SHARE:
		key->number = cell->real;
		return;
	case REPORT_CELL_LATENCY:
		find_figures(cell->latency, values);
		key->number = (long double)values[sort->figure < FIGURES ? sort->figure : 0];
		return;
	default:
		key->known = false;
	}
}

/* Numbers from the largest down, texts from A to Z; what is not known comes last either way. */
static int compare_keys(const void *left, const void *right)
{
	const struct sort_key *a = left, *b = right;
	const size_t len = a->len < b->len ? a->len : b->len;
	int order = 0;

	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->text && b->text) {
		order = memcmp(a->start, b->start, len);
		order = order ?: (a->len > b->len) - (a->len < b->len);
	} else if (a->known && a->number != b->number) {
		order = a->number > b->number ? -1 : 1;
	}
	if (order)
		return a->turned ? -order : order;
	return a->order < b->order ? -1 : 1;
}

int report_table_sort(const struct report_table *table, struct report_rows *rows,
		      const char *column)
{
	const size_t bytes = rows->bytes ?: sizeof(void *);
	struct sort_column sort;
	struct sort_key *keys;
	struct report_row row;
	char *list;

	if (!find_sort(table, column, &sort))
		return -ENOENT;
	keys = calloc(rows->count + 1, sizeof(*keys));
	list = malloc((rows->count + 1) * bytes);
	if (!keys || !list) {
		free(keys);
		free(list);
		return -ENOMEM;
	}
	for (size_t i = 0; i < rows->count; i++) {
		keys[i] = (struct sort_key){
			.from = row_at(rows, i), .order = i, .turned = sort.turned};
		fill(table, rows, keys[i].from, &row);
		sort_key_init(&keys[i], &row.cells[sort.column], &sort);
	}
	qsort(keys, rows->count, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < rows->count; i++)
		memcpy(list + i * bytes, rows->bytes ? keys[i].from : (const void *)&keys[i].from,
		       bytes);
	free(keys);
	free(rows->owned);
	rows->list = rows->owned = list;
	return 0;
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

/* As many as there are; the caller frees what is owned, after an error too. */
static int nest_rows(const struct report_nest *nest, const struct report_rows *rows,
		     const void *from, struct report_rows *ret)
{
	int err;

	*ret = (struct report_rows){.owner = rows->owner, .parent = from};
	err = nest->rows(rows, from, ret);
	ret->shown = ret->count;
	return err;
}

static void put_nest(const struct report_nest *nest, const struct report_rows *rows,
		     const void *from, struct json_writer *json)
{
	struct report_rows inside;
	int err = nest_rows(nest, rows, from, &inside);

	if (err)
		json->out->err = err;
	else
		report_table_json(nest->table, &inside, json);
	free(inside.owned);
}

void report_row_json(const struct report_table *table, const struct report_rows *rows,
		     const void *from, struct json_writer *json)
{
	struct report_row row;
	const char *key, *open = "";

	fill(table, rows, from, &row);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct report_column *column = &table->columns[i];

		if (!column->key || column->use == REPORT_FLAT ||
		    row.cells[i].kind == REPORT_CELL_NONE)
			continue;
		key = enter(json, open, column->key);
		open = column->key;
		if (column->nest)
			put_nest(column->nest, rows, from, json);
		else
			put_cell(key, &row.cells[i], json);
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

static void csv_figures(const struct latency *latency, struct buffer *out)
{
	uint64_t values[FIGURES];

	find_figures(latency, values);
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

static bool is_csv(const struct report_column *column)
{
	return column->key && column->use != REPORT_NESTED && !column->nest;
}

/* @before: what stands in front of the first column. */
static void csv_keys(const struct report_table *table, const char *before, struct buffer *out)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (!is_csv(&table->columns[i]))
			continue;
		buffer_string(out, before);
		csv_heads(&table->columns[i], out);
		before = ",";
	}
	buffer_char(out, '\n');
}

static void csv_row(const struct report_table *table, const struct report_rows *rows,
		    const void *from, const char *before, struct buffer *out)
{
	struct report_row row;

	fill(table, rows, from, &row);
	for (size_t i = 0; i < table->column_count; i++) {
		if (!is_csv(&table->columns[i]))
			continue;
		buffer_string(out, before);
		if (table->columns[i].use == REPORT_SPREAD && row.cells[i].kind == REPORT_CELL_NONE)
			buffer_pad(out, ',', FIGURES - 1);
		else
			csv_cell(&row.cells[i], out);
		before = ",";
	}
	buffer_char(out, '\n');
}

static void csv_nest(const struct report_nest *nest, const struct report_rows *rows,
		     struct buffer *out)
{
	char number[24];

	buffer_char(out, '\n');
	csv_keys(nest->table, "row,", out);
	for (size_t i = 0; i < rows->shown; i++) {
		struct report_rows inside;
		int err = nest_rows(nest, rows, row_at(rows, i), &inside);

		(void)snprintf(number, sizeof(number), "%zu,", i + 1);
		for (size_t k = 0; !err && k < inside.count; k++)
			csv_row(nest->table, &inside, row_at(&inside, k), number, out);
		if (err)
			out->err = err;
		free(inside.owned);
	}
}

void report_table_csv(const struct report_table *table, const struct report_rows *rows,
		      struct buffer *out)
{
	const struct report_column *columns = table->columns;
	char number[24] = "";
	bool nests = false;

	for (size_t c = 0; c < table->column_count; c++)
		nests |= columns[c].nest != NULL;
	csv_keys(table, nests ? "row," : "", out);
	for (size_t i = 0; i < rows->shown; i++) {
		if (nests)
			(void)snprintf(number, sizeof(number), "%zu,", i + 1);
		csv_row(table, rows, row_at(rows, i), number, out);
	}
	for (size_t c = 0; c < table->column_count; c++) {
		if (columns[c].nest)
			csv_nest(columns[c].nest, rows, out);
	}
}
