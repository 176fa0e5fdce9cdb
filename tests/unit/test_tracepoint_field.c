// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint_field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct field make(const char *type, const char *brackets, uint16_t size, bool is_signed)
{
	const struct format_field from = {.type = type,
					  .name = "f",
					  .brackets = brackets,
					  .size = size,
					  .is_signed = is_signed};

	return tracepoint_field_make(&from, "\"%pI6c\", REC->f");
}

static void expect(struct field field, enum field_kind kind, unsigned int bits, unsigned int count)
{
	assert_int_equal(field.kind, kind);
	assert_int_equal(field.bits, bits);
	assert_int_equal(field.count, count);
}

static void numbers_go_by_their_size(void **state)
{
	struct field field = make("pid_t", NULL, 4, true);

	(void)state;
	expect(field, FIELD_INT, 32, 1);
	assert_true(field.is_signed);
	assert_string_equal(field.name, "f");
	assert_string_equal(field.text, "pid_t");
	expect(make("int", NULL, 8, false), FIELD_INT, 64, 1); /* an argument of a system call */
	expect(make("enum what", NULL, 1, false), FIELD_INT, 8, 1);
	field = make("const struct page *", NULL, 8, true);
	assert_int_equal(field.show, FIELD_SHOW_HEX);
	assert_false(field.is_signed);
	assert_int_equal(make("bool", NULL, 1, false).show, FIELD_SHOW_FLAG);
	expect(make("struct in6_addr", NULL, 16, false), FIELD_INT, 8, 16);
	expect(make("struct odd", NULL, 3, false), FIELD_INT, 8, 3);
}

static void elements_go_by_their_type(void **state)
{
	(void)state;
	expect(make("char", "16", 16, true), FIELD_TEXT, 8, 16);
	assert_false(make("char", "16", 16, true).is_signed);
	expect(make("char", NULL, 1, true), FIELD_INT, 8, 1);
	expect(make("unsigned long", "(1 << 10)/64", 128, false), FIELD_INT, 64, 16);
	expect(make("__u8", "sizeof(struct s)", 28, false), FIELD_INT, 8, 28);
	expect(make("xyz_t", "4", 32, false), FIELD_INT, 64, 4);
	expect(make("xyz_t", "3", 32, false), FIELD_INT, 8, 32);
	expect(make("xyz_t", "sizeof(x)", 32, false), FIELD_INT, 8, 32);
	expect(make("u32", "3", 10, false), FIELD_INT, 8, 10);
	assert_int_equal(make("u8", "16", 16, false).show, FIELD_SHOW_ADDRESS);
	assert_int_equal(make("u8", "4", 4, false).show, FIELD_SHOW_DECIMAL);
}

static void what_varies_has_no_count(void **state)
{
	struct format_field from = {
		.type = "char", .name = "f", .brackets = "", .size = 4, .place = FORMAT_DATA_LOC};

	(void)state;
	assert_int_equal(tracepoint_field_make(&from, "").kind, FIELD_STRING);
	from.type = "u64";
	expect(tracepoint_field_make(&from, ""), FIELD_INT, 64, 0);
	from.type = "struct unknown";
	expect(tracepoint_field_make(&from, ""), FIELD_INT, 8, 0);
	from.type = "cpumask_t";
	from.brackets = NULL;
	expect(tracepoint_field_make(&from, ""), FIELD_INT, 64, 0);
}

static void values_are_as_the_field_holds_them(void **state)
{
	static const char print[] =
		"\"%s\", __print_symbolic(REC->f, { -1, \"NONE\" }, { 0xff, \"ALL\" })";
	struct field field = make("u32", NULL, 4, false);

	(void)state;
	assert_int_equal(tracepoint_field_name_values(&field, print), 0);
	assert_int_equal(field.label_count, 2);
	assert_string_equal(field_label(&field, 0xffffffff), "NONE");
	free((void *)field.labels);
	field = make("s8", NULL, 1, true);
	assert_int_equal(tracepoint_field_name_values(&field, print), 0);
	assert_string_equal(field_label(&field, -1), "NONE"); /* the first that fits */
	free((void *)field.labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_go_by_their_size),
		cmocka_unit_test(elements_go_by_their_type),
		cmocka_unit_test(what_varies_has_no_count),
		cmocka_unit_test(values_are_as_the_field_holds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
