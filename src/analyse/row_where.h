/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * row_where: an expression over the rows that a report makes of several events, such as waits: the same language as over
 * events (schema/expr_parse), whose names are the columns of the rows.
 */
#ifndef SONDE_ANALYSE_ROW_WHERE_H
#define SONDE_ANALYSE_ROW_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/event_values.h"

struct diag;
struct row_where;
struct syscalls;

struct row_column {
	const char *name;
	enum event_value_kind kind; /* SIGNED, UNSIGNED, CALL or TEXT */
	const char *unit; /* as of a field; NULL: none */
};

#define ROW_COLUMNS_MAX 32u
#define ROW_TEXT_MAX 4096u /* longer texts are compared by their beginning */

/*
 * @columns are copied, but their names and units borrowed, as is @calls (NULL: system calls have no names). Errors as
 * expr_parse and expr_bind, with the offset in @text; -E2BIG: too many columns.
 */
int row_where_new(const char *text, const struct row_column *columns, size_t count,
		  const struct syscalls *calls, struct row_where **ret, struct diag *diag);
/* NULL is fine. */
void row_where_free(struct row_where *where);
/* Whether it asks for column @i: the value of any other needs not be found out. */
bool row_where_asks(const struct row_where *where, size_t i);
/* Whether the row holds it: a value for each column, EVENT_VALUE_NONE where it is not known, which no comparison is true of. */
bool row_where_holds(struct row_where *where, const struct event_value *values);

#endif /* SONDE_ANALYSE_ROW_WHERE_H */
