// SPDX-License-Identifier: BSD-2-Clause
#include "output/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/origin_label.h"
#include "base/emit.h"
#include "output/columns.h"
#include "output/json_field.h"
#include "output/plan.h"
#include "output/view.h"
#include "schema/sockaddr.h"

#define HEAD_BYTES 256u
#define SEPARATORS 32u /* fewer than EMIT_SLACK_BYTES: they are copied all, whatever the gap */
#define LIST_BYTES 64u /* brackets and quotes around a list, escaped */

/* A column in which events of the class have something. */
struct csv_cell {
	uint32_t gap; /* separators in front */
	int common;
	const struct plan_field *field; /* if it is not a common one */
};

struct csv_class {
	struct csv_cell *cells;
	size_t count;
	size_t tail; /* separators behind the last */
	char *name; /* escaped, padded for emit_short */
	size_t name_len;
	size_t origin_room;
};

struct csv {
	struct event_sink sink;
	const struct view *view;
	struct plan *plans;
	size_t class_count;
	const struct columns *columns;
	struct columns own; /* where the view has none */
	struct csv_class *classes;
	char separators[SEPARATORS]; /* so many of it */
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
	char address[SOCKADDR_TEXT_BYTES + EMIT_SLACK_BYTES];
	const char *text;
	uint32_t i, count;
	size_t len;

	switch (pf->form) {
	case PLAN_ADDRESS:
		return emit_address(p, event_bytes(event, pf->index), 0);
	case PLAN_SOCKADDR:
		return csv->escape(p, address,
				   (size_t)(plan_emit_sockaddr(address, pf, event) - address));
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
	case PLAN_TEXTS:
	case PLAN_LIST:
		return write_list(p, csv, event, pf);
	default:
		return write_number(p, event, pf, 0);
	}
}

static char *write_origin(char *p, const struct csv *csv, const struct origin *origin, int common)
{
	enum origin_part part;
	const char *name;

	if (!field_choice_is_origin(common, &part) || !origin_has(origin, part))
		return p;
	if (part == ORIGIN_VPID)
		return emit_int(p, origin->vpid);
	name = part == ORIGIN_HOSTNAME ? origin->hostname : origin->procname;
	return csv->escape(p, name, strlen(name));
}

static char *write_common(char *p, const struct csv *csv, const struct event *event, int common)
{
	const struct task_name *name;

	switch (common) {
	case COMMON_TIME:
		return emit_int(p, event->time_ns);
	case COMMON_CPU:
		return event->cpu >= 0 ? emit_uint(p, (uint32_t)event->cpu) : p;
	case COMMON_TID:
		return event->tid >= 0 ? emit_uint(p, (uint32_t)event->tid) : p;
	case COMMON_COMM:
		name = task_names_get(csv->view->analysis.names, event->class, event->tid);
		return event->tid >= 0 ? csv->escape(p, name->text, TASK_NAME_LEN(name)) : p;
	case COMMON_HOSTNAME:
	case COMMON_PROCNAME:
	case COMMON_VPID:
		return write_origin(p, csv, event->class->origin, common);
	default: /* COMMON_EVENT */
		return emit_short(p, csv->classes[event->class->index].name,
				  csv->classes[event->class->index].name_len);
	}
}

/* RFC 4180 ends lines with CR LF; the readers of tab-separated values expect LF alone. */
static char *write_end(char *p, const struct csv *csv)
{
	if (csv->separator == ',')
		p = emit_char(p, '\r');
	return emit_char(p, '\n');
}

static char *write_gap(char *p, const struct csv *csv, size_t gap)
{
	if (__builtin_expect(gap > SEPARATORS, 0))
		memset(p, csv->separator, gap);
	else
		memcpy(p, csv->separators, SEPARATORS);
	return p + gap;
}

static char *write_derived(char *p, const struct csv *csv, const struct event_facts *facts,
			   enum derived what)
{
	if (derived_is_text(what))
		return csv->escape(p, facts->files[0].name, facts->files[0].len);
	return emit_uint(p, facts->derived[what]);
}

static char *write_event(char *p, const struct csv *csv, const struct event *event)
{
	const struct csv_class *class = &csv->classes[event->class->index];
	const struct event_facts *facts = analysis_facts(&csv->view->analysis);

	for (size_t i = 0; i < class->count; i++) {
		const struct csv_cell *cell = &class->cells[i];

		p = write_gap(p, csv, cell->gap);
		if (!cell->field)
			p = write_common(p, csv, event, cell->common);
		else if (!plan_has(cell->field, event, facts))
			continue;
		else if (cell->field->form == PLAN_DERIVED)
			p = write_derived(p, csv, facts, (enum derived)cell->field->index);
		else
			p = write_value(p, csv, event, cell->field);
	}
	p = write_gap(p, csv, class->tail);
	return write_end(p, csv);
}

