// SPDX-License-Identifier: BSD-2-Clause
#include "view/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/emit.h"
#include "view/json_field.h"
#include "view/plan.h"
#include "view/view.h"

#define HEAD_BYTES 256u
#define FIXED_COLUMNS 5u
#define LIST_BYTES 64u /* brackets and quotes around a list, escaped */

static const char *const fixed_columns[FIXED_COLUMNS] = {"time", "cpu", "tid", "comm", "event"};

struct csv {
	struct event_sink sink;
	const struct view *view;
	struct plan *plans;
	size_t class_count;
	const char **columns; /* names of fields, borrowed from the classes */
	size_t column_count;
	/* By class and column: index of the field, -1 = none. class_count x column_count. */
	int *places;
	escape_write escape;
	char separator;
	bool header_done;
};

static char *write_number(char *p, const struct event *event, const struct plan_field *pf,
			  uint32_t i)
{
	uint64_t value;

	if (pf->number == PLAN_FLOAT)
		return emit_float(p, event_float(event, pf->index, i), pf->field->bits);
	value = event_element_fast(event, pf->index, i);
	return pf->field->is_signed ? emit_int(p, (int64_t)value) : emit_uint(p, value);
}

/* As JSON in one cell. It is written where it cannot be reached by its own escaped form. */
static char *write_list(char *p, const struct csv *csv, const struct event *event,
			const struct plan_field *pf)
{
	char *text = p + plan_room_field(pf, event) * ESCAPE_FACTOR + LIST_BYTES;
	char *end = json_field_value(text, event, pf);

	return csv->escape(p, text, (size_t)(end - text));
}

static char *write_value(char *p, const struct csv *csv, const struct event *event,
			 const struct plan_field *pf)
{
	const char *text;
	uint32_t i, count;
	size_t len;

	switch (pf->form) {
	case PLAN_ADDRESS:
		return emit_address(p, event_bytes(event, pf->index), 0);
	case PLAN_TEXT:
		text = event_text(event, pf->index, &len);
		return csv->escape(p, text, len);
	case PLAN_ARRAY:
		count = event_count(event, pf->index);
		for (i = 0; i < count; i++) {
			if (i)
				p = emit_char(p, ' ');
			p = write_number(p, event, pf, i);
		}
		return p;
	case PLAN_LIST:
		return write_list(p, csv, event, pf);
	default:
		return write_number(p, event, pf, 0);
	}
}

static char *write_head(char *p, const struct csv *csv, const struct event *event)
{
	const struct task_name *name = task_names_get(csv->view->names, event->tid);
	char separator = csv->separator;

	p = emit_int(p, event->time_ns);
	p = emit_char(p, separator);
	if (event->cpu >= 0)
		p = emit_uint(p, (uint32_t)event->cpu);
	p = emit_char(p, separator);
	if (event->tid >= 0)
		p = emit_uint(p, (uint32_t)event->tid);
	p = emit_char(p, separator);
	if (event->tid >= 0)
		p = csv->escape(p, name->text, TASK_NAME_LEN(name));
	p = emit_char(p, separator);
	return csv->escape(p, event->class->name, strlen(event->class->name));
}

/* RFC 4180 ends lines with CR LF; the readers of tab-separated values expect LF alone. */
static char *write_end(char *p, const struct csv *csv)
{
	if (csv->separator == ',')
		p = emit_char(p, '\r');
	return emit_char(p, '\n');
}

static char *write_event(char *p, const struct csv *csv, const struct event *event)
{
	const struct plan *plan = &csv->plans[event->class->index];
	const int *places = &csv->places[event->class->index * csv->column_count];
	size_t i;

	p = write_head(p, csv, event);
	for (i = 0; i < csv->column_count; i++) {
		p = emit_char(p, csv->separator);
		if (places[i] >= 0 && event_has(event, (size_t)places[i]))
			p = write_value(p, csv, event, &plan->fields[places[i]]);
	}
	return write_end(p, csv);
}

static bool is_fixed(const char *name)
{
	size_t i;

	for (i = 0; i < FIXED_COLUMNS; i++)
		if (!strcmp(fixed_columns[i], name))
			return true;
	return false;
}

/* A field called like one of the fixed columns is told apart by its head: "fields.tid". */
static int write_header(struct csv *csv)
{
	struct buffer *buf = &csv->view->out->buf;
	size_t i;

	for (i = 0; i < FIXED_COLUMNS; i++) {
		if (i)
			buffer_char(buf, csv->separator);
		buffer_string(buf, fixed_columns[i]);
	}
	for (i = 0; i < csv->column_count; i++) {
		size_t len = strlen(csv->columns[i]);
		char *p;

		buffer_char(buf, csv->separator);
		if (is_fixed(csv->columns[i]))
			buffer_string(buf, "fields.");
		p = buffer_reserve(buf, len * ESCAPE_FACTOR + 2);
		if (!p)
			return -ENOMEM;
		buffer_advance(buf, (size_t)(csv->escape(p, csv->columns[i], len) - p));
	}
	buffer_string(buf, csv->separator == ',' ? "\r\n" : "\n");
	csv->header_done = true;
	return buffer_error(buf);
}

