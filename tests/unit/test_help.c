// SPDX-License-Identifier: BSD-2-Clause
#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"

static const struct option_spec table[] = {
	{'e', "event", "PATTERN", "what to record: a glob over names", "@measurements"},
	{'v', "verbose", NULL, "say more\nand more", NULL},
	{256, "serve", "[ADDR]", "let viewers in", NULL},
	{257, "a-very-long-option-name", "ARGUMENT", "short text", NULL},
	{0},
};

static void check_help_of(const struct verb_spec *spec, bool all, unsigned int width,
			  const char *expected)
{
	struct buffer out;

	buffer_init(&out);
	options_help(spec, all, width, &out);
	buffer_char(&out, '\0');
	assert_int_equal(buffer_error(&out), 0);
	assert_string_equal(out.data, expected);
	buffer_fini(&out);
}

static void check_help(const struct verb_spec *spec, unsigned int width, const char *expected)
{
	check_help_of(spec, false, width, expected);
}

/* Those come in the order of the list, and the rest only where all are asked for. */
static void test_common_options(void **state)
{
	const struct verb_spec spec = {
		.name = "test",
		.summary = "Test.",
		.options = table,
		.common = "serve event",
		.operands = "Things:\n  one  a thing",
		.notes = "A note.",
	};

	(void)state;
	check_help(&spec, 60,
		   "Usage: sonde test\n\nTest.\n\nThings:\n  one  a thing\n\nCommon options:\n"
		   "      --serve[=ADDR]   let viewers in\n"
		   "  -e, --event PATTERN  what to record: a glob over names\n"
		   "  -h, --help           print this help\n"
		   "      --help-all       print all options, and the exit\n"
		   "                       statuses\n");
	check_help_of(&spec, true, 60,
		      "Usage: sonde test\n\nTest.\n\nThings:\n  one  a thing\n\nOptions:\n"
		      "  -e, --event PATTERN  what to record: a glob over names\n"
		      "  -v, --verbose        say more\n"
		      "                       and more\n"
		      "      --serve[=ADDR]   let viewers in\n"
		      "      --a-very-long-option-name ARGUMENT\n"
		      "                       short text\n"
		      "  -h, --help           print this help\n"
		      "      --help-all       print all options, and the exit\n"
		      "                       statuses\n"
		      "\n"
		      "A note.\n");
}

static void test_columns_are_aligned(void **state)
{
	const struct verb_spec spec = {
		.name = "test",
		.synopsis = "[OPTIONS] SOURCE",
		.summary = "Test a thing.",
		.notes =
			"Exit status:\n  0  all went well and there is a lot to say\n  1  not\n\nA paragraph\nis filled.",
		.examples = "sonde test T\nsonde test -v T",
		.options = table,
	};

	(void)state;
	check_help(&spec, 40,
		   "Usage: sonde test [OPTIONS] SOURCE\n"
		   "\n"
		   "Test a thing.\n"
		   "\n"
		   "Options:\n"
		   "  -e, --event PATTERN  what to record: a\n"
		   "                       glob over names\n"
		   "  -v, --verbose        say more\n"
		   "                       and more\n"
		   "      --serve[=ADDR]   let viewers in\n"
		   "      --a-very-long-option-name ARGUMENT\n"
		   "                       short text\n"
		   "  -h, --help           print this help\n"
		   "\n"
		   "Exit status:\n"
		   "  0  all went well and there is a lot to\n"
		   "     say\n"
		   "  1  not\n"
		   "\n"
		   "A paragraph is filled.\n"
		   "\n"
		   "Examples:\n"
		   "  sonde test T\n"
		   "  sonde test -v T\n");
}

static void test_options_of_others_come_behind(void **state)
{
	static const struct option_spec own[] = {{'v', "verbose", NULL, "say more", NULL}, {0}};
	const struct verb_spec spec = {
		.name = "test", .summary = "Test.", .options = own, .shared = table + 2};

	(void)state;
	check_help(&spec, 60,
		   "Usage: sonde test\n\nTest.\n\nOptions:\n"
		   "  -v, --verbose       say more\n"
		   "      --serve[=ADDR]  let viewers in\n"
		   "      --a-very-long-option-name ARGUMENT\n"
		   "                      short text\n"
		   "  -h, --help          print this help\n");
	assert_string_equal(options_at(&spec, 1)->name, "serve");
	assert_null(options_at(&spec, 3));
}

static void test_nothing_but_help(void **state)
{
	const struct verb_spec spec = {.name = "none", .summary = "Do nothing."};

	(void)state;
	check_help(&spec, 0,
		   "Usage: sonde none\n\nDo nothing.\n\nOptions:\n  -h, --help  print this help\n");
}

static bool one_of_two(int id, size_t i, struct option_choice *ret)
{
	static const struct option_choice both[] = {{"text", "for people"},
						    {"json", "for programs"}};

	assert_int_equal(id, 'f');
	if (i < 2)
		*ret = both[i];
	return i < 2;
}

static void test_choices_of_a_table(void **state)
{
	static const struct option_spec options[] = {
		{'f', "format", "FORMAT", "how", OPTION_TABLE},
		{0},
	};
	const struct verb_spec spec = {
		.name = "test", .summary = "Test.", .options = options, .choice = one_of_two};

	(void)state;
	check_help(&spec, 60,
		   "Usage: sonde test\n\nTest.\n\nOptions:\n"
		   "  -f, --format FORMAT  how: text (for people), json (for\n"
		   "                       programs)\n"
		   "  -h, --help           print this help\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_aligned),
		cmocka_unit_test(test_common_options),
		cmocka_unit_test(test_options_of_others_come_behind),
		cmocka_unit_test(test_nothing_but_help),
		cmocka_unit_test(test_choices_of_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
