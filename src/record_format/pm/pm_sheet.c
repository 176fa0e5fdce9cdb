// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "record_format/pm/pm_columns.h"
#include "record_format/pm/pm_head.h"
#include "record_format/pm/pm_layout.h"
#include "record_format/pm/pm_reader.h"
#include "schema/event.h"
#include "schema/trace_info.h"

#define OWN_MODS (PM_MODS_SACK | PM_MODS_FACK | PM_MODS_AUTO) /* what every Linux has */

/* What an entry of one class has in a column; of the sequence number and time RECORD_RULE_NONE. */
struct class_cells {
	struct record_source
		*cells; /* of each column; NULL = events of the class are not snapshots */
};

struct pm_sheet {
	const struct trace_info *info;
	struct pm_sheet_config config;
	uint32_t mods;
	struct pm_column *columns;
	size_t column_count;
	size_t column_room;
	uint32_t entry_bytes;
	struct class_cells *classes; /* by event_class.index */
	bool any; /* an entry was made */
	uint64_t seq_no; /* of the next entry */
};

static bool has_number(const struct trace_info *info, const char *name, uint32_t *ret)
{
	const struct trace_env *env = trace_info_env(info, name);

	if (!env || env->text || env->number <= 0 || env->number > UINT32_MAX)
		return false;
	*ret = (uint32_t)env->number;
	return true;
}

/* Entries and their columns lie as a C compiler would have them. */
static int place(struct pm_sheet *sheet, struct pm_column *column)
{
	uint32_t align = pm_is_integer(column->length) ? column->length : 8;
	uint32_t offset = (sheet->entry_bytes + align - 1) / align * align;

	if (offset + column->length > PM_ENTRY_MAX_BYTES - 8)
		return -E2BIG;
	column->offset = (uint16_t)(column->length ? offset : 0);
	if (column->length)
		sheet->entry_bytes = offset + column->length;
	return 0;
}

static int add_column(struct pm_sheet *sheet, const struct pm_column *column)
{
	struct pm_column *columns = sheet->columns;

	if (sheet->column_count == sheet->column_room) {
		sheet->column_room = sheet->column_room ? 2 * sheet->column_room : 64;
		columns = realloc(columns, sheet->column_room * sizeof(*columns));
		if (!columns)
			return -ENOMEM;
		sheet->columns = columns;
	}
	columns[sheet->column_count] = *column;
	return place(sheet, &columns[sheet->column_count++]);
}

/* Whether any class of snapshots has the column. */
static bool is_used(const struct pm_sheet *sheet, const struct record_field *known)
{
	struct record_source cell;

	for (size_t i = 0; i < sheet->info->class_count; i++) {
		const struct event_class *class = sheet->info->classes[i];

		if (pm_class_is_snapshot(class) && pm_column_find(&cell, known, class))
			return true;
	}
	return false;
}

/* Those of PSC are there in any case, with length 0 if no class has them. */
static int add_known(struct pm_sheet *sheet, size_t i)
{
	const struct record_field *known = pm_known_get(i);
	bool used = i == PM_SEQ_NO || i == PM_TIME || is_used(sheet, known);
	struct pm_column column = {
		.length = used ? (uint8_t)(known->place[0].bytes ?: sizeof(uint64_t)) : 0,
		.scope = (uint8_t)known->scope,
		/* What is there must not be hidden by a kernel that should not have it. */
		.mask = used && !(pm_known_mask(i) & sheet->mods) ? 0 : pm_known_mask(i),
		.flags = pm_known_flags(known),
	};

	if (!used && i >= PM_CLASSIC_COUNT)
		return 0;
	memcpy(column.name, known->name, strlen(known->name) + 1);
	return add_column(sheet, &column);
}

static bool has_column(const struct pm_sheet *sheet, const char *name)
{
	for (size_t i = 0; i < sheet->column_count; i++) {
		if (!strcmp(sheet->columns[i].name, name))
			return true;
	}
	return false;
}

/* The bytes that a field takes, where a column can have it: 0 = it cannot. */
static uint8_t field_bytes(const struct field *field)
{
	bool number = field->kind == FIELD_INT && !field_is_many(field);
	uint64_t bytes = (uint64_t)field->bits / 8 * field->count;

	if (field_varies(field) || field->optional || field->bits % 8 ||
	    strlen(field->name) > PM_COLUMN_NAME_BYTES)
		return 0;
	if (number)
		return pm_is_integer(field->bits / 8) ? (uint8_t)bytes : 0;
	if (field->kind == FIELD_TEXT)
		bytes = field->count;
	else if (field->kind != FIELD_INT || field->bits != 8)
		return 0;
	return bytes <= UINT8_MAX ? (uint8_t)bytes : 0;
}

