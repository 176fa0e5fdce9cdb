// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pm/pm_head.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "schema/trace_info.h"

#define END 0, 0, 0, 4
#define SIZE_16 0, 3, 0, 8, 0, 16, 0, 0

static struct problem_list problems;
static struct diag diag;

static int parse(const uint8_t *bytes, size_t len, struct pm_head *head)
{
	problem_list_init(&problems);
	diag = (struct diag){.text = ""};
	return pm_head_parse(bytes, len, head, &problems, &diag);
}

#define PARSE(head, ...)                                       \
	({                                                     \
		static const uint8_t bytes_[] = {__VA_ARGS__}; \
		parse(bytes_, sizeof(bytes_), head);           \
	})

static void done(struct pm_head *head, size_t problem_count)
{
	assert_int_equal(problems.count, problem_count);
	problem_list_fini(&problems);
	pm_head_fini(head);
}

static void test_defaults(void **state)
{
	struct pm_head head;

	(void)state;
	assert_int_equal(PARSE(&head, SIZE_16, END), 0);
	assert_int_equal(head.bytes, 12);
	assert_int_equal(head.mods, PM_MODS_RENO);
	assert_int_equal(head.order, PM_ORDER_LITTLE);
	assert_int_equal(head.entry_bytes, 16);
	assert_int_equal(head.cluster_bytes, 0);
	assert_string_equal(head.version, "");
	done(&head, 0);
}

/* The report has a number of 32 bits here, a structure of 16 and 16 there. */
static void test_both_shapes_of_numbers(void **state)
{
	struct pm_head head;

	(void)state;
	assert_int_equal(PARSE(&head, 0, 1, 0, 8, 0, 6, 0, 0, 0, 3, 0, 8, 0, 0, 0, 16, 0, 5, 0, 8,
			       0, 0, 0, 2, 0, 6, 0, 8, 0, 1, 0, 0, END),
			 0);
	assert_int_equal(head.mods, 6);
	assert_int_equal(head.entry_bytes, 16);
	assert_int_equal(head.order, PM_ORDER_PDP);
	assert_int_equal(head.cluster_bytes, 65536);
	done(&head, 0);
	assert_int_equal(PARSE(&head, 0, 1, 0, 8, 0, 0, 0, 6, SIZE_16, 0, 5, 0, 8, 0, 1, 0, 0, 0, 6,
			       0, 8, 8, 0, 0, 0, END),
			 0);
	assert_int_equal(head.mods, 6);
	assert_int_equal(head.order, PM_ORDER_BIG);
	assert_int_equal(head.cluster_bytes, 2048);
	done(&head, 0);
}

static void test_unknown_kinds_are_skipped(void **state)
{
	struct pm_head head;

	(void)state;
	assert_int_equal(PARSE(&head, 0x12, 0x34, 0, 7, 1, 2, 3, SIZE_16, 0, 7, 0, 4, END), 0);
	assert_int_equal(head.entry_bytes, 16);
	done(&head, 0);
}

static void test_column(void **state)
{
	struct pm_head head;

	(void)state;
	assert_int_equal(PARSE(&head, SIZE_16, 0, 4, 0, 36, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h',
			       'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',
			       'w', 'x', 1, 2, 3, 4, 5, 6, 7, 8, 0, 4, 0, 36, 0, 0, 0, 0, 0, 0, 0,
			       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			       0, 0, END),
			 0);
	assert_int_equal(head.column_count, 1); /* the empty name is the end of the kernel's list */
	assert_string_equal(head.columns[0].name, "abcdefghijklmnopqrstuvwx");
	assert_int_equal(head.columns[0].offset, 0x0102);
	assert_int_equal(head.columns[0].length, 3);
	assert_int_equal(head.columns[0].scope, 4);
	assert_int_equal(head.columns[0].mask, 0x0506);
	assert_int_equal(head.columns[0].flags, 0x0708);
	done(&head, 0);
}

static void check_bad(int err, const char *text)
{
	assert_int_equal(err, -EBADMSG);
	assert_non_null(strstr(diag.text, text));
	problem_list_fini(&problems);
}

static void test_damage(void **state)
{
	struct pm_head head;

	(void)state;
	check_bad(PARSE(&head, SIZE_16), "breaks off at offset 8");
	check_bad(PARSE(&head, SIZE_16, 0, 0), "breaks off at offset 10");
	check_bad(PARSE(&head, SIZE_16, 0, 4, 0, 36, 'a'), "breaks off");
	check_bad(PARSE(&head, SIZE_16, 0, 4, 0, 3, END), "offset 8: its length is below 4");
	check_bad(PARSE(&head, END), "does not tell how many bytes");
	check_bad(PARSE(&head, 0, 3, 0, 8, 0, 0, 0, 0, END), "0 bytes");
	assert_int_equal(PARSE(&head, SIZE_16, 0, 1, 0, 6, 0, 2, 0, 5, 0, 8, 0, 0, 0, 3, END), 0);
	assert_int_equal(head.mods, PM_MODS_RENO); /* a record of another length tells nothing */
	assert_int_equal(head.order, PM_ORDER_COUNT);
	done(&head, 2);
}

static void test_is(void **state)
{
	static const uint8_t plain[] = {SIZE_16}, unknown[] = {0x12, 0x34, 0, 5, 0, SIZE_16},
			     wrong[] = {0, 3, 0, 9, 0, 16, 0, 0}, empty[] = {END},
			     text[] = "a text of some length";

	(void)state;
	assert_true(pm_head_is(plain, sizeof(plain)));
	assert_true(pm_head_is(plain, 4));
	assert_true(pm_head_is(unknown, sizeof(unknown)));
	assert_false(pm_head_is(plain, 3));
	assert_false(pm_head_is(wrong, sizeof(wrong)));
	assert_false(pm_head_is(empty, sizeof(empty)));
	assert_false(pm_head_is(text, sizeof(text)));
	assert_false(pm_head_is(text, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_both_shapes_of_numbers),
		cmocka_unit_test(test_unknown_kinds_are_skipped),
		cmocka_unit_test(test_column),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
