// SPDX-License-Identifier: BSD-2-Clause
#include "record/answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ANSWER                                                                                       \
	"{\"ok\":true,\"name\":\"a \\\"b\\\", {c}\",\"events\":12345678901,\"on\":[\"x\",\"y]\"],\"" \
	"none\":[],\"last\":\"tab\\there\\u001b\"}\n"

static void keys_are_found_in_any_place(void **state)
{
	uint64_t number = 0;
	char text[64];

	(void)state;
	assert_true(answer_flag(ANSWER, "ok"));
	assert_true(answer_number(ANSWER, "events", &number));
	assert_true(number == 12345678901);
	assert_true(answer_text(ANSWER, "name", 0, text, sizeof(text)));
	assert_string_equal(text, "a \"b\", {c}");
	assert_true(answer_text(ANSWER, "last", 0, text, sizeof(text)));
	assert_string_equal(text, "tab\there\x1b");
}

static void lists_have_an_end(void **state)
{
	char text[64];

	(void)state;
	assert_true(answer_text(ANSWER, "on", 0, text, sizeof(text)));
	assert_string_equal(text, "x");
	assert_true(answer_text(ANSWER, "on", 1, text, sizeof(text)));
	assert_string_equal(text, "y]");
	assert_false(answer_text(ANSWER, "on", 2, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_false(answer_text(ANSWER, "none", 0, text, sizeof(text)));
}

static void what_is_not_there_is_not_found(void **state)
{
	uint64_t number = 7;
	char text[8];

	(void)state;
	assert_false(answer_flag(ANSWER, "name"));
	assert_false(answer_flag(ANSWER, "o"));
	assert_false(answer_flag(ANSWER, "okay"));
	assert_false(answer_number(ANSWER, "name", &number));
	assert_false(answer_number(ANSWER, "x", &number));
	assert_int_equal(number, 7);
	assert_false(answer_text(ANSWER, "events", 0, text, sizeof(text)));
}

static void what_has_no_room_is_cut_off(void **state)
{
	char text[4];

	(void)state;
	assert_true(answer_text("{\"a\":\"abcdef\"}", "a", 0, text, sizeof(text)));
	assert_string_equal(text, "abc");
}

static void a_broken_escape_ends_with_its_text(void **state)
{
	char text[64];

	(void)state;
	assert_true(answer_text("{\"a\":\"\\u1\"}", "a", 0, text, sizeof(text)));
	assert_string_equal(text, "u1");
}

/* Each beginning of an answer, and some that are none. */
static void garbage_has_no_keys(void **state)
{
	static const char *const garbage[] = {
		"", "{", "[]", "{\"ok\"", "{\"ok\":", "{ok:true}", "{\"a\":\"\\", "{\"a\":[[[", "}",
	};
	char copy[sizeof(ANSWER)], text[64];
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < sizeof(garbage) / sizeof(*garbage); i++) {
		assert_false(answer_flag(garbage[i], "ok"));
		assert_false(answer_text(garbage[i], "a", 0, text, sizeof(text)));
	}
	for (size_t len = 0; len < sizeof(ANSWER); len++) {
		memcpy(copy, ANSWER, len);
		copy[len] = 0;
		(void)answer_number(copy, "events", &number);
		(void)answer_text(copy, "on", 1, text, sizeof(text));
		(void)answer_text(copy, "last", 0, text, sizeof(text));
		(void)answer_flag(copy, "missing");
	}
}

static void objects_are_answers_of_their_own(void **state)
{
	static const char list[] =
		"{\"a\":1,\"cost\":[ {\"a\":2,\"t\":\"},{\"} , {\"a\":3}],\"b\":4}";
	uint64_t number = 0;
	char copy[sizeof(list)], text[8];

	(void)state;
	assert_true(answer_number(answer_object(list, "cost", 0), "a", &number));
	assert_int_equal(number, 2);
	assert_true(answer_text(answer_object(list, "cost", 0), "t", 0, text, sizeof(text)));
	assert_string_equal(text, "},{");
	assert_true(answer_number(answer_object(list, "cost", 1), "a", &number));
	assert_int_equal(number, 3);
	assert_false(answer_number(answer_object(list, "cost", 1), "b", &number));
	assert_null(answer_object(list, "cost", 2));
	assert_null(answer_object(list, "a", 0));
	assert_null(answer_object(ANSWER, "on", 0));
	assert_null(answer_object(ANSWER, "none", 0));
	for (size_t len = 0; len < sizeof(list); len++) {
		memcpy(copy, list, len);
		copy[len] = 0;
		(void)answer_object(copy, "cost", 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_found_in_any_place),
		cmocka_unit_test(lists_have_an_end),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(what_has_no_room_is_cut_off),
		cmocka_unit_test(a_broken_escape_ends_with_its_text),
		cmocka_unit_test(garbage_has_no_keys),
		cmocka_unit_test(objects_are_answers_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
