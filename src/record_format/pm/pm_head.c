// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_head.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/diag.h"
#include "schema/trace_info.h"

/* Bytes of data that each kind has. */
static const uint8_t data_bytes[PM_KIND_COUNT] = {
	[PM_KIND_END] = 0,
	[PM_KIND_MODS] = PM_NUMBER_BYTES,
	[PM_KIND_VERSION] = PM_VERSION_BYTES,
	[PM_KIND_ENTRY_SIZE] = PM_NUMBER_BYTES,
	[PM_KIND_COLUMN] = PM_COLUMN_BYTES,
	[PM_KIND_ORDER] = PM_NUMBER_BYTES,
	[PM_KIND_CLUSTER] = PM_NUMBER_BYTES,
};

/* What the head is read into. */
struct parse {
	struct pm_head *head;
	size_t column_room;
	bool has_entry_size;
	struct problem_list *problems;
	struct diag *diag;
};

int pm_head_record(const uint8_t *bytes, size_t len, unsigned int *kind)
{
	struct cursor cur;
	uint16_t record;

	cursor_init(&cur, bytes, len);
	*kind = cursor_be16(&cur);
	record = cursor_be16(&cur);
	if (cur.short_read)
		return 0;
	return record < PM_RECORD_HEAD_BYTES ? -EBADMSG : record;
}

bool pm_head_is(const uint8_t *bytes, size_t len)
{
	unsigned int kind;
	int record;

	for (size_t at = 0; at < len; at += (size_t)record) {
		record = pm_head_record(bytes + at, len - at, &kind);
		if (record <= 0 || kind == PM_KIND_END)
			return false;
		if (kind < PM_KIND_COUNT)
			return (unsigned int)record == PM_RECORD_HEAD_BYTES + data_bytes[kind];
	}
	return false;
}

/* The report has two shapes of numbers: u32, and u16 with two bytes behind it that fill the word. */
static uint32_t read_short(const uint8_t *data)
{
	uint32_t first = (uint32_t)(data[0] << 8 | data[1]);

	return first ? first : (uint32_t)(data[2] << 8 | data[3]);
}

/* As u32; but a number that only fits the other shape (its low half is empty, and it is above
 * @most) is of that. */
static uint32_t read_long(const uint8_t *data, uint32_t most)
{
	struct cursor cur;
	uint32_t value;

	cursor_init(&cur, data, PM_NUMBER_BYTES);
	value = cursor_be32(&cur);
	return value > most && !(value & 0xffff) ? value >> 16 : value;
}

static int add_column(struct parse *parse, const uint8_t *data)
{
	struct pm_head *head = parse->head;
	struct pm_column *column, *columns = head->columns;
	struct cursor cur;

	if (!*data)
		return 0;
	if (head->column_count == parse->column_room) {
		size_t room = parse->column_room ? 2 * parse->column_room : 32;

		columns = realloc(columns, room * sizeof(*columns));
		if (!columns)
			return -ENOMEM;
		head->columns = columns;
		parse->column_room = room;
	}
	column = &columns[head->column_count++];
	*column = (struct pm_column){.name = ""};
	cursor_init(&cur, data, PM_COLUMN_BYTES);
	memcpy(column->name, cursor_bytes(&cur, PM_COLUMN_NAME_BYTES), PM_COLUMN_NAME_BYTES);
	column->offset = cursor_be16(&cur);
	column->length = cursor_u8(&cur);
	column->scope = cursor_u8(&cur);
	column->mask = cursor_be16(&cur);
	column->flags = cursor_be16(&cur);
	return 0;
}

static int take_record(struct parse *parse, unsigned int kind, const uint8_t *data)
{
	struct pm_head *head = parse->head;

	switch (kind) {
	case PM_KIND_MODS:
		head->mods = read_short(data);
		break;
	case PM_KIND_VERSION:
		memcpy(head->version, data, PM_VERSION_BYTES);
		break;
	case PM_KIND_ENTRY_SIZE:
		head->entry_bytes = read_short(data);
		parse->has_entry_size = true;
		break;
	case PM_KIND_COLUMN:
		return add_column(parse, data);
	case PM_KIND_ORDER:
		head->order = read_long(data, PM_ORDER_COUNT);
		break;
	case PM_KIND_CLUSTER:
		head->cluster_bytes = read_long(data, 1u << 20);
		break;
	}
	return 0;
}

/* One record at @bytes, whose length is @record. */
static int parse_record(struct parse *parse, const uint8_t *bytes, size_t record, unsigned int kind)
{
	if (kind >= PM_KIND_COUNT)
		return 0;
	if (record != PM_RECORD_HEAD_BYTES + data_bytes[kind]) {
		problem_list_add(
			parse->problems,
			"header record at offset %zu: one of kind %u has %u bytes, not %zu%s",
			parse->head->bytes, kind, PM_RECORD_HEAD_BYTES + data_bytes[kind], record,
			kind == PM_KIND_END ? "" : ": it is left out");
		return 0;
	}
	return take_record(parse, kind, bytes + PM_RECORD_HEAD_BYTES);
}

static int parse_records(struct parse *parse, const uint8_t *bytes, size_t len)
{
	struct pm_head *head = parse->head;
	unsigned int kind = PM_KIND_COUNT;
	int err = 0;

	while (!err && kind != PM_KIND_END) {
		size_t left = len - head->bytes;
		int record = pm_head_record(bytes + head->bytes, left, &kind);

		if (record < 0)
			return diag_set(parse->diag, record,
					"header record at offset %zu: its length is below 4, "
					"which its own head takes",
					head->bytes);
		if (!record || (size_t)record > left)
			return diag_set(parse->diag, -EBADMSG,
					"the header breaks off at offset %zu: no record ends it",
					len);
		err = parse_record(parse, bytes + head->bytes, (size_t)record, kind);
		head->bytes += (size_t)record;
	}
	return err ? diag_set(parse->diag, err, "no memory") : 0;
}

static int check(struct parse *parse)
{
	struct pm_head *head = parse->head;

	if (!parse->has_entry_size)
		return diag_set(parse->diag, -EBADMSG,
				"the header does not tell how many bytes an entry has");
	if (!head->entry_bytes)
		return diag_set(parse->diag, -EBADMSG, "the header says that entries have 0 bytes");
	if (head->order >= PM_ORDER_COUNT) {
		problem_list_add(parse->problems,
				 "byte order %u is not one of 0 (little), 1 (big) and 2 (PDP): its "
				 "integers and times cannot be read",
				 head->order);
		head->order = PM_ORDER_COUNT;
	}
	return 0;
}

int pm_head_parse(const uint8_t *bytes, size_t len, struct pm_head *ret,
		  struct problem_list *problems, struct diag *diag)
{
	struct pm_head head = {.mods = PM_MODS_RENO, .order = PM_ORDER_LITTLE};
	struct parse parse = {.head = &head, .problems = problems, .diag = diag};
	int err = parse_records(&parse, bytes, len);

	err = err ? err : check(&parse);
	if (err)
		pm_head_fini(&head);
	else
		*ret = head;
	return err;
}

void pm_head_fini(struct pm_head *head)
{
	free(head->columns);
	*head = (struct pm_head){.columns = NULL};
}
