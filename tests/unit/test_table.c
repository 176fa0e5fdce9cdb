// SPDX-License-Identifier: BSD-2-Clause
#include "output/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check(const struct table *table, const char *expected)
{
	struct buffer out;

	buffer_init(&out);
	table_write(table, &out);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buffer_fini(&out);
}

static void test_columns_line_up(void **state)
{
	static const char *const titles[] = {"name", "count", "note", NULL};
	struct table table;

	(void)state;
	table_init(&table, titles);
	check(&table, "name  count  note\n");
	table_add(&table, "a");
	table_add(&table, "%d", 1234567);
	table_add(&table, "%s", "");
	table_add(&table, "caf\xc3\xa9s");
	table_add(&table, "%d", 5);
	table_add(&table, "x");
	table_add(&table, "unfinished");
	check(&table, "name          count  note\n"
		      "a           1234567\n"
		      "caf\xc3\xa9s             5     x\n");
	table_fini(&table);
}

static void test_wide_cells_stand_alone(void **state)
{
	static const char *const titles[] = {"name", "count", NULL};
	char wide[121], expected[512];
	struct table table;

	(void)state;
	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	table_init(&table, titles);
	table_add(&table, "%s", wide);
	table_add(&table, "1");
	snprintf(expected, sizeof(expected), "name%*s\n%s\n%*s\n", 96, "count", wide, 100, "1");
	check(&table, expected);
	table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_line_up),
		cmocka_unit_test(test_wide_cells_stand_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
