// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/row_where.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "schema/event.h"
#include "schema/expr_bind.h"
#include "schema/expr_code.h"
#include "schema/expr_parse.h"
#include "schema/expr_side.h"
#include "schema/field.h"

#define NUMBER_BYTES 8u

/* A row is made an event of a class of its own: the numbers, a place for each column, and then the texts. */
struct row_where {
	struct expr *expr;
	struct expr_code *code;
	bool asks[ROW_COLUMNS_MAX];
	size_t count;
	struct field fields[ROW_COLUMNS_MAX];
	uint32_t at[ROW_COLUMNS_MAX];
	struct event_class class;
	uint8_t payload[ROW_COLUMNS_MAX * (NUMBER_BYTES + ROW_TEXT_MAX + 1)];
};

static void make_field(struct field *field, const struct row_column *column, size_t i)
{
	*field = (struct field){
		.name = column->name,
		.unit = column->unit,
		.kind = column->kind == EVENT_VALUE_TEXT ? FIELD_STRING : FIELD_INT,
		.show = column->kind == EVENT_VALUE_CALL ? FIELD_SHOW_SYSCALL : FIELD_SHOW_DECIMAL,
		.is_signed = column->kind == EVENT_VALUE_SIGNED,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.optional = true,
		.bits = column->kind == EVENT_VALUE_TEXT ? 8 : 8 * NUMBER_BYTES,
		.align_bits = 8,
		.count = 1,
		.offset_bits = (uint32_t)(8 * NUMBER_BYTES * i),
	};
}

/* What any event has a row has not, unless it is a column. */
static bool is_of_events(const char *name)
{
	const char *builtin;

	for (size_t i = 0; (builtin = expr_side_builtin(i, true)); i++) {
		if (!strcmp(builtin, name))
			return true;
	}
	return false;
}

static int find_asked(struct row_where *where, struct diag *diag)
{
	const char *name;

	for (size_t i = 0; (name = expr_name(where->expr, i)); i++) {
		const int column = event_class_find_any(&where->class, name);

		if (column >= 0)
			where->asks[column] = true;
		else if (is_of_events(name))
			return diag_set(diag, -ENOENT, "a row has no '%s'", name);
	}
	return 0;
}

/* Behind the sentence: what a row has instead. */
static void tell_columns(const struct row_where *where, struct diag *diag)
{
	size_t len = diag ? strlen(diag->text) : 0;

	for (size_t i = 0; diag && i < where->count && len < sizeof(diag->text); i++)
		len += (size_t)snprintf(diag->text + len, sizeof(diag->text) - len, "%s%s",
					i ? ", " : "; there are ", where->fields[i].name);
}

int row_where_new(const char *text, const struct row_column *columns, size_t count,
		  const struct syscalls *calls, struct row_where **ret, struct diag *diag)
{
	struct row_where *where;
	const struct event_class *class;
	struct expr_scope scope = {.classes = &class, .class_count = 1, .calls = calls};
	int err;

	if (count > ROW_COLUMNS_MAX)
		return diag_set(diag, -E2BIG, "more than %u columns", ROW_COLUMNS_MAX);
	where = calloc(1, sizeof(*where));
	if (!where)
		return diag_set(diag, -ENOMEM, "no memory");
	for (size_t i = 0; i < count; i++)
		make_field(&where->fields[i], &columns[i], i);
	where->count = count;
	where->class = (struct event_class){
		.name = "row",
		.optional = true,
		.field_count = count,
		.fields = where->fields,
		.offsets = where->at,
		.offset_count = count,
	};
	class = &where->class;
	err = expr_parse(text, &where->expr, diag);
	err = err ?: find_asked(where, diag);
	err = err ?: expr_bind(where->expr, &scope, &where->code, diag);
	if (err == -ENOENT)
		tell_columns(where, diag);
	if (err) {
		row_where_free(where);
		return err;
	}
	*ret = where;
	return 0;
}

void row_where_free(struct row_where *where)
{
	if (!where)
		return;
	expr_code_free(where->code);
	expr_free(where->expr);
	free(where);
}

bool row_where_asks(const struct row_where *where, size_t i)
{
	return where->asks[i];
}

bool row_where_holds(struct row_where *where, const struct event_value *values)
{
	const struct event row = {.class = &where->class,
				  .payload = where->payload,
				  .offsets = where->at,
				  .cpu = -1,
				  .tid = -1};
	const struct event_facts facts = {0};
	size_t end = NUMBER_BYTES * where->count, len;

	for (size_t i = 0; i < where->count; i++) {
		const struct event_value *value = &values[i];

		where->at[i] = EVENT_ABSENT;
		if (!where->asks[i] || value->kind == EVENT_VALUE_NONE)
			continue;
		if (value->kind != EVENT_VALUE_TEXT) {
			where->at[i] = where->fields[i].offset_bits;
			memcpy(where->payload + NUMBER_BYTES * i, &value->number, NUMBER_BYTES);
			continue;
		}
		where->at[i] = (uint32_t)(8 * end);
		len = value->len < ROW_TEXT_MAX ? value->len : ROW_TEXT_MAX;
		memcpy(where->payload + end, value->text, len);
		where->payload[end + len] = 0;
		end += len + 1;
	}
	return expr_matches(where->code, &row, &facts);
}
