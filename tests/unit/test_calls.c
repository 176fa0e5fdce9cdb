// SPDX-License-Identifier: BSD-2-Clause
/* The table of system calls, and the sets of flags in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schema/call_values.h"
#include "schema/calls.h"
#include "schema/event.h"
#include "schema/field.h"

/* calls_find searches by halves. */
static void test_order(void **state)
{
	(void)state;
	for (size_t i = 1; i < calls_count(); i++)
		assert_true(strcmp(calls_get(i - 1)->name, calls_get(i)->name) < 0);
	for (size_t i = 0; i < calls_count(); i++)
		assert_int_equal(calls_find(calls_get(i)->name, false), i);
	assert_int_equal(calls_find("no_such_call", false), -1);
}

/* Names in a row differ, and none is what an event has anyway. */
static void test_names(void **state)
{
	static const char *const taken[] = {"ip",  "nr",   "compat", "pid",  "tid",
					    "cpu", "comm", "event",  "name", "time"};

	(void)state;
	for (size_t i = 0; i < calls_count(); i++) {
		const struct call *call = calls_get(i);

		assert_in_range(call->arg_count, 0, CALL_ARGS_MAX);
		assert_true(calls_is_entry_name(call->class_name));
		for (size_t a = 0; a < call->arg_count; a++) {
			for (size_t t = 0; t < sizeof(taken) / sizeof(taken[0]); t++)
				assert_string_not_equal(call->args[a].name, taken[t]);
			for (size_t b = 0; b < a; b++)
				assert_string_not_equal(call->args[a].name, call->args[b].name);
		}
	}
}

static void test_rows(void **state)
{
	const struct call *openat = calls_get((size_t)calls_find("openat", true));

	(void)state;
	assert_string_equal(openat->class_name, "sys.openat");
	assert_int_equal(openat->arg_count, 4);
	assert_string_equal(openat->args[1].name, "filename");
	assert_int_equal(openat->args[1].kind, CALL_KIND_PATH);
	assert_int_equal(call_arg_bytes(&openat->args[0]), 4);
	assert_int_equal(call_arg_bytes(&openat->args[1]), 8);
	assert_int_equal(calls_get((size_t)calls_find("getppid", false))->arg_count, 0);
	assert_string_equal(calls_get((size_t)calls_find("exit", false))->class_name, "sys._exit");
	assert_true(calls_find("pread64", false) >= 0);
	assert_int_equal(calls_find("pread64", true), -1);
}

static void test_pattern(void **state)
{
	(void)state;
	assert_true(calls_pattern_matches("sys.enter", "sys.enter"));
	assert_true(calls_pattern_matches("sys.enter", "sys.openat"));
	assert_true(calls_pattern_matches("sys.enter", "sys._exit"));
	assert_false(calls_pattern_matches("sys.enter", "sys.exit"));
	assert_false(calls_pattern_matches("sys.enter", "sched.exit"));
	assert_false(calls_pattern_matches("sys.exit", "sys.exit_group"));
	assert_true(calls_pattern_matches("sys", "sys.openat"));
	assert_true(calls_pattern_matches("sys.open*", "sys.openat"));
}

/* "O_WRONLY|O_CREAT|0x..." of @value. */
static const char *flags_text(const struct call_values *values, uint64_t value)
{
	static char text[256];
	const struct field field = {.labels = values->labels, .label_count = values->count};
	uint64_t rest = value;
	size_t at = 0;
	int i;

	*text = 0;
	while ((i = field_flags_next(&field, &rest, &at)) >= 0) {
		if (*text)
			strcat(text, "|");
		strcat(text, values->labels[i].name);
	}
	if (rest)
		snprintf(text + strlen(text), 32, "|0x%llx", (unsigned long long)rest);
	return text;
}

static void test_flags(void **state)
{
	const struct call_values *open = &call_values_open_flags;

	(void)state;
	assert_string_equal(flags_text(open, 0), "O_RDONLY");
	assert_string_equal(flags_text(open, 02000000), "O_RDONLY|O_CLOEXEC");
	assert_string_equal(flags_text(open, 01101), "O_WRONLY|O_CREAT|O_TRUNC");
	assert_string_equal(flags_text(open, 2), "O_RDWR");
	assert_string_equal(flags_text(open, 3), "O_ACCMODE");
	/* One that contains the bits of another is not both. */
	assert_string_equal(flags_text(open, 04010000), "O_RDONLY|O_SYNC");
	assert_string_equal(flags_text(open, 010000), "O_RDONLY|O_DSYNC");
	assert_string_equal(flags_text(open, 1ull << 40 | 1), "O_WRONLY|0x10000000000");
	assert_string_equal(flags_text(&call_values_prot, 0), "PROT_NONE");
	assert_string_equal(flags_text(&call_values_prot, 3), "PROT_READ|PROT_WRITE");
	assert_string_equal(flags_text(&call_values_futex_operations, 128),
			    "FUTEX_WAIT|FUTEX_PRIVATE_FLAG");
	assert_string_equal(flags_text(&call_values_futex_operations, 137),
			    "FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG");
	assert_string_equal(flags_text(&call_values_socket_types, 02000001),
			    "SOCK_STREAM|SOCK_CLOEXEC");
	assert_string_equal(flags_text(&call_values_at_flags, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order), cmocka_unit_test(test_names),
		cmocka_unit_test(test_rows),  cmocka_unit_test(test_pattern),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
