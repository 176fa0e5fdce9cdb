// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symbol_table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(struct symbol_table *table, uint64_t start, uint64_t size, const char *name)
{
	assert_int_equal(symbol_table_add(table, start, size, name, strlen(name)), 0);
}

static const char *name_at(struct symbol_table *table, uint64_t address)
{
	struct symbol symbol;

	return symbol_table_find(table, address, &symbol) ? symbol.name : "";
}

static void each_address_belongs_to_the_function_before_it(void **state)
{
	struct symbol_table table;
	struct symbol symbol;

	(void)state;
	symbol_table_init(&table);
	assert_string_equal(name_at(&table, 0x1000), "");
	add(&table, 0x3000, 0x10, "third");
	add(&table, 0x1000, 0x10, "first");
	add(&table, 0x2000, 0, "second");
	assert_string_equal(name_at(&table, 0xfff), "");
	assert_string_equal(name_at(&table, 0x1000), "first");
	assert_string_equal(name_at(&table, 0x100f), "first");
	assert_string_equal(name_at(&table, 0x1010), "");
	assert_string_equal(name_at(&table, 0x2fff), "second");
	assert_string_equal(name_at(&table, 0x3000), "third");
	assert_string_equal(name_at(&table, UINT64_MAX), "");
	assert_true(symbol_table_find(&table, 0x2abc, &symbol));
	assert_int_equal(symbol.start, 0x2000);
	assert_int_equal(symbol.size, 0x1000);
	symbol_table_fini(&table);
}

static void what_has_no_size_and_no_successor_ends_somewhere(void **state)
{
	struct symbol_table table;

	(void)state;
	symbol_table_init(&table);
	add(&table, 0x1000, 0, "last");
	add(&table, 0x1000, 8, "alias");
	assert_string_equal(name_at(&table, 0x1008), "last");
	assert_string_equal(name_at(&table, 0x1000 + (64u << 10)), "");
	add(&table, UINT64_MAX - 3, 0, "top");
	assert_string_equal(name_at(&table, UINT64_MAX), "top");
	symbol_table_fini(&table);
}

static void adding_may_go_on_after_finding(void **state)
{
	struct symbol_table table;
	char name[16];

	(void)state;
	symbol_table_init(&table);
	for (uint64_t i = 1000; i-- > 0;) {
		snprintf(name, sizeof(name), "f%u", (unsigned int)i);
		add(&table, i * 16, 16, name);
		assert_string_equal(name_at(&table, i * 16 + 15), name);
	}
	assert_string_equal(name_at(&table, 999 * 16), "f999");
	symbol_table_fini(&table);
}

static void long_names_are_cut(void **state)
{
	char *name = malloc(2 * SYMBOL_NAME_MAX);
	struct symbol_table table;

	(void)state;
	memset(name, 'x', 2 * SYMBOL_NAME_MAX);
	symbol_table_init(&table);
	assert_int_equal(symbol_table_add(&table, 1, 1, name, 2 * SYMBOL_NAME_MAX), 0);
	assert_int_equal(strlen(name_at(&table, 1)), SYMBOL_NAME_MAX);
	symbol_table_fini(&table);
	free(name);
}

static void of_one_address_the_name_of_the_highest_rank_is_kept(void **state)
{
	struct symbol_table table;

	(void)state;
	symbol_table_init(&table);
	add(&table, 0x1000, 8, "plain");
	assert_int_equal(symbol_table_add_ranked(&table, 0x1000, 8, "low", 3, 1), 0);
	assert_int_equal(symbol_table_add_ranked(&table, 0x1000, 8, "high", 4, SYMBOL_RANK_MAX), 0);
	assert_int_equal(symbol_table_add_ranked(&table, 0x1000, 8, "as high", 7, SYMBOL_RANK_MAX),
			 0);
	assert_string_equal(name_at(&table, 0x1000), "high");
	symbol_table_fini(&table);
}

static void behind_a_function_within_another_the_other_goes_on(void **state)
{
	struct symbol_table table;

	(void)state;
	symbol_table_init(&table);
	add(&table, 0x1000, 0x100, "outer");
	add(&table, 0x1010, 0x10, "inner");
	assert_string_equal(name_at(&table, 0x101f), "inner");
	assert_string_equal(name_at(&table, 0x1020), "outer");
	assert_string_equal(name_at(&table, 0x1100), "");
	symbol_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_address_the_name_of_the_highest_rank_is_kept),
		cmocka_unit_test(behind_a_function_within_another_the_other_goes_on),
		cmocka_unit_test(each_address_belongs_to_the_function_before_it),
		cmocka_unit_test(what_has_no_size_and_no_successor_ends_somewhere),
		cmocka_unit_test(adding_may_go_on_after_finding),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
