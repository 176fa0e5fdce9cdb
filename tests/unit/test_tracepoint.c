// SPDX-License-Identifier: BSD-2-Clause
#include "probe/tracepoint.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static struct diag diag;

/* Each line a declaration, an offset, a size. */
struct line {
	const char *declaration;
	int offset, size, is_signed;
};

static int make(const struct line *lines, size_t count, struct tracepoint **ret)
{
	char *text = malloc(16384);
	size_t at = (size_t)snprintf(text, 16384, "name: ev\nID: 9\nformat:\n");

	diag = (struct diag){.text = ""};
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, 16384 - at,
				       "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n",
				       lines[i].declaration, lines[i].offset, lines[i].size,
				       lines[i].is_signed);
	return tracepoint_new("grp", "ev", text, ret, &diag);
}

#define MAKE(lines, ret) make(lines, sizeof(lines) / sizeof((lines)[0]), ret)

static const struct field *get(const struct tracepoint *tp, const char *name)
{
	int i = event_class_find(&tp->class, name);

	if (i < 0)
		fail_msg("there is no %s", name);
	return &tp->fields[i];
}

static void names_tell_where_it_is(void **state)
{
	static const struct line lines[] = {{"int a", 8, 4, 1}, {"u8 b", 12, 1, 0}};
	struct tracepoint *tp;

	(void)state;
	assert_int_equal(MAKE(lines, &tp), 0);
	assert_string_equal(tp->name, "kernel:grp:ev");
	assert_string_equal(tp->section, "tp/grp/ev");
	assert_string_equal(tp->event, "ev");
	assert_string_equal(tp->class.text, "a, b");
	assert_int_equal(tp->format.id, 9);
	tracepoint_free(tp);
}

static void expect_run(const struct tracepoint *tp, int i, int from, int to, int bytes)
{
	assert_true(i < tp->plan.run_count);
	assert_int_equal(tp->plan.runs[i].from, from);
	assert_int_equal(tp->plan.runs[i].to, (int)RECORD_HEAD_BYTES + to);
	assert_int_equal(tp->plan.runs[i].bytes, bytes);
}

static void only_the_alignment_of_traces_leaves_holes(void **state)
{
	static const struct line lines[] = {
		{"u8 a", 8, 1, 0},	{"int b", 12, 4, 1},	   {"u32 c", 16, 4, 0},
		{"u64 d", 24, 8, 0},	{"bool e", 32, 1, 0},	   {"short f[3]", 34, 6, 1},
		{"void * g", 40, 8, 0}, {"char h[16]", 48, 16, 0},
	};
	struct tracepoint *tp;

	(void)state;
	assert_int_equal(MAKE(lines, &tp), 0);
	assert_true(tp->class.fixed);
	assert_int_equal(tp->class.payload_bytes, 52);
	assert_int_equal(tp->plan.fixed_bytes, RECORD_HEAD_BYTES + 52);
	assert_int_equal(tp->plan.run_count, 4);
	expect_run(tp, 0, 8, 0, 1);
	expect_run(tp, 1, 12, 4, 8);
	expect_run(tp, 2, 24, 12, 9); /* 64 bits are aligned to 32 in a trace */
	expect_run(tp, 3, 34, 22, 30);
	assert_int_equal(get(tp, "b")->offset_bits, 4 * 8);
	assert_int_equal(get(tp, "b")->align_bits, 32);
	assert_true(get(tp, "b")->is_signed);
	assert_int_equal(get(tp, "d")->offset_bits, 12 * 8);
	assert_int_equal(get(tp, "d")->align_bits, 32);
	assert_int_equal(get(tp, "e")->show, FIELD_SHOW_FLAG);
	assert_int_equal(get(tp, "f")->count, 3);
	assert_int_equal(get(tp, "f")->bits, 16);
	assert_int_equal(get(tp, "g")->show, FIELD_SHOW_HEX);
	assert_int_equal(get(tp, "h")->kind, FIELD_TEXT);
	assert_int_equal(get(tp, "h")->count, 16);
	tracepoint_free(tp);
}

static void the_end_is_aligned_by_a_field(void **state)
{
	static const struct line lines[] = {
		{"int a", 8, 4, 1}, {"u8 b", 12, 1, 0}, {"u8 c", 13, 1, 0}};
	static const struct line small[] = {{"u8 a", 8, 1, 0}};
	struct tracepoint *tp;

	(void)state;
	assert_int_equal(MAKE(lines, &tp), 0);
	assert_string_equal(tp->fields[0].name, "b");
	assert_string_equal(tp->fields[2].name, "a");
	assert_int_equal(tp->class.payload_bytes, 8);
	assert_int_equal(tp->plan.run_count, 2);
	expect_run(tp, 0, 12, 0, 2);
	expect_run(tp, 1, 8, 4, 4);
	tracepoint_free(tp);
	assert_int_equal(MAKE(small, &tp), 0); /* none of its own */
	assert_int_equal(tp->class.field_count, 2);
	assert_string_equal(tp->fields[1].name, "cut_bytes");
	assert_int_equal(tp->fields[1].offset_bits, 32);
	assert_int_equal(tp->class.payload_bytes, 8);
	tracepoint_free(tp);
}