/* A field called like one of the common columns is distinguished by its head: "fields.tid". */
static int write_header(struct csv *csv)
{
	struct buffer *buf = &csv->view->out->buf;
	size_t i;

	for (i = 0; i < csv->columns->count; i++) {
		const struct column *column = &csv->columns->list[i];
		size_t len = strlen(column->name);
		char *p;

		if (i)
			buffer_char(buf, csv->separator);
		if (column->common < 0 &&
		    field_choice_find_common(csv->view->analysis.info, column->name) >= 0)
			buffer_string(buf, FIELD_CHOICE_PREFIX);
		p = buffer_reserve(buf, len * ESCAPE_FACTOR + 3);
		if (!p)
			return -ENOMEM;
		buffer_advance(buf, (size_t)(csv->escape(p, column->name, len) - p));
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

		if ((pf->form == PLAN_LIST || pf->form == PLAN_TEXTS) &&
		    event_has(event, pf->index))
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

		if (!analysis_takes(&csv->view->analysis, event))
			continue;
		room = HEAD_BYTES + EMIT_SLACK_BYTES + csv->columns->count +
		       csv->classes[event->class->index].name_len +
		       csv->classes[event->class->index].origin_room +
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
	columns_fini(&csv->own);
	for (size_t i = 0; csv->classes && i < csv->class_count; i++) {
		free(csv->classes[i].cells);
		free(csv->classes[i].name);
	}
	free(csv->classes);
	free(csv);
}

static const struct sink_ops csv_ops = {
	.batch = csv_batch,
	.finish = csv_finish,
	.free = csv_free,
};

static int compare_cells(const void *left, const void *right)
{
	const struct csv_cell *a = left, *b = right;

	return (a->gap > b->gap) - (a->gap < b->gap);
}

/* All cells, each with its column for a gap. */
static void add_cells(const struct csv *csv, struct csv_class *class, const struct plan *plan)
{
	for (int common = 0; common < COMMON_COUNT; common++) {
		int at = columns_find(csv->columns, field_choice_common[common], common);

		if (at >= 0)
			class->cells[class->count++] =
				(struct csv_cell){(uint32_t)at, common, NULL};
	}
	for (size_t i = 0; i < plan->count; i++) {
		int at = columns_find(csv->columns, plan->fields[i].field->name, -1);

		if (at >= 0)
			class->cells[class->count++] =
				(struct csv_cell){(uint32_t)at, -1, &plan->fields[i]};
	}
	qsort(class->cells, class->count, sizeof(*class->cells), compare_cells);
}

static int make_class(struct csv *csv, struct csv_class *class, const struct plan *plan)
{
	size_t len = strlen(plan->class->name);
	uint32_t last = 0;

	class->origin_room = origin_label_room(plan->class->origin);
	class->cells = calloc(plan->count + COMMON_COUNT, sizeof(*class->cells));
	class->name = calloc(1, len * ESCAPE_FACTOR + 3 + EMIT_PADDING);
	if (!class->cells || !class->name)
		return -ENOMEM;
	class->name_len = (size_t)(csv->escape(class->name, plan->class->name, len) - class->name);
	add_cells(csv, class, plan);
	for (size_t i = 0; i < class->count; i++) {
		uint32_t at = class->cells[i].gap;

		class->cells[i].gap = at - last;
		last = at;
	}
	class->tail = csv->columns->count ? csv->columns->count - 1 - last : 0;
	return 0;
}

static int make_classes(struct csv *csv)
{
	csv->classes = calloc(csv->class_count ?: 1, sizeof(*csv->classes));
	if (!csv->classes)
		return -ENOMEM;
	for (size_t i = 0; i < csv->class_count; i++)
		if (make_class(csv, &csv->classes[i], &csv->plans[i]))
			return -ENOMEM;
	return 0;
}

/* Those that a reader has seen already stay. */
static int make_columns(struct csv *csv)
{
	struct columns *columns = csv->view->columns ?: &csv->own;
	int err = 0;

	csv->columns = columns;
	csv->header_done = csv->view->continued || columns->list;
	if (!columns->list)
		err = columns_make(columns, csv->view);
	return err ?: make_classes(csv);
}

struct event_sink *csv_new(const struct view *view, enum csv_form form, bool safe)
{
	static const struct plan_style style = {"", "", escape_tsv, &json_field_style};
	struct csv *csv = calloc(1, sizeof(*csv));

	if (!csv)
		return NULL;
	csv->sink.ops = &csv_ops;
	csv->view = view;
	csv->class_count = view->analysis.info->class_count;
	csv->escape = form == CSV_COMMAS ? safe ? escape_csv_safe : escape_csv :
		      safe		 ? escape_tsv_safe :
					   escape_tsv;
	csv->separator = form == CSV_COMMAS ? ',' : '\t';
	memset(csv->separators, csv->separator, SEPARATORS);
	csv->plans = plans_new(view->analysis.info->classes, csv->class_count,
			       &(struct plan_choice){&view->fields, view->analysis.derived},
			       &style);
	if (!csv->plans || make_columns(csv)) {
		csv_free(&csv->sink);
		return NULL;
	}
	return &csv->sink;
}
