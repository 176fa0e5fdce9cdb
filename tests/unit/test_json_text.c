// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/json_metadata.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "wire/ctf.h"

static json_t *parse(const char *text, size_t *values)
{
	json_t *root = NULL;
	struct diag diag = {.text = ""};

	if (json_text_parse(text, strlen(text), &root, values, &diag))
		fail_msg("%s: %s", text, diag.text);
	return root;
}

static void expect_error(const char *text, size_t len, int err)
{
	json_t *root = NULL;
	size_t values;
	struct diag diag = {.text = ""};

	assert_int_equal(json_text_parse(text, len, &root, &values, &diag), err);
	assert_null(root);
	assert_true(diag.text[0]);
}

static void large_integers_keep_their_digits(void **state)
{
	size_t values;
	json_t *root =
		parse("[9223372036854775807, 9223372036854775808, 18446744073709551615,"
		      " -9223372036854775808, 0.30000000000000000444, \"9223372036854775808\\\\\"]",
		      &values);

	(void)state;
	assert_true(json_integer_value(json_array_get(root, 0)) == INT64_MAX);
	assert_string_equal(json_string_value(json_array_get(root, 1)), "9223372036854775808");
	assert_string_equal(json_string_value(json_array_get(root, 2)), "18446744073709551615");
	assert_true(json_integer_value(json_array_get(root, 3)) == INT64_MIN);
	assert_true(json_is_real(json_array_get(root, 4)));
	assert_string_equal(json_string_value(json_array_get(root, 5)), "9223372036854775808\\");
	assert_int_equal(values, 6);
	json_decref(root);
}

static void what_is_no_json_is_refused(void **state)
{
	(void)state;
	expect_error("{", 1, -ENODATA);
	expect_error("{\"a\": \"b", 8, -ENODATA);
	expect_error("{\"a\": 1, \"a\": 2}", 16, -EBADMSG);
	expect_error("{\"a\": @ 1, 23456", 17, -EBADMSG);
	expect_error("{} {}", 5, -EBADMSG);
	expect_error("[18446744073709551616]", 22, -EBADMSG);
	expect_error("[\"\\u0000\"]", 10, -EBADMSG);
	expect_error("[\"\xff\"]", 5, -EBADMSG);
	expect_error("\"\\", 2, -EBADMSG);
}

/* Inside words, numbers, escapes and characters of several bytes. */
static void a_text_breaks_off_anywhere(void **state)
{
	static const char text[] =
		"{\"a\": true, \"b\": [null, -1.5e3, 18446744073709551615], \"\\u00e9\": \"\xe2\x82\xac\"}";

	(void)state;
	for (size_t len = 1; len < strlen(text); len++)
		expect_error(text, len, -ENODATA);
}

static void limits_hold_before_memory_is_spent(void **state)
{
	size_t deep = CTF_JSON_DEPTH_MAX + 1, many = CTF_JSON_VALUES_MAX + 2;
	char *text = malloc(many);

	(void)state;
	assert_non_null(text);
	memset(text, '[', deep);
	expect_error(text, deep, -E2BIG);
	memset(text, ',', many);
	expect_error(text, many, -E2BIG);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_integers_keep_their_digits),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(a_text_breaks_off_anywhere),
		cmocka_unit_test(limits_hold_before_memory_is_spent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
