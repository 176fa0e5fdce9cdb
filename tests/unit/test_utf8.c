// SPDX-License-Identifier: BSD-2-Clause
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

static void every_character_comes_back(void **state)
{
	(void)state;
	for (uint32_t c = 0x20; c < 0x110000; c++) {
		char text[UTF8_BYTES + 1] = "", *end = utf8_put(text, c);
		const char *at = text;
		bool surrogate = c >= 0xd800 && c < 0xe000, control = c >= 0x7f && c < 0xa0;
		bool reorders = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
		bool ends_line = c == 0x2028 || c == 0x2029;

		*end = '\0';
		if (surrogate || control || reorders || ends_line) {
			assert_int_equal(utf8_next(&at), UTF8_REPLACEMENT);
			continue;
		}
		assert_int_equal(utf8_next(&at), c);
		assert_ptr_equal(at, end);
		assert_int_equal(utf8_next(&at), 0);
		assert_ptr_equal(at, end);
	}
}

static void what_is_no_character_is_replaced_byte_by_byte(void **state)
{
	const char *at = "a\xc0\x80"
			 "b\xe2\x82"
			 "\n\xf5";
	static const uint32_t expected[] = {'a',    0xfffd, 0xfffd, 'b', 0xfffd,
					    0xfffd, 0xfffd, 0xfffd, 0};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		assert_int_equal(utf8_next(&at), expected[i]);
}

static void a_character_that_is_cut_has_no_length(void **state)
{
	const uint8_t *euro = (const uint8_t *)"\xe2\x82\xac";

	(void)state;
	assert_int_equal(utf8_length(euro, 3), 3);
	assert_int_equal(utf8_length(euro, 2), 0);
	assert_int_equal(utf8_length((const uint8_t *)"\xed\xa0\x80", 3), 0);
	assert_int_equal(utf8_length((const uint8_t *)"\xf0\x8f\xbf\xbf", 4), 0);
	assert_int_equal(utf8_length((const uint8_t *)"x", 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_character_comes_back),
		cmocka_unit_test(what_is_no_character_is_replaced_byte_by_byte),
		cmocka_unit_test(a_character_that_is_cut_has_no_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
