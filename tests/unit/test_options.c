// SPDX-License-Identifier: BSD-2-Clause
#include "base/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

enum { OPT_SERVE = 256, OPT_FORMAT };

static const struct option_spec table[] = {
	{'e', "event", "PATTERN", "what to record", "@measurements"},
	{'v', "verbose", NULL, "say more", NULL},
	{OPT_SERVE, "serve", "[ADDR]", "let viewers in", NULL},
	{OPT_FORMAT, "format", "FORMAT", "how to write", "text json"},
	{'F', "format-more", NULL, "more", NULL},
	{0},
};
static const struct option_old old[] = {{"-y", "format"}, {"--quiet", "verbose"}, {0}};
static const struct verb_spec spec = {.name = "test",
				      .summary = "A test.",
				      .options = table,
				      .old = old};

/* Parses @line, cut at blanks, and writes what options_next gave: "e=tcp.* v" and operands. */
static int parse(const char *line, char *result, struct diag *diag)
{
	char copy[256], *argv[16], *next = copy, *word;
	struct options *opts;
	int argc = 0, id, err, count;
	const char *arg;
	char **rest;

	strcpy(copy, line);
	while ((word = strsep(&next, " ")))
		argv[argc++] = word;
	argv[argc] = NULL;
	result[0] = '\0';
	opts = options_new(&spec, argc, argv);
	assert_non_null(opts);
	while ((err = options_next(opts, &id, &arg, diag)) == 1) {
		char text[64];

		snprintf(text, sizeof(text), id < 256 ? "%c=%s " : "%d=%s ", id, arg ?: "-");
		strcat(result, text);
		if (options_note(opts))
			strcat(result, "! ");
	}
	for (rest = options_rest(opts, &count); !err && *rest; rest++, count--) {
		strcat(result, *rest);
		strcat(result, " ");
	}
	if (!err)
		assert_int_equal(count, 0);
	options_free(opts);
	return err;
}

static void check_parse(const char *line, const char *expected)
{
	char result[256];

	assert_int_equal(parse(line, result, NULL), 0);
	assert_string_equal(result, expected);
}

static void check_error(const char *line, const char *expected)
{
	struct diag diag = {0};
	char result[256];

	assert_int_equal(parse(line, result, &diag), -EINVAL);
	assert_string_equal(diag.text, expected);
}

static void test_options_and_operands(void **state)
{
	(void)state;
	check_parse("test", "");
	check_parse("test -e tcp.* -v", "e=tcp.* v=- ");
	check_parse("test -etcp.* --event=b --event c", "e=tcp.* e=b e=c ");
	check_parse("test a -v b", "v=- a b ");
	check_parse("test -v -- -e x", "v=- -e x ");
	check_parse("test --serve x --serve=y", "256=- 256=y x ");
	check_parse("test --verb --ser=x", "v=- 256=x ");
	check_parse("test -", "- ");
}

/* Old spellings are understood, and marked; nothing else is. */
static void test_old_spellings(void **state)
{
	(void)state;
	check_parse("test -y json -v", "257=json ! v=- ");
	check_parse("test -yjson --quiet --verbose", "257=json ! v=- ! v=- ");
	check_error("test -y", "option '--format' needs an argument: FORMAT");
	check_error("test --quiet=1", "option '--verbose' takes no argument");
	check_error("test --quit", "unknown option '--quit'");
}

static void test_errors_name_the_nearest(void **state)
{
	(void)state;
	check_error("test --evnt x", "unknown option '--evnt': did you mean '--event'?");
	check_error("test --evnt=x", "unknown option '--evnt': did you mean '--event'?");
	check_error("test --zzzzz", "unknown option '--zzzzz'");
	check_error("test -x", "unknown option '-x'");
	check_error("test -vx", "unknown option '-x'");
	check_error("test --event", "option '--event' needs an argument: PATTERN");
	check_error("test -e", "option '--event' needs an argument: PATTERN");
	check_error("test --verbose=3", "option '--verbose' takes no argument");
	check_error("test --fo x", "option '--fo' may mean '--format' or '--format-more'");
}

/* What tools take that work on one file. */
static void test_one_operand(void **state)
{
	char name[] = "test", first[] = "a", second[] = "b";
	char *argv[] = {name, first, second, NULL};
	const char *arg, *operand = NULL;
	struct diag diag = {0};
	int id;

	(void)state;
	for (int argc = 1; argc <= 3; argc++) {
		char *end = argv[argc];
		struct options *opts;

		argv[argc] = NULL;
		opts = options_new(&spec, argc, argv);
		assert_non_null(opts);
		assert_int_equal(options_next(opts, &id, &arg, &diag), 0);
		assert_int_equal(options_operand(opts, "FILE", &operand, &diag),
				 argc == 2 ? 0 : -EINVAL);
		options_free(opts);
		argv[argc] = end;
		if (argc == 1)
			assert_string_equal(diag.text, "no FILE given");
	}
	assert_string_equal(operand, "a");
	assert_string_equal(diag.text, "one FILE at a time");
}

static void test_help_is_asked_for(void **state)
{
	char result[256];

	(void)state;
	assert_int_equal(parse("test -h", result, NULL), -ECANCELED);
	assert_int_equal(parse("test --help", result, NULL), -ECANCELED);
	assert_int_equal(parse("test x -v --help", result, NULL), -ECANCELED);
	assert_int_equal(parse("test --help-all", result, NULL), -EINVAL); /* it has no short one */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_and_operands),
		cmocka_unit_test(test_old_spellings),
		cmocka_unit_test(test_errors_name_the_nearest),
		cmocka_unit_test(test_one_operand),
		cmocka_unit_test(test_help_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
