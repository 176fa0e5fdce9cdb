/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_table: tables that are described once and written as text, JSON and CSV.
 *
 * A table has columns, rows, and a function that puts the cells of one row (report_row) in the order of the columns.
 */
#ifndef SONDE_OUTPUT_REPORT_TABLE_H
#define SONDE_OUTPUT_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/report_row.h"

struct buffer;
struct json_writer;
struct names;
struct report_options;
struct report_row;
struct report_rows;

enum report_column_use {
	REPORT_PLAIN,
	REPORT_SPREAD, /* its cells are report_row_latency's: an object in JSON, several columns in CSV */
	REPORT_NESTED, /* its cells are report_row_nested's: in JSON, and not in CSV */
	REPORT_FLAT, /* in CSV, and not in JSON */
};

struct report_column {
	/*
	 * In JSON and CSV; NULL: in text alone. "lost.fast" is the member "fast" of the object "lost", and lost_fast in
	 * CSV. "": the members of a spread stand in the row.
	 */
	const char *key;
	const char *title; /* in text; NULL: not there */
	enum report_column_use use;
	bool wide; /* not in text where the rows are narrow */
	/* Rows inside of a row: an array in JSON; a table of its own in CSV, with the number of the row in front. */
	const struct report_nest *nest;
};

struct report_table {
	const char *key; /* the array in JSON; NULL: in text alone */
	bool flat; /* a table of its own in CSV alone: in JSON it is a part of another */
	const struct report_column *columns;
	size_t column_count;
	/* Puts the cells of @row, one for each column. */
	void (*fill)(const struct report_rows *rows, const void *row, struct report_row *cells);
};

/* What a table shows. */
struct report_rows {
	const void *owner; /* for fill */
	const void *parent; /* of a nest: the row that these are in */
	const struct report_options *options;
	const char *title; /* of the first column in text; NULL: that of the table */
	struct names *names; /* for fill, not escaped; freed with the list; NULL: not needed */
	const void *all; /* one for all of them comes first in text, if this is not NULL */
	const void *list;
	void *owned; /* the list, if it is to be freed */
	/* The table, if it is made with its rows; freed with them. NULL: that of the part. */
	struct report_table *made;
	size_t bytes; /* of one; 0: the list is of pointers */
	size_t count;
	size_t most; /* to be shown, 0 = all */
	size_t shown; /* of these */
	bool hidden; /* not in text */
	bool narrow; /* without the columns that are wide */
};

struct report_nest {
	const struct report_table *table;
	/* The rows inside of @row, of a table whose rows are @rows: 0 or -ENOMEM. Owner and parent are set. */
	int (*rows)(const struct report_rows *rows, const void *row, struct report_rows *ret);
};

/*
 * Sorts the rows by the column whose key or title is @column, the largest first, texts by their letters; the other way
 * round behind "-". 0; -ENOENT: it has no such column; or -ENOMEM.
 */
int report_table_sort(const struct report_table *table, struct report_rows *rows,
		      const char *column);
/* Whether it has such a column. */
bool report_table_has(const struct report_table *table, const char *column);
/* Appends the names of its columns, with commas; @out may have some already. */
void report_table_columns(const struct report_table *table, struct buffer *out);

/* Behind an empty line, and below it how many rows are not shown. */
void report_table_text(const struct report_table *table, const struct report_rows *rows,
		       struct buffer *out);
/* A member of the object that is open. */
void report_table_json(const struct report_table *table, const struct report_rows *rows,
		       struct json_writer *json);
/* Members of one row in the object that is open. */
void report_row_json(const struct report_table *table, const struct report_rows *rows,
		     const void *row, struct json_writer *json);
/* A line of keys, and one for each row; the same of each nest, behind an empty line. Texts that a spreadsheet would take
 * for formulas are not marked. */
void report_table_csv(const struct report_table *table, const struct report_rows *rows,
		      struct buffer *out);

#endif /* SONDE_OUTPUT_REPORT_TABLE_H */
