// SPDX-License-Identifier: BSD-2-Clause
#include "base/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(escape_write escape, const char *in, const char *expected)
{
	char out[256];

	*escape(out, in, strlen(in)) = '\0';
	assert_string_equal(out, expected);
}

static void test_terminal(void **state)
{
	(void)state;
	check(escape_terminal, "plain", "plain");
	check(escape_terminal, "\x1b]0;x\x07", "\\x1b]0;x\\x07");
	check(escape_terminal, "\"\\\n\t\r\x7f", "\\\"\\\\\\n\\t\\r\\x7f");
	check(escape_terminal, "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
	check(escape_terminal, "\xc2\x9b", "\\xc2\\x9b"); /* CSI in 8 bits */
	check(escape_terminal, "\xe2\x82", "\\xe2\\x82");
	check(escape_terminal, "\xc0\x80", "\\xc0\\x80"); /* overlong */
	check(escape_terminal, "\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
	check(escape_terminal, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
}

/* U+202E reverses what follows it on a screen, U+2066 begins an isolate. */
static void test_what_reorders(void **state)
{
	(void)state;
	check(escape_terminal,
	      "a\xe2\x80\xae"
	      "b",
	      "a\\xe2\\x80\\xae"
	      "b");
	check(escape_terminal, "\xe2\x81\xa6", "\\xe2\\x81\\xa6");
	check(escape_terminal, "\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x80\xa7\xe2\x80\xaf");
	check(escape_json, "a\xe2\x80\xae\xe2\x81\xa9\xe2\x80\xa8", "a\\u202e\\u2069\\u2028");
	check(escape_tsv, "\xe2\x80\xae", "\\xe2\\x80\\xae");
	check(escape_csv, "\xe2\x80\xae,", "\"\\xe2\\x80\\xae,\"");
}

static void test_formulas(void **state)
{
	(void)state;
	check(escape_csv, "=1+1", "=1+1");
	check(escape_csv_safe, "=1+1", "'=1+1");
	check(escape_csv_safe, "=\"a\",b", "\"'=\"\"a\"\",b\"");
	check(escape_csv_safe, "a=1", "a=1");
	check(escape_csv_safe, "", "");
	check(escape_csv_safe, "\t=1", "'\t=1");
	check(escape_tsv_safe, "@x", "'@x");
	check(escape_tsv_safe, "-x\t", "'-x\\t");
	check(escape_tsv_safe, "+x", "'+x");
}

static void test_json(void **state)
{
	(void)state;
	check(escape_json, "a\"b\\c\n\x01\x7f", "a\\\"b\\\\c\\n\\u0001\\u007f");
	check(escape_json, "\xc2\x9b\xc2\xa0", "\\u009b\xc2\xa0");
	check(escape_json, "\xff\xc3\xa9\xc3", "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd");
}

static void test_separated_values(void **state)
{
	(void)state;
	check(escape_tsv, "a\tb\nc\\d\"\x1b", "a\\tb\\nc\\\\d\"\\x1b");
	check(escape_csv, "plain", "plain");
	check(escape_csv, "a,b", "\"a,b\"");
	check(escape_csv, "say \"hi\"", "\"say \"\"hi\"\"\"");
	check(escape_csv, "two\nlines", "\"two\nlines\"");
	check(escape_csv, "\x1b", "\\x1b");
	check(escape_csv, "\xff,\xc3", "\"\\xff,\\xc3\""); /* no UTF-8 */
	check(escape_tsv, "\xff\xc3\xa9", "\\xff\xc3\xa9");
	check(escape_csv, "\xc2\x9b\xc2\xa0\xe2\x82\xac", "\\xc2\\x9b\xc2\xa0\xe2\x82\xac");
	check(escape_tsv, "\xc2\x9b\xc2\xa0\xe2\x82\xac", "\\xc2\\x9b\xc2\xa0\xe2\x82\xac");
}

static void test_blank(void **state)
{
	char text[] = "a\n\x1b[1m \xe2\x82\xac \xc2\x9b \x9b \xe2\x82 \xe2\x80\xae.";

	(void)state;
	escape_blank(text);
	assert_string_equal(text, "a??[1m \xe2\x82\xac ?? ? ?? ???.");
}

static void test_no_byte_grows_beyond_the_factor(void **state)
{
	static const escape_write all[] = {escape_terminal, escape_json,     escape_tsv,
					   escape_csv,	    escape_csv_safe, escape_tsv_safe};
	char out[ESCAPE_FACTOR + 3], in;
	size_t i;
	int c;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (c = 0; c < 256; c++) {
			in = (char)c;
			assert_true((size_t)(all[i](out, &in, 1) - out) <= sizeof(out));
		}
}

static void test_plain(void **state)
{
	(void)state;
	assert_true(escape_is_plain("kworker/0:1", 11));
	assert_false(escape_is_plain("a\x1b", 2));
	assert_false(escape_is_plain("\xc3\xa9", 2));
}

/* Each byte at each place of texts of all lengths around those that are looked at in one piece. */
static void test_plain_wherever_it_stands(void **state)
{
	char text[50], c;

	(void)state;
	for (int byte = 0; byte < 256; byte++) {
		c = (char)byte;
		for (size_t len = 1; len <= sizeof(text); len++)
			for (size_t at = 0; at < len; at++) {
				memset(text, 'a', sizeof(text));
				text[at] = c;
				assert_int_equal(escape_is_plain(text, len),
						 escape_is_plain(&c, 1));
				if (at + 1 < len)
					assert_true(escape_is_plain(text, at));
			}
	}
}

static void test_name(void **state)
{
	char long_name[200];

	(void)state;
	assert_string_equal(escape_name("a\033[2J").text, "a\\x1b[2J");
	memset(long_name, '\n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(strlen(escape_name(long_name).text), 2 * ESCAPE_NAME_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_what_reorders),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_separated_values),
		cmocka_unit_test(test_blank),
		cmocka_unit_test(test_no_byte_grows_beyond_the_factor),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_plain_wherever_it_stands),
		cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
