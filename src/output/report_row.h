/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_row: the cells of one row of a table (report_table), put one by one in the order of its columns. Its value
 * decides how each form shows a cell: a cell without a value is blank in text, left out of JSON and empty in CSV.
 */
#ifndef SONDE_OUTPUT_REPORT_ROW_H
#define SONDE_OUTPUT_REPORT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_ROW_CELLS 96u
#define REPORT_ROW_TEXT_BYTES 512u

struct conn_id;
struct field;
struct json_writer;
struct latency;
struct level;
struct names;
struct task_names;

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
	REPORT_CELL_NEST, /* of a column that has one */
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
	struct report_cell cells[REPORT_ROW_CELLS];
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
/* What the nest of the column has for this row. */
void report_row_nest(struct report_row *row);
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

#endif /* SONDE_OUTPUT_REPORT_ROW_H */
