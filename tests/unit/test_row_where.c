// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/row_where.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "schema/syscalls.h"

enum { COMM, TID, CALL, WAIT, COLUMNS };

static const struct row_column columns[COLUMNS] = {
	[COMM] = {"comm", EVENT_VALUE_TEXT, NULL},
	[TID] = {"tid", EVENT_VALUE_SIGNED, NULL},
	[CALL] = {"call", EVENT_VALUE_CALL, NULL},
	[WAIT] = {"wait", EVENT_VALUE_UNSIGNED, "ns"},
};

static struct event_value text_of(const char *text)
{
	return (struct event_value){EVENT_VALUE_TEXT, 0, 0, text, strlen(text)};
}

static const struct event_value *row(const char *comm, int64_t tid, uint64_t wait)
{
	static struct event_value values[COLUMNS];

	values[COMM] = text_of(comm);
	values[TID] = (struct event_value){.kind = EVENT_VALUE_SIGNED, .number = (uint64_t)tid};
	values[CALL] = (struct event_value){.kind = EVENT_VALUE_CALL, .number = 1};
	values[WAIT] = (struct event_value){.kind = EVENT_VALUE_UNSIGNED, .number = wait};
	return values;
}

static struct row_where *made(const char *text, const struct syscalls *calls)
{
	struct row_where *where = NULL;

	assert_int_equal(row_where_new(text, columns, COLUMNS, calls, &where, NULL), 0);
	return where;
}

static bool holds(const char *text, const struct event_value *values)
{
	struct row_where *where = made(text, NULL);
	const bool ret = row_where_holds(where, values);

	row_where_free(where);
	return ret;
}

static void columns_are_compared(void **state)
{
	(void)state;
	assert_true(holds("comm == nginx", row("nginx", 7, 5)));
	assert_false(holds("comm == nginx", row("nginx2", 7, 5)));
	assert_true(holds("comm ~ 'ng*' && tid == -3", row("nginx", -3, 5)));
	assert_true(holds("wait > 1ms", row("nginx", 7, 1000001)));
	assert_false(holds("wait > 1ms", row("nginx", 7, 1000000)));
	assert_true(holds("wait >= 18446744073709551615", row("nginx", 7, UINT64_MAX)));
	assert_true(holds("comm == '' && tid == 7", row("", 7, 1)));
}

/* One after the other: nothing of a row is left for the next. */
static void rows_follow_each_other(void **state)
{
	struct row_where *where = made("comm == a || tid == 2", NULL);

	(void)state;
	assert_true(row_where_holds(where, row("a", 1, 0)));
	assert_false(row_where_holds(where, row("b", 1, 0)));
	assert_true(row_where_holds(where, row("ab", 2, 0)));
	assert_true(row_where_asks(where, COMM));
	assert_true(row_where_asks(where, TID));
	assert_false(row_where_asks(where, WAIT));
	row_where_free(where);
}

/* True of nothing, and of its opposite neither. */
static void what_is_not_known_is_not_compared(void **state)
{
	struct event_value values[COLUMNS] = {{0}};

	(void)state;
	values[TID] = (struct event_value){.kind = EVENT_VALUE_SIGNED, .number = 4};
	assert_false(holds("comm == a", values));
	assert_false(holds("comm != a", values));
	assert_false(holds("wait < 1s", values));
	assert_true(holds("tid == 4 || wait < 1s", values));
}

static void calls_have_names(void **state)
{
	struct syscalls *calls = syscalls_new("0 read,1 write", NULL);
	struct row_where *where;

	(void)state;
	assert_non_null(calls);
	where = made("call == write", calls);
	assert_true(row_where_holds(where, row("a", 1, 0)));
	row_where_free(where);
	where = made("call == read", calls);
	assert_false(row_where_holds(where, row("a", 1, 0)));
	row_where_free(where);
	syscalls_free(calls);
}

/* A long text is compared by its beginning, and many of them have room. */
static void long_texts_are_cut(void **state)
{
	static char text[ROW_TEXT_MAX + 100];
	struct row_column many[ROW_COLUMNS_MAX];
	struct event_value values[ROW_COLUMNS_MAX];
	struct row_where *where = NULL;
	char names[ROW_COLUMNS_MAX][8], all[ROW_COLUMNS_MAX * 24] = "";

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < ROW_COLUMNS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "c%zu", i);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%sc%zu ~ 'x*'",
			 i ? " && " : "", i);
		many[i] = (struct row_column){names[i], EVENT_VALUE_TEXT, NULL};
		values[i] = (struct event_value){EVENT_VALUE_TEXT, 0, 0, text, sizeof(text)};
	}
	assert_int_equal(row_where_new(all, many, ROW_COLUMNS_MAX, NULL, &where, NULL), 0);
	assert_true(row_where_holds(where, values));
	row_where_free(where);
	assert_int_equal(row_where_new(all, many, ROW_COLUMNS_MAX + 1, NULL, &where, NULL), -E2BIG);
}

static void other_names_are_refused(void **state)
{
	struct row_where *where = NULL;
	struct diag diag = {0};

	(void)state;
	assert_int_equal(row_where_new("prev_comm == a", columns, COLUMNS, NULL, &where, &diag),
			 -ENOENT);
	assert_non_null(strstr(diag.text, "prev_comm"));
	assert_int_equal(row_where_new("time > 5", columns, COLUMNS, NULL, &where, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "time"));
	assert_int_equal(row_where_new("wait >", columns, COLUMNS, NULL, &where, &diag), -EINVAL);
	assert_null(where);
	row_where_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_compared),
		cmocka_unit_test(rows_follow_each_other),
		cmocka_unit_test(what_is_not_known_is_not_compared),
		cmocka_unit_test(calls_have_names),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(other_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
