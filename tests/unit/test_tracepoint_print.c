// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void arguments_are_shown_as_they_are_printed(void **state)
{
	static const char print[] =
		"\"%d%% %s (a=%08lx, b=%*u c=%pS d=%pI6c e=%x f=%llX g=%u\", REC->i, "
		"REC->x ? \"a,b\" : \"%\", ((unsigned long)(REC->a)), REC->w, REC->b, (void *)REC->c, "
		"REC->d, REC->e & 7, (unsigned long long) REC->f, REC->g";

	(void)state;
	assert_int_equal(print_show(print, "i"), FIELD_SHOW_DECIMAL);
	assert_int_equal(print_show(print, "a"), FIELD_SHOW_HEX);
	assert_int_equal(print_show(print, "f"), FIELD_SHOW_DECIMAL); /* the star moves them */
	assert_int_equal(print_show(print, "no"), FIELD_SHOW_DECIMAL);
	assert_int_equal(print_show("\"%x %x\", REC->e & 7, (u32)REC->f", "e"), FIELD_SHOW_DECIMAL);
	assert_int_equal(print_show("\"%x %x\", REC->e & 7, (u32)REC->f", "f"), FIELD_SHOW_HEX);
	assert_int_equal(print_show("\"%pI6c\", REC->d", "d"), FIELD_SHOW_ADDRESS);
	assert_int_equal(print_show("\"%pI4\", REC->d", "d"), FIELD_SHOW_HEX);
	assert_int_equal(print_show("\"%\", REC->d", "d"), FIELD_SHOW_DECIMAL);
	assert_int_equal(print_show("\"%l", "d"), FIELD_SHOW_DECIMAL);
	assert_int_equal(print_show("", "d"), FIELD_SHOW_DECIMAL);
}

static void expect(const char *print, size_t count, const struct field_label *wanted)
{
	struct field_label *labels;
	size_t got;

	assert_int_equal(print_labels(print, "s", &labels, &got), 0);
	assert_int_equal(got, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(labels[i].first, wanted[i].first);
		assert_int_equal(labels[i].last, wanted[i].first);
		assert_string_equal(labels[i].name, wanted[i].name);
	}
	free(labels);
}

static void symbols_are_names_of_values(void **state)
{
	static const struct field_label wanted[] = {{1, 1, "ONE"},
						    {-2, 0, "MINUS, TWO"},
						    {8, 0, "SHIFTED"},
						    {7, 0, "ALL"},
						    {0xfff, 0, "LONG"}};

	(void)state;
	expect("\"%s %s\", __print_symbolic(REC->other, { 3, \"x\" }), __print_symbolic((u8)(REC->s), "
	       "{ 1, \"ONE\" }, { -2, \"MINUS, TWO\" }, { (1 << 3), \"SHIFTED\" }, "
	       "{ 0x1 | (0x2 | 4UL), \"ALL\" }, { ((1 << 12) - 1), \"LONG\" })",
	       5, wanted);
}

static void what_is_not_plain_is_left_out(void **state)
{
	static const struct field_label wanted[] = {{1, 1, "a"}};

	(void)state;
	expect("", 0, NULL);
	expect("\"\", __print_symbolic(REC->s & 3, { 1, \"a\" })", 0, NULL);
	expect("\"\", __print_symbolic(REC->s", 0, NULL);
	expect("\"\", __print_symbolic(REC->s, { 1, \"a\"", 0, NULL);
	expect("\"\", __print_symbolic(REC->s, { ONE, \"a\" }, { 1 +, \"b\" }, { (1, \"c\" })", 0,
	       NULL);
	expect("\"\", __print_symbolic(REC->s, { 1, \"a\" }, { 1, \"b\" }, { 2, 0 }, { 3, \"\" },"
	       " { 4, \"\\n\" }, 5, { -1, ((void *)0) })",
	       1, wanted);
	expect("__print_symbolic(REC->s, { ((((((((((((((((((((((((((((((((((((((((1, \"a\" })", 0,
	       NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_shown_as_they_are_printed),
		cmocka_unit_test(symbols_are_names_of_values),
		cmocka_unit_test(what_is_not_plain_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
