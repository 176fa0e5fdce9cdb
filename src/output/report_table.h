/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_table: tables that are described once and written as text, JSON and CSV.
 *
 * A table has columns, rows, and a function that puts the cells of one row in the order of the columns. What is
 * known of a cell decides how each form shows it: a cell without a value is blank in text, left out of JSON and
 * empty in CSV.
 */
#ifndef SONDE_OUTPUT_REPORT_TABLE_H
#define SONDE_OUTPUT_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_TABLE_COLUMNS 96u
#define REPORT_ROW_TEXT_BYTES 512u

struct buffer;
struct conn_id;
struct field;
struct json_writer;
struct latency;
struct level;
struct names;
struct report_options;
struct report_row;
struct report_rows;
struct task_names;

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
};

enum report_cell_kind {
	REPORT_CELL_NONE, /* not known */
	REPORT_CELL_TEXT,
	REPORT_CELL_COUNT,
	REPORT_CELL_SIZE, /* bytes */
	REPORT_CELL_TIME, /* ns */
	REPORT_CELL_INT,
	REPORT_CELL_REAL,
	REPORT_CELL_SHARE, /* percent */
	REPORT_CELL_BOOL,
	REPORT_CELL_LATENCY, /* in JSON and CSV alone */
	REPORT_CELL_NESTED, /* in JSON alone */
};

/* Writes member @key. */
typedef void report_nested_fn(const void *from, const char *key, struct json_writer *json);
/* An object of a struct latency. */
report_nested_fn report_nested_latency;

struct report_cell {
	enum report_cell_kind kind;
	bool blank; /* in text: 0 is often left blank there, so that the rest stands out */
	uint8_t digits; /* of what is real */
	uint16_t most; /* of what is text: bytes that a table shows; 0 = all that it can */
	union {
		uint64_t count;
		int64_t number;
		double real;
		const struct latency *latency; /* borrowed until the row is written */
		struct {
			report_nested_fn *write;
			const void *from; /* likewise */
		};
		struct {
			const char *text; /* likewise; not escaped */
			size_t len;
		};
	};
};

/* The cells of one row, in the order of the columns. */
struct report_row {
	struct report_cell cells[REPORT_TABLE_COLUMNS];
	size_t count;
	char text[REPORT_ROW_TEXT_BYTES]; /* of cells that are composed */
	size_t text_len;
};

/* Each puts the next cell. */
void report_row_none(struct report_row *row);
/* @count such cells. */
void report_row_skip(struct report_row *row, size_t count);
void report_row_count(struct report_row *row, uint64_t count);
void report_row_count_or_blank(struct report_row *row, uint64_t count);
void report_row_count_if(struct report_row *row, uint64_t count, bool known);
void report_row_size(struct report_row *row, uint64_t bytes);
void report_row_size_if(struct report_row *row, uint64_t bytes, bool known);
void report_row_time(struct report_row *row, uint64_t ns);
void report_row_time_or_blank(struct report_row *row, uint64_t ns);
void report_row_time_if(struct report_row *row, uint64_t ns, bool known);
void report_row_int(struct report_row *row, int64_t number);
void report_row_int_if(struct report_row *row, int64_t number, bool known);
void report_row_real(struct report_row *row, double real, unsigned int digits);
/* @part of @whole, in percent. */
void report_row_share(struct report_row *row, uint64_t part, uint64_t whole);
void report_row_share_or_blank(struct report_row *row, uint64_t part, uint64_t whole);
void report_row_bool(struct report_row *row, bool flag);
/* Borrowed; NULL: not known. */
void report_row_text(struct report_row *row, const char *text);
void report_row_chars(struct report_row *row, const char *text, size_t len);
/* A name that may be very long: tables show the beginning. */
void report_row_name(struct report_row *row, const char *name);
/* Copied; NULL: not known. */
void report_row_copy(struct report_row *row, const char *text);
void report_row_format(struct report_row *row, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void report_row_latency(struct report_row *row, const struct latency *latency);
void report_row_nested(struct report_row *row, report_nested_fn *write, const void *from);
/* Cells of text alone: these permilles of @latency, 1000 = the longest. */
void report_row_permilles(struct report_row *row, const struct latency *latency,
			  const unsigned int *permilles, size_t count);
/* "nginx:42"; "(others)" where @tid is below 0. */
void report_row_task(struct report_row *row, const struct task_names *names, int32_t tid);
/* "nginx" */
void report_row_comm(struct report_row *row, const struct task_names *names, int32_t tid);

/* Two: the number, and what it is called where the trace has a name for it. */
void report_row_label(struct report_row *row, const struct field *field, int64_t number);
/* Five: "saddr", "lport", "daddr", "rport", "cookie", each where it is known. */
void report_row_conn(struct report_row *row, const struct conn_id *id);
/* Seven: "time_ns", and where that is not 0 "min", "avg", "p50", "p90", "p99", "max". */
void report_row_level(struct report_row *row, const struct level *level);
/* The name of a system call, if it is known, and what stands for it in text. */
void report_row_call_name(struct report_row *row, const struct names *names, int64_t nr,
			  bool compat);
void report_row_call_title(struct report_row *row, const struct names *names, int64_t nr,
			   bool compat);

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
	const struct report_options *options;
	const char *title; /* of the first column in text; NULL: that of the table */
	struct names *names; /* for fill, not escaped; freed with the list; NULL: not needed */
	const void *all; /* one for all of them comes first in text, if this is not NULL */
	const void *list;
	void *owned; /* the list, if it is to be freed */
	size_t bytes; /* of one; 0: the list is of pointers */
	size_t count;
	size_t most; /* to be shown, 0 = all */
	size_t shown; /* of these */
	bool hidden; /* not in text */
	bool narrow; /* without the columns that are wide */
};

/* Behind an empty line, and below it how many rows are not shown. */
void report_table_text(const struct report_table *table, const struct report_rows *rows,
		       struct buffer *out);
/* A member of the object that is open. */
void report_table_json(const struct report_table *table, const struct report_rows *rows,
		       struct json_writer *json);
/* Members of one row in the object that is open. */
void report_row_json(const struct report_table *table, const struct report_rows *rows,
		     const void *row, struct json_writer *json);
/* A line of keys, and one for each row; texts that a spreadsheet would take for formulas are not marked. */
void report_table_csv(const struct report_table *table, const struct report_rows *rows,
		      struct buffer *out);

#endif /* SONDE_OUTPUT_REPORT_TABLE_H */
