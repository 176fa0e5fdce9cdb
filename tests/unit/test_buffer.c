// SPDX-License-Identifier: BSD-2-Clause
#include "base/buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_buffer(struct buffer *buf, const char *expected)
{
	assert_int_equal(buffer_error(buf), 0);
	assert_int_equal(buf->len, strlen(expected));
	assert_memory_equal(buf->data, expected, buf->len);
	buffer_reset(buf);
}

static void test_appends_grow(void **state)
{
	struct buffer buf;
	int i;

	(void)state;
	buffer_init(&buf);
	for (i = 0; i < 1000; i++)
		buffer_string(&buf, "0123456789");
	assert_int_equal(buf.len, 10000);
	assert_memory_equal(buf.data + 9990, "0123456789", 10);
	buffer_fini(&buf);
}

static void check_number(struct buffer *buf, uint64_t value)
{
	char expected[32];

	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	buffer_uint(buf, value);
	assert_buffer(buf, expected);
	snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)value);
	buffer_int(buf, (int64_t)value);
	assert_buffer(buf, expected);
	snprintf(expected, sizeof(expected), "%" PRIx64, value);
	buffer_hex(buf, value, 1);
	assert_buffer(buf, expected);
	snprintf(expected, sizeof(expected), "%018" PRIx64, value);
	buffer_hex(buf, value, 18);
	assert_buffer(buf, expected);
}

static void test_numbers_are_printf_s(void **state)
{
	struct buffer buf;
	uint64_t power;
	int shift;

	(void)state;
	buffer_init(&buf);
	for (power = 1; power < UINT64_MAX / 10; power *= 10) {
		check_number(&buf, power - 1);
		check_number(&buf, power);
		check_number(&buf, power + 1);
	}
	for (shift = 0; shift < 64; shift++) {
		check_number(&buf, (1ull << shift) - 1);
		check_number(&buf, 1ull << shift);
	}
	check_number(&buf, 10000000000000000000ull);
	check_number(&buf, 9999999999999999999ull);
	check_number(&buf, UINT64_MAX);
	check_number(&buf, (uint64_t)INT64_MIN);
	buffer_fini(&buf);
}

static void test_digits_have_zeros_in_front(void **state)
{
	struct buffer buf;

	(void)state;
	buffer_init(&buf);
	buffer_digits(&buf, 7, 9);
	assert_buffer(&buf, "000000007");
	buffer_digits(&buf, 123456789, 9);
	assert_buffer(&buf, "123456789");
	buffer_digits(&buf, 5, 2);
	buffer_digits(&buf, 5, 1);
	assert_buffer(&buf, "055");
	buffer_fini(&buf);
}

static void test_format_of_any_length(void **state)
{
	char longest[1000];
	struct buffer buf;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	buffer_init(&buf);
	buffer_format(&buf, "%s", longest);
	assert_buffer(&buf, longest);
	buffer_format(&buf, "%d %s", 1, "a");
	assert_buffer(&buf, "1 a");
	buffer_fini(&buf);
}

static void check_json(struct buffer *buf, const char *text, size_t len, const char *expected)
{
	buffer_json_text(buf, text, len);
	assert_buffer(buf, expected);
}

static void test_json_escapes(void **state)
{
	struct buffer buf;

	(void)state;
	buffer_init(&buf);
	check_json(&buf, "plain", 5, "plain");
	check_json(&buf, "a\"b\\c\n\t", 7, "a\\\"b\\\\c\\n\\t");
	check_json(&buf, "\0\x1b\x7f", 3, "\\u0000\\u001b\\u007f");
	check_json(&buf, "", 0, "");
	check_json(&buf, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		   "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	buffer_fini(&buf);
}

/* Overlong forms, surrogates, beyond U+10FFFF, lone and missing continuations. */
static void test_json_replaces_what_is_not_utf8(void **state)
{
	struct buffer buf;

	(void)state;
	buffer_init(&buf);
	check_json(&buf, "a\xff", 2, "a\xef\xbf\xbd");
	check_json(&buf, "\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	check_json(&buf, "\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_json(&buf, "\xe0\x80\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_json(&buf, "\xf4\x90", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	check_json(&buf, "\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	check_json(&buf, "\xc3z", 2, "\xef\xbf\xbdz");
	buffer_fini(&buf);
}

static void test_no_memory_is_sticky(void **state)
{
	struct buffer buf;

	(void)state;
	buffer_init(&buf);
	buffer_char(&buf, 'a');
	assert_null(buffer_reserve(&buf, SIZE_MAX - 10));
	assert_int_equal(buffer_error(&buf), -ENOMEM);
	buffer_string(&buf, "more");
	buffer_uint(&buf, 3);
	assert_int_equal(buf.len, 1);
	buffer_reset(&buf);
	assert_int_equal(buffer_error(&buf), 0);
	buffer_fini(&buf);
}

static void test_a_list_has_each_name_once(void **state)
{
	static const char *const names[] = {"p50", "p5", "", "p50", "ret", "p5", "et", "ret"};
	struct buffer buf;

	(void)state;
	buffer_init(&buf);
	buffer_string(&buf, "ret: ");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		buffer_list(&buf, 5, names[i]);
	buffer_char(&buf, 0);
	assert_string_equal(buf.data, "ret: p50, p5, ret, et");
	buffer_fini(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appends_grow),
		cmocka_unit_test(test_numbers_are_printf_s),
		cmocka_unit_test(test_digits_have_zeros_in_front),
		cmocka_unit_test(test_format_of_any_length),
		cmocka_unit_test(test_json_escapes),
		cmocka_unit_test(test_json_replaces_what_is_not_utf8),
		cmocka_unit_test(test_a_list_has_each_name_once),
		cmocka_unit_test(test_no_memory_is_sticky),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
