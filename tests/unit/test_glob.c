// SPDX-License-Identifier: BSD-2-Clause
#include "base/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool match(const char *pattern, const char *text)
{
	return glob_match(pattern, strlen(pattern), text, strlen(text));
}

static void plain_texts_are_equal(void **state)
{
	(void)state;
	assert_true(match("", ""));
	assert_true(match("tcp.ack", "tcp.ack"));
	assert_false(match("tcp.ack", "tcp.acks"));
	assert_false(match("tcp.acks", "tcp.ack"));
	assert_false(match("", "x"));
}

static void a_star_takes_any_text(void **state)
{
	(void)state;
	assert_true(match("*", ""));
	assert_true(match("tcp.*", "tcp.ack"));
	assert_true(match("*ack", "tcp.ack"));
	assert_true(match("t*p*k", "tcp.ack"));
	assert_true(match("a**b", "axxb"));
	assert_true(match("*ab", "aab"));
	assert_false(match("*ab", "aba"));
	assert_false(match("tcp.*", "udp.send"));
}

static void one_byte(void **state)
{
	(void)state;
	assert_true(match("t?p", "tcp"));
	assert_false(match("t?p", "tp"));
	assert_true(match("cpu[0-3]", "cpu2"));
	assert_false(match("cpu[0-3]", "cpu4"));
	assert_true(match("cpu[!0-3]", "cpu4"));
	assert_false(match("cpu[!0-3]", "cpu3"));
	assert_true(match("[]]", "]"));
	assert_true(match("[a-]", "-"));
	assert_true(match("[ab", "[ab"));
}

static void a_backslash_takes_the_next_as_it_is(void **state)
{
	(void)state;
	assert_true(match("a\\*b", "a*b"));
	assert_false(match("a\\*b", "axb"));
	assert_true(match("\\[a]", "[a]"));
	assert_true(match("a\\", "a\\"));
}

/* Exactly as many bytes as told: there is no NUL to be found. */
static void lengths_hold(void **state)
{
	char *text = malloc(3), *pattern = malloc(2);

	(void)state;
	memcpy(text, "abc", 3);
	memcpy(pattern, "a*", 2);
	assert_true(glob_match(pattern, 2, text, 3));
	assert_false(glob_match(pattern, 1, text, 3));
	assert_true(glob_match(pattern, 1, text, 1));
	pattern[0] = '[';
	pattern[1] = '!';
	assert_false(glob_match(pattern, 2, text, 3));
	free(text);
	free(pattern);
}

/* Would take 2^30 steps where each star tries everything. */
static void many_stars_end(void **state)
{
	char text[2000], pattern[200];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(pattern); i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[sizeof(pattern) - 1] = 'b';
	assert_false(glob_match(pattern, sizeof(pattern), text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_texts_are_equal),
		cmocka_unit_test(a_star_takes_any_text),
		cmocka_unit_test(one_byte),
		cmocka_unit_test(a_backslash_takes_the_next_as_it_is),
		cmocka_unit_test(lengths_hold),
		cmocka_unit_test(many_stars_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
