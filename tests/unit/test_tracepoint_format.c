// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint_format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

#define COMMON                                                                         \
	"name: x\nID: 372\nformat:\n"                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PLACE(offset, size, sign) ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

static char text[8192];
static struct tracepoint_format format;
static struct diag diag;

static int parse(const char *body)
{
	diag = (struct diag){.text = ""};
	snprintf(text, sizeof(text), "%s", body);
	return tracepoint_format_parse(text, &format, &diag);
}

static void expect(size_t i, const char *type, const char *name, unsigned int offset,
		   unsigned int size)
{
	assert_true(i < format.field_count);
	assert_string_equal(format.fields[i].type, type);
	assert_string_equal(format.fields[i].name, name);
	assert_int_equal(format.fields[i].offset, offset);
	assert_int_equal(format.fields[i].size, size);
}

static void fields_are_as_the_kernel_declares_them(void **state)
{
	(void)state;
	assert_int_equal(
		parse(COMMON "\tfield:char comm[16]" PLACE(8, 16, 0) "\tfield:pid_t pid" PLACE(24, 4, 1) "\tfield:const struct foo * *p" PLACE(
			32, 8,
			0) "\tfield:void *const q" PLACE(40, 8,
							 0) "\tfield:unsigned long long n" PLACE(48,
												 8,
												 0) "\nprint fmt: \"%s\", REC->comm\n"),
		0);
	assert_int_equal(format.id, 372);
	assert_int_equal(format.field_count, 5);
	expect(0, "char", "comm", 8, 16);
	assert_string_equal(format.fields[0].brackets, "16");
	assert_int_equal(format.fields[0].place, FORMAT_INSIDE);
	expect(1, "pid_t", "pid", 24, 4);
	assert_true(format.fields[1].is_signed);
	assert_null(format.fields[1].brackets);
	expect(2, "const struct foo * *", "p", 32, 8);
	expect(3, "void *const", "q", 40, 8);
	expect(4, "unsigned long long", "n", 48, 8);
	assert_string_equal(format.print, "\"%s\", REC->comm");
}

static void what_varies_is_told_by_a_word(void **state)
{
	(void)state;
	assert_int_equal(
		parse(COMMON
		      "\tfield:__data_loc char[] name" PLACE(8, 4, 0) "\tfield:__rel_loc u64[] list" PLACE(
			      12, 4, 0) "\tfield:__data_loc cpumask_t mask" PLACE(16, 4, 0)),
		0);
	expect(0, "char", "name", 8, 4);
	assert_int_equal(format.fields[0].place, FORMAT_DATA_LOC);
	assert_string_equal(format.fields[0].brackets, "");
	expect(1, "u64", "list", 12, 4);
	assert_int_equal(format.fields[1].place, FORMAT_REL_LOC);
	expect(2, "cpumask_t", "mask", 16, 4);
	assert_null(format.fields[2].brackets);
	assert_string_equal(format.print, "");
}

static void a_tracepoint_may_tell_nothing(void **state)
{
	(void)state;
	assert_int_equal(parse(COMMON "\nprint fmt: \"\"\n"), 0);
	assert_int_equal(format.field_count, 0);
}

static void later_kernels_may_say_more(void **state)
{
	(void)state;
	assert_int_equal(parse("name: x\nID: 7\ncolour: blue\nformat:\n"
			       "\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\twidth:1;\n"),
			 0);
	expect(0, "u8", "a", 8, 1);
}

static void expect_error(const char *body, int err, unsigned int line, const char *word)
{
	assert_int_equal(parse(body), err);
	assert_int_equal(diag.line, line);
	if (!strstr(diag.text, word))
		fail_msg("'%s' lacks '%s'", diag.text, word);
}

static void what_no_kernel_writes_is_refused(void **state)
{
	(void)state;
	expect_error("", -EBADMSG, 0, "no ID");
	expect_error("ID: 4294967296\n", -EBADMSG, 0, "no ID");
	expect_error("ID: 1\n\tfield:int a\n", -EBADMSG, 2, "without an end");
	expect_error("ID: 1\n\tfield:int a;\tsize:4;\n", -EBADMSG, 2, "offset");
	expect_error("ID: 1\n\tfield:int a;\toffset:8;\tsize:-4;\n", -EBADMSG, 2, "size");
	expect_error("ID: 1\n\tfield:int a;\toffset:8000;\tsize:8000;\n", -EBADMSG, 2, "8192");
	expect_error("ID: 1\n\tfield:int a;\toffset:99999999999;\tsize:4;\n", -EBADMSG, 2, "8192");
	expect_error("ID: 1\n\tfield:int a;\toffset:4;\tsize:4;\n", -EBADMSG, 2, "overlaps");
	expect_error(
		"ID: 1\n\tfield:int a;\toffset:8;\tsize:4;\n\tfield:int b;\toffset:11;\tsize:1;\n",
		-EBADMSG, 3, "overlaps");
	expect_error(
		"ID: 1\n\tfield:int a;\toffset:8;\tsize:4;\n\tfield:u8 a;\toffset:12;\tsize:1;\n",
		-EBADMSG, 3, "same name");
}

static void odd_declarations_are_refused(void **state)
{
	static const char *const odd[] = {
		"",
		" ",
		"a",
		"int",
		"int a[",
		"int a]",
		"int a]2[",
		"int []",
		"int a[]",
		"int a[2][2]",
		"int 2a",
		"int (*f)(int)",
		"*a",
		"[4]",
		"__data_loc char[] a[2]",
		"__data_loc [] a",

		"int a[[2]]",
	};
	char body[256];

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		snprintf(body, sizeof(body), "ID: 1\n\tfield:%s;\toffset:8;\tsize:4;\tsigned:0;\n",
			 odd[i]);
		if (parse(body) != -EBADMSG)
			fail_msg("'%s' is taken", odd[i]);
	}
	assert_int_equal(parse("ID: 1\n\tfield:__data_loc char[] a;\toffset:8;\tsize:8;\n"),
			 -EBADMSG);
}

static void fields_are_limited(void **state)
{
	size_t at = (size_t)snprintf(text, sizeof(text), "ID: 1\n");

	(void)state;
	diag = (struct diag){.text = ""};
	for (int i = 0; i <= FORMAT_FIELD_MAX; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "field:int a%d;offset:%d;size:4;signed:1;\n", i, 8 + 4 * i);
	assert_int_equal(tracepoint_format_parse(text, &format, &diag), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_as_the_kernel_declares_them),
		cmocka_unit_test(what_varies_is_told_by_a_word),
		cmocka_unit_test(a_tracepoint_may_tell_nothing),
		cmocka_unit_test(later_kernels_may_say_more),
		cmocka_unit_test(what_no_kernel_writes_is_refused),
		cmocka_unit_test(odd_declarations_are_refused),
		cmocka_unit_test(fields_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