/* Unknown columns, of snapshots that came through another format. */
static int add_unknown(struct pm_sheet *sheet, const struct event_class *class)
{
	int err = 0;

	for (size_t i = class->context_count; !err && i < class->field_count; i++) {
		const struct field *field = &class->fields[i];
		struct pm_column column = {
			.length = field_bytes(field),
			.scope = (uint8_t)field->scope,
			.flags = field->kind == FIELD_INT && !field_is_many(field) ? PM_FLAGS_HOST :
										     PM_FLAGS_BITS,
		};

		if (!column.length || has_column(sheet, field->name))
			continue;
		memcpy(column.name, field->name, strlen(field->name));
		err = add_column(sheet, &column);
	}
	return err;
}

static int add_columns(struct pm_sheet *sheet)
{
	int err = 0;

	for (size_t i = 0; !err && pm_known_get(i); i++)
		err = add_known(sheet, i);
	for (size_t i = 0; !err && i < sheet->info->class_count; i++) {
		const struct event_class *class = sheet->info->classes[i];

		if (!strcmp(class->name, PM_CLASS_NAME))
			err = add_unknown(sheet, class);
	}
	sheet->entry_bytes = (sheet->entry_bytes + 7) / 8 * 8;
	return err;
}

/* An unknown column is the field of its name, where that is as long. */
static void find_unknown(struct record_source *cell, const struct event_class *class,
			 const struct pm_column *column)
{
	int i = event_class_find(class, column->name);

	*cell = (struct record_source){.rule = RECORD_RULE_NONE};
	if (i >= 0 && field_bytes(&class->fields[i]) == column->length)
		*cell = (struct record_source){.rule = RECORD_RULE_COPY, .a = (uint32_t)i};
}

/* Bytes are copied as they are: of another length they would be something else. */
static void find_cell(struct record_source *cell, const struct event_class *class,
		      const struct pm_column *column)
{
	const struct record_field *known = pm_known_find(column->name);

	*cell = (struct record_source){.rule = RECORD_RULE_NONE};
	if (known == pm_known_get(PM_SEQ_NO) || known == pm_known_get(PM_TIME))
		return; /* they come from no field */
	if (!known) {
		find_unknown(cell, class, column);
		return;
	}
	if (pm_column_find(cell, known, class) && column->flags == PM_FLAGS_BITS &&
	    field_bytes(&class->fields[cell->a]) != column->length)
		cell->rule = RECORD_RULE_NONE;
}

static int find_cells(struct pm_sheet *sheet)
{
	bool any = false;

	sheet->classes = calloc(sheet->info->class_count, sizeof(*sheet->classes));
	if (!sheet->classes)
		return -ENOMEM;
	for (size_t i = 0; i < sheet->info->class_count; i++) {
		const struct event_class *class = sheet->info->classes[i];
		struct record_source *cells;

		if (!pm_class_is_snapshot(class))
			continue;
		cells = calloc(sheet->column_count, sizeof(*cells));
		if (!cells)
			return -ENOMEM;
		sheet->classes[i].cells = cells;
		any = true;
		for (size_t j = 0; j < sheet->column_count; j++)
			find_cell(&cells[j], class, &sheet->columns[j]);
	}
	return any ? 0 : -ENOTSUP;
}

int pm_sheet_new(const struct trace_info *info, const struct pm_sheet_config *config,
		 struct pm_sheet **ret)
{
	struct pm_sheet *sheet = calloc(1, sizeof(*sheet));
	int err;

	if (!sheet)
		return -ENOMEM;
	sheet->info = info;
	sheet->config = *config;
	if (!has_number(info, "psc_mods", &sheet->mods))
		sheet->mods = OWN_MODS;
	err = add_columns(sheet);
	err = err ? err : find_cells(sheet);
	if (err)
		pm_sheet_free(sheet);
	else
		*ret = sheet;
	return err;
}

void pm_sheet_free(struct pm_sheet *sheet)
{
	if (!sheet)
		return;
	for (size_t i = 0; sheet->classes && i < sheet->info->class_count; i++)
		free(sheet->classes[i].cells);
	free(sheet->classes);
	free(sheet->columns);
	free(sheet);
}

bool pm_sheet_takes(const struct pm_sheet *sheet, const struct event_class *class)
{
	return class->index < sheet->info->class_count && sheet->classes[class->index].cells;
}

