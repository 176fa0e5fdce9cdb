// SPDX-License-Identifier: BSD-2-Clause
#include "base/diag.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_set_writes_sentence(void **state)
{
	struct diag diag = {.line = 7, .offset = 9};

	(void)state;
	assert_int_equal(diag_set(&diag, -EBADMSG, "byte %d", 12), -EBADMSG);
	assert_string_equal(diag.text, "byte 12");
	assert_int_equal(diag.line, 0);
	assert_int_equal(diag.offset, 0);
}

static void test_null_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(diag_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(diag_prefix(NULL, -EIO, "x"), -EIO);
}

static void test_prefix_goes_before_and_keeps_position(void **state)
{
	struct diag diag;

	(void)state;
	diag_set(&diag, -EIO, "read failed");
	diag.offset = 33;
	assert_int_equal(diag_prefix(&diag, -EIO, "%s", "T/metadata"), -EIO);
	assert_string_equal(diag.text, "T/metadata: read failed");
	assert_int_equal(diag.offset, 33);
}

static void test_long_texts_are_cut(void **state)
{
	char longest[2 * sizeof(((struct diag *)0)->text)];
	struct diag diag;

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	diag_set(&diag, -EIO, "%s", longest);
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
	diag_prefix(&diag, -EIO, "file");
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
	assert_memory_equal(diag.text, "file: aaa", 9);
	diag_prefix(&diag, -EIO, "%s", longest);
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
	assert_memory_equal(diag.text, "aaaa", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_writes_sentence),
		cmocka_unit_test(test_null_is_allowed),
		cmocka_unit_test(test_prefix_goes_before_and_keeps_position),
		cmocka_unit_test(test_long_texts_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
