// SPDX-License-Identifier: BSD-2-Clause
#include "output/report_row.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyse/conn_id.h"
#include "analyse/latency.h"
#include "analyse/level.h"
#include "analyse/task_names.h"
#include "output/cell.h"
#include "output/latency_write.h"
#include "output/names.h"
#include "schema/derived.h"
#include "schema/field.h"

#define NAME_SHOWN 64u /* characters of a function's name: those of C++ know no end */

static struct report_cell *next_cell(struct report_row *row, enum report_cell_kind kind)
{
	struct report_cell *cell = &row->cells[row->count++];

	assert(row->count <= REPORT_ROW_CELLS);
	*cell = (struct report_cell){.kind = kind};
	return cell;
}

static void put_or_blank(struct report_row *row, enum report_cell_kind kind, uint64_t count)
{
	struct report_cell *cell = next_cell(row, kind);

	cell->count = count;
	cell->blank = !count;
}

/* @kind if it is known, else none. */
static void put_if(struct report_row *row, enum report_cell_kind kind, uint64_t count, bool known)
{
	next_cell(row, known ? kind : REPORT_CELL_NONE)->count = count;
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
	put_or_blank(row, REPORT_CELL_COUNT, count);
}

void report_row_count_if(struct report_row *row, uint64_t count, bool known)
{
	put_if(row, REPORT_CELL_COUNT, count, known);
}

void report_row_size(struct report_row *row, uint64_t bytes)
{
	next_cell(row, REPORT_CELL_SIZE)->count = bytes;
}

void report_row_size_if(struct report_row *row, uint64_t bytes, bool known)
{
	put_if(row, REPORT_CELL_SIZE, bytes, known);
}

void report_row_time(struct report_row *row, uint64_t ns)
{
	next_cell(row, REPORT_CELL_TIME)->count = ns;
}

void report_row_time_or_blank(struct report_row *row, uint64_t ns)
{
	put_or_blank(row, REPORT_CELL_TIME, ns);
}

void report_row_time_if(struct report_row *row, uint64_t ns, bool known)
{
	put_if(row, REPORT_CELL_TIME, ns, known);
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

void report_row_nest(struct report_row *row)
{
	(void)next_cell(row, REPORT_CELL_NEST);
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

	if (tid == OWNER_UNKNOWN)
		report_row_text(row, "(others)");
	else if (tid < 0)
		report_row_comm(row, names, tid);
	else
		report_row_format(row, "%.*s:%d", name->len ? (int)TASK_NAME_LEN(name) : 1,
				  name->len ? name->text : "-", tid);
}

void report_row_comm(struct report_row *row, const struct task_names *names, int32_t tid)
{
	const struct task_name *name = tid == OWNER_UNKNOWN ? NULL :
							      task_names_get(names, NULL, tid);

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