static void put_number(struct buffer *out, uint64_t value, unsigned int bytes)
{
	uint8_t data[sizeof(value)];

	byte_order_store(data, bytes, BYTE_ORDER_BIG, value);
	buffer_append(out, data, bytes);
}

static void put_record(struct buffer *out, enum pm_kind kind, unsigned int data_bytes)
{
	put_number(out, kind, 2);
	put_number(out, PM_RECORD_HEAD_BYTES + data_bytes, 2);
}

static void put_version(const struct pm_sheet *sheet, struct buffer *out)
{
	const struct trace_env *env = trace_info_env(sheet->info, "psc_version");
	const char *version = env && env->text ? env->text : sheet->config.version;
	size_t len = strnlen(version, PM_VERSION_BYTES);

	put_record(out, PM_KIND_VERSION, PM_VERSION_BYTES);
	buffer_append(out, version, len);
	buffer_pad(out, '\0', PM_VERSION_BYTES - len);
}

static void put_column(struct buffer *out, const struct pm_column *column)
{
	put_record(out, PM_KIND_COLUMN, PM_COLUMN_BYTES);
	buffer_append(out, column->name, PM_COLUMN_NAME_BYTES);
	put_number(out, column->offset, 2);
	put_number(out, column->length, 1);
	put_number(out, column->scope, 1);
	put_number(out, column->mask, 2);
	put_number(out, column->flags, 2);
}

void pm_sheet_head(const struct pm_sheet *sheet, struct buffer *out)
{
	uint32_t cluster_bytes = sheet->config.cluster_bytes;

	(void)has_number(sheet->info, "mclsize", &cluster_bytes);
	put_record(out, PM_KIND_MODS, PM_NUMBER_BYTES);
	put_number(out, sheet->mods, 2);
	put_number(out, 0, 2);
	put_version(sheet, out);
	put_record(out, PM_KIND_ORDER, PM_NUMBER_BYTES);
	put_number(out, BYTE_ORDER_HOST, 4);
	put_record(out, PM_KIND_CLUSTER, PM_NUMBER_BYTES);
	put_number(out, cluster_bytes, 4);
	put_record(out, PM_KIND_ENTRY_SIZE, PM_NUMBER_BYTES);
	put_number(out, sheet->entry_bytes, 2);
	put_number(out, 0, 2);
	for (size_t i = 0; i < sheet->column_count; i++)
		put_column(out, &sheet->columns[i]);
	put_record(out, PM_KIND_END, 0);
}

void pm_sheet_lost(struct pm_sheet *sheet, uint64_t count)
{
	sheet->seq_no += count;
}

/* Numbering begins as it did in the file that the events once came from, else with 0. */
static uint64_t take_seq_no(struct pm_sheet *sheet, const struct event *event)
{
	int i = sheet->any ? -1 : event_class_find_number(event->class, "seq_no");

	if (i >= 0 && !strcmp(event->class->name, PM_CLASS_NAME))
		sheet->seq_no = event_uint(event, (size_t)i);
	sheet->any = true;
	return sheet->seq_no++;
}

static void put_cell(uint8_t *p, const struct pm_column *column, const struct record_source *cell,
		     const struct event *event)
{
	if (column->flags == PM_FLAGS_BITS)
		memcpy(p, event_bytes(event, cell->a), column->length);
	else
		byte_order_store(p, column->length,
				 column->flags == PM_FLAGS_NETWORK ? BYTE_ORDER_BIG :
								     BYTE_ORDER_HOST,
				 record_value(cell, event));
}

void pm_sheet_entry(struct pm_sheet *sheet, const struct event *event, struct buffer *out)
{
	const struct record_source *cells = sheet->classes[event->class->index].cells;
	const struct pm_place time = {sheet->columns[PM_TIME].offset,
				      sheet->columns[PM_TIME].length, BYTE_ORDER_HOST};
	uint8_t *entry = (uint8_t *)buffer_reserve(out, sheet->entry_bytes);

	if (!entry)
		return;
	memset(entry, 0, sheet->entry_bytes);
	for (size_t i = 0; i < sheet->column_count; i++) {
		const struct pm_column *column = &sheet->columns[i];

		if (cells[i].rule != RECORD_RULE_NONE)
			put_cell(entry + column->offset, column, &cells[i], event);
	}
	byte_order_store(entry + sheet->columns[PM_SEQ_NO].offset, sheet->columns[PM_SEQ_NO].length,
			 BYTE_ORDER_HOST, take_seq_no(sheet, event));
	pm_layout_put_time(&time, event->time_ns, entry);
	buffer_advance(out, sheet->entry_bytes);
}
