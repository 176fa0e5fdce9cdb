// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/kernel_symbols.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/symbol_table.h"

static const char good[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T second_name\n"
			   "ffffffff81000040 t __pfx_tcp_ack\n"
			   "ffffffff81000050 t tcp_ack\n"
			   "ffffffff81000090 d some_data\n"
			   "ffffffff810000a0 W weak_one\n"
			   "ffffffffc0000000 t ext4_fill\t[ext4]\n"
			   "ffffffffc0001000 t bpf_prog_1\t[bpf]";

static int parse(const char *text, size_t len, struct symbol_table *table)
{
	symbol_table_init(table);
	return kernel_symbols_parse(text, len, table);
}

static const char *name_at(struct symbol_table *table, uint64_t address)
{
	struct symbol symbol;

	return symbol_table_find(table, address, &symbol) ? symbol.name : "";
}

static void functions_are_taken_and_data_is_not(void **state)
{
	struct symbol_table table;

	(void)state;
	assert_int_equal(parse(good, strlen(good), &table), 0);
	assert_string_equal(name_at(&table, 0xffffffff81000000), "_text");
	assert_string_equal(name_at(&table, 0xffffffff81000055), "tcp_ack");
	assert_string_equal(name_at(&table, 0xffffffff810000a1), "weak_one");
	assert_string_equal(name_at(&table, 0xffffffffc0000123), "ext4:ext4_fill");
	assert_string_equal(name_at(&table, 0xffffffffc0001001), "bpf:bpf_prog_1");
	assert_string_equal(name_at(&table, 0x1000), "");
	symbol_table_fini(&table);
}

static void hidden_addresses_are_told(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t tcp_ack\n";
	struct symbol_table table;

	(void)state;
	assert_int_equal(parse(hidden, strlen(hidden), &table), -EPERM);
	symbol_table_fini(&table);
	assert_int_equal(parse("", 0, &table), 0);
	symbol_table_fini(&table);
}

static void lines_of_no_sense_are_skipped(void **state)
{
	static const char odd[] = "\n \nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \n"
				  "xyz T a\nffffffff8100000011 T too_long\n T b\n"
				  "ffffffff81000000 TT c\nffffffff81000000 T good\t[\n"
				  "ffffffff81000010 T with [unclosed\nffffffff81000020 T m\t[]\n";
	struct symbol_table table;

	(void)state;
	assert_int_equal(parse(odd, strlen(odd), &table), 0);
	assert_string_equal(name_at(&table, 0xffffffff81000000), "good");
	assert_string_equal(name_at(&table, 0xffffffff81000010), "with");
	assert_string_equal(name_at(&table, 0xffffffff81000020), "m");
	assert_int_equal(table.count, 3);
	symbol_table_fini(&table);
}

static void any_part_of_the_text_can_be_read(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(good); len++) {
		struct symbol_table table;

		parse(good, len, &table);
		assert_true(table.count <= 7);
		symbol_table_fini(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_taken_and_data_is_not),
		cmocka_unit_test(hidden_addresses_are_told),
		cmocka_unit_test(lines_of_no_sense_are_skipped),
		cmocka_unit_test(any_part_of_the_text_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