static void what_varies_follows_the_fixed_part(void **state)
{
	static const struct line lines[] = {
		{"__data_loc char[] name", 8, 4, 0},
		{"u32 n", 12, 4, 0},
		{"__rel_loc u64[] list", 16, 4, 0},
		{"__data_loc cpumask_t mask", 20, 4, 0},
	};
	const struct tracepoint_dynamic *dynamic;
	struct tracepoint *tp;

	(void)state;
	assert_int_equal(MAKE(lines, &tp), 0);
	assert_false(tp->class.fixed);
	assert_int_equal(tp->class.field_count, 7);
	assert_string_equal(tp->fields[0].name, "n");
	assert_string_equal(tp->fields[1].name, "list_length");
	assert_string_equal(tp->fields[2].name, "mask_length");
	assert_string_equal(tp->fields[3].name, "name");
	assert_int_equal(tp->fields[3].kind, FIELD_STRING);
	assert_string_equal(tp->fields[4].name, "list");
	assert_int_equal(tp->fields[4].length, 2);
	assert_int_equal(tp->fields[4].bits, 64);
	assert_int_equal(tp->fields[4].align_bits, 8);
	assert_int_equal(tp->fields[5].length, 3);
	assert_int_equal(tp->fields[5].show, FIELD_SHOW_HEX);
	assert_string_equal(tp->fields[6].name, "cut_bytes");
	assert_int_equal(tp->fields[6].align_bits, 32);
	assert_int_equal(tp->plan.fixed_bytes, 8 + 4 + 2 + 2);
	assert_int_equal(tp->plan.dynamic_count, 3);
	dynamic = tp->plan.dynamic;
	assert_true(dynamic[0].is_text && !dynamic[0].is_relative && dynamic[0].from == 8);
	assert_true(!dynamic[1].is_text && dynamic[1].is_relative && dynamic[1].to == 12);
	assert_int_equal(dynamic[1].element_shift, 3);
	assert_int_equal(dynamic[2].to, 14);
	tracepoint_free(tp);
}

/* There is one all the same, which tells what it is called and nothing else. */
static void what_cannot_be_recorded_says_why(void **state)
{
	static const struct line large[] = {{"u8 a[600]", 8, 600, 0}};
	static const struct line taken[] = {{"u8 cut_bytes", 8, 1, 0},
					    {"__data_loc char[] name", 12, 4, 0}};
	static const struct line odd[] = {{"int", 8, 4, 0}};
	struct line holes[20];
	struct line strings[9];
	char names[20][32];
	struct tracepoint *tp;

	(void)state;
	assert_int_equal(MAKE(large, &tp), -E2BIG);
	assert_int_equal(tp->class.field_count, 0);
	assert_string_equal(tp->name, "kernel:grp:ev");
	tracepoint_free(tp);
	assert_int_equal(MAKE(taken, &tp), -EBADMSG);
	assert_non_null(strstr(diag.text, "'cut_bytes'"));
	tracepoint_free(tp);
	assert_int_equal(MAKE(odd, &tp), -EBADMSG);
	tracepoint_free(tp);
	for (int i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "u8 a%d", i);
		holes[i] = (struct line){names[i], 8 + 2 * i, 1, 0};
	}
	assert_int_equal(MAKE(holes, &tp), -E2BIG);
	assert_non_null(strstr(diag.text, "16 holes"));
	tracepoint_free(tp);
	for (int i = 0; i < 9; i++) {
		snprintf(names[i], sizeof(names[i]), "__data_loc char[] a%d", i);
		strings[i] = (struct line){names[i], 8 + 4 * i, 4, 0};
	}
	assert_int_equal(MAKE(strings, &tp), -E2BIG);
	assert_non_null(strstr(diag.text, "8 texts"));
	tracepoint_free(tp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_where_it_is),
		cmocka_unit_test(only_the_alignment_of_traces_leaves_holes),
		cmocka_unit_test(the_end_is_aligned_by_a_field),
		cmocka_unit_test(what_varies_follows_the_fixed_part),
		cmocka_unit_test(what_cannot_be_recorded_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