/* A list is there twice: as JSON, and escaped. */
static size_t room_of(const struct plan *plan, const struct event *event)
{
	size_t i, room = plan_room(plan, event);

	for (i = 0; plan->varying && i < plan->count; i++) {
		const struct plan_field *pf = &plan->fields[i];

		if (pf->form == PLAN_LIST && event_has(event, i))
			room += plan_room_field(pf, event) * ESCAPE_FACTOR + 2 * LIST_BYTES;
	}
	return room;
}

static int csv_batch(struct event_sink *sink, const struct event *events, size_t count)
{
	struct csv *csv = (struct csv *)sink;
	struct output *out = csv->view->out;
	size_t i, room;
	char *start, *p;

	if (!csv->header_done && write_header(csv))
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		const struct event *event = &events[i];

		if (!view_takes(csv->view, event))
			continue;
		room = HEAD_BYTES + EMIT_SLACK_BYTES + csv->column_count +
		       strlen(event->class->name) * ESCAPE_FACTOR +
		       room_of(&csv->plans[event->class->index], event);
		start = buffer_reserve(&out->buf, room);
		if (!start)
			return -ENOMEM;
		p = write_event(start, csv, event);
		buffer_advance(&out->buf, (size_t)(p - start));
		if (output_end_line(out))
			return out->err;
	}
	return output_end_batch(out);
}

static int csv_finish(struct event_sink *sink)
{
	struct csv *csv = (struct csv *)sink;

	if (!csv->header_done && write_header(csv))
		return -ENOMEM;
	return output_flush(csv->view->out);
}

static void csv_free(struct event_sink *sink)
{
	struct csv *csv = (struct csv *)sink;

	if (!csv)
		return;
	plans_free(csv->plans, csv->class_count);
	free(csv->columns);
	free(csv->places);
	free(csv);
}

static const struct sink_ops csv_ops = {csv_batch, csv_finish, csv_free};

/* The column called @name, made where there was none. */
static size_t column_at(struct csv *csv, const char *name)
{
	size_t i;

	for (i = 0; i < csv->column_count; i++)
		if (!strcmp(csv->columns[i], name))
			return i;
	csv->columns[csv->column_count] = name;
	return csv->column_count++;
}

static void add_columns(struct csv *csv, bool lost)
{
	size_t i, j;

	for (i = 0; i < csv->class_count; i++) {
		const struct event_class *class = csv->view->info->classes[i];

		if (!select_shows(csv->view->select, class) ||
		    (class->role == EVENT_ROLE_LOST) != lost)
			continue;
		for (j = 0; j < class->field_count; j++)
			(void)column_at(csv, class->fields[j].name);
	}
}

static int make_places(struct csv *csv)
{
	size_t i, j;

	csv->places = calloc(csv->class_count * csv->column_count ?: 1, sizeof(*csv->places));
	if (!csv->places)
		return -ENOMEM;
	for (i = 0; i < csv->class_count; i++)
		for (j = 0; j < csv->column_count; j++)
			csv->places[i * csv->column_count + j] =
				event_class_find_any(csv->view->info->classes[i], csv->columns[j]);
	return 0;
}

static int make_columns(struct csv *csv)
{
	size_t i, total = 0;

	for (i = 0; i < csv->class_count; i++)
		total += csv->view->info->classes[i]->field_count;
	csv->columns = calloc(total ?: 1, sizeof(*csv->columns));
	if (!csv->columns)
		return -ENOMEM;
	/* Losses come last: they are rare, but a table without a column for them would hide them. */
	add_columns(csv, false);
	add_columns(csv, true);
	return make_places(csv);
}

struct event_sink *csv_new(const struct view *view, enum csv_form form)
{
	static const struct plan_style style = {"", "", escape_tsv, &json_field_style};
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv)
		return NULL;
	csv->sink.ops = &csv_ops;
	csv->view = view;
	csv->class_count = view->info->class_count;
	csv->escape = form == CSV_COMMAS ? escape_csv : escape_tsv;
	csv->separator = form == CSV_COMMAS ? ',' : '\t';
	csv->plans = plans_new(view->info->classes, csv->class_count, &style);
	if (!csv->plans || make_columns(csv)) {
		csv_free(&csv->sink);
		return NULL;
	}
	return &csv->sink;
}
