// SPDX-License-Identifier: BSD-2-Clause
#include "output/text.h"

#include "output/text_call.h"
#include "view_fixture.h"

#define FRONT 50u /* columns of time, CPU and task */

/* Ends of calls are matched with their beginnings, as `sonde print` has it. */
static void init(struct fixture *f, const char *pattern)
{
	fixture_init(f, pattern);
	f->view.analysis.derived = 1u << DERIVED_DUR;
	f->view.analysis.derives =
		derive_view_renew(NULL, &f->info, f->view.analysis.derived, false);
	assert_non_null(f->view.analysis.derives);
}

static void fini(struct fixture *f)
{
	derive_view_free(f->view.analysis.derives);
	fixture_fini(f);
}

/* What is printed, without the time, CPU and task in front of each line. */
static const char *run_wide(struct fixture *f, unsigned int width)
{
	static char text[8192];
	const struct text_options options = {.time = TIME_STYLE_EPOCH, .width = width};
	const char *line = fixture_run(f, text_new(&f->view, &options));
	char *p = text;

	for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
		size_t skip = *line == '-' ? 0 : FRONT;

		assert_true((size_t)(end - line) > skip);
		p += sprintf(p, "%.*s\n", (int)(end - line - (ptrdiff_t)skip), line + skip);
	}
	assert_string_equal(line, ""); /* the last line has ended */
	*p = '\0';
	return text;
}

static const char *run(struct fixture *f)
{
	return run_wide(f, 0);
}

static void test_a_call_is_a_line(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, NULL);
	fixture_openat(&f, 0, 42, 0);
	fixture_exit(&f, 12345, 42, 257, 3);
	fixture_openat(&f, 20000, 42, 0101);
	fixture_exit(&f, 20999, 42, 257, -2);
	fixture_chdir(&f, 30000, 42, "/tmp\n", 0);
	fixture_exit(&f, 1030000, 42, 80, -512);
	fixture_enter(&f, 2000000, 42, 9, false);
	fixture_exit(&f, 2000000 + 1234567890123, 42, 9, 0x7f0000001000);
	fixture_exit_group(&f, 2000000000000, 42, 7);
	assert_string_equal(
		run(&f),
		"openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY) = 3 <12.3us>\n"
		"openat(AT_FDCWD, 0x7ffd00001000, O_WRONLY|O_CREAT, 0644)"
		" = -1 ENOENT (No such file or directory) <999ns>\n"
		"chdir(\"/tmp\\n\") = ? ERESTARTSYS (To be restarted if SA_RESTART is set) <1.00ms>\n"
		"mmap(0x1, 0x0) = 0x7f0000001000 <1235s>\n"
		"exit_group(7) = ?\n");
	fini(&f);
}

/* The text that an address leads to is shown in its place, if it was recorded. */
static void test_texts(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.chdir");
	fixture_chdir(&f, 0, 42, "/tmp", 0);
	fixture_chdir(&f, 1, 42, "/tm", 1);
	fixture_chdir(&f, 2, 42, "", 2); /* could not be read */
	fixture_chdir(&f, 3, 42, "", 0);
	assert_string_equal(run(&f), "chdir(\"/tmp\")\n"
				     "chdir(\"/tm\"...)\n"
				     "chdir(0x7ffd00001000)\n"
				     "chdir(\"\")\n");
	fixture_fini(&f);
}

/* strace's way: the line of a call that others come into is given up, and resumed. */
static void test_calls_that_overlap(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, NULL);
	fixture_openat(&f, 0, 42, 0);
	fixture_chdir(&f, 1000, 43, "/", 0);
	fixture_exit(&f, 2000, 42, 257, 3);
	fixture_tcp(&f, 2500, 77, 1, 2);
	fixture_exit(&f, 3000, 43, 80, 0);
	assert_non_null(strstr(run(&f),
			       "openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY <unfinished ...>\n"
			       "chdir(\"/\" <unfinished ...>\n"
			       "<... openat resumed>) = 3 <2.00us>\n"
			       "tcp.ack"));
	assert_non_null(strstr(run(&f), "\n<... chdir resumed>) = 0 <2.00us>\n"));
	fini(&f);
}

/* The end of another call, or of none that is known, is not that of the line. */
static void test_one_end_is_missing(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, NULL);
	fixture_exit(&f, 0, 42, 257, 3); /* began before the recording */
	fixture_openat(&f, 1000, 42, 0);
	fixture_exit(&f, 2000, 42, 80, 0);
	fixture_openat(&f, 3000, 42, 0);
	fixture_lost(&f, 3500, 1, 7, 0, 0);
	fixture_exit(&f, 4000, 42, 257, 4);
	fixture_openat(&f, 5000, 42, 0); /* still in it at the end */
	assert_string_equal(run(&f),
			    "<... openat resumed>) = 3\n"
			    "openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY <unfinished ...>\n"
			    "<... chdir resumed>) = 0\n"
			    "openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY <unfinished ...>\n"
			    "--- 7 events lost here on cpu 1 (buffer full) ---\n"
			    "<... openat resumed>) = 4\n"
			    "openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY <unfinished ...>\n");
	fini(&f);
}

/* No end can follow: the line does not wait for one. */
static void test_ends_are_not_shown(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.openat");
	fixture_openat(&f, 0, 42, 0);
	fixture_exit(&f, 1000, 42, 257, 3);
	assert_string_equal(run(&f), "openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY)\n");
	fixture_fini(&f);
}

/* On a terminal the arguments leave room for what follows them. */
static void test_lines_are_cut(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, NULL);
	fixture_openat(&f, 0, 42, 0);
	fixture_exit(&f, 1000, 42, 257, 3);
	fixture_openat(&f, 2000, 42, 0);
	fixture_openat(&f, 3000, 43, 0);
	fixture_exit(&f, 4000, 43, 257, -2);
	assert_string_equal(run_wide(&f, 91), "openat(AT_FDCWD, 0x7...) = 3 <1.00us>\n"
					      "openat(AT_FDCWD, 0x7... <unfinished ...>\n"
					      "openat(AT_FDCWD, 0x7...) = -1 ENOENT (...\n");
	fini(&f);
}

/* Another sink goes on where one has ended: with the next classes of a trace that grows, say. */
static void test_the_line_outlives_its_sink(void **state)
{
	struct call_line line = {0};
	struct fixture f;
	const char *text;

	(void)state;
	init(&f, NULL);
	f.view.line = &line;
	fixture_openat(&f, 0, 42, 0);
	line.kept = true;
	(void)fixture_run(&f, text_new(&f.view, &(struct text_options){.time = TIME_STYLE_EPOCH}));
	assert_true(line.open);
	f.count = 0;
	line.kept = false;
	fixture_exit(&f, 1000, 42, 257, 3);
	text = fixture_run(&f, text_new(&f.view, &(struct text_options){.time = TIME_STYLE_EPOCH}));
	assert_string_equal(text + FRONT,
			    "openat(AT_FDCWD, 0x7ffd00001000, O_RDONLY) = 3 <1.00us>\n");
	assert_false(line.open);
	fini(&f);
}

/* So do threads that share a trace: what the one before has printed last is followed without printing. */
static void test_the_line_is_followed(void **state)
{
	struct call_line line = {0};
	struct fixture f;

	(void)state;
	init(&f, NULL);
	fixture_openat(&f, 0, 42, 0);
	fixture_exit_group(&f, 0, 42, 0);
	fixture_tcp(&f, 0, 1, 2, 3);
	call_line_follow(&line, &f.view, &f.events[0]);
	assert_true(line.open);
	assert_int_equal(line.tid, 42);
	assert_int_equal(line.nr, 257);
	call_line_follow(&line, &f.view, &f.events[1]);
	assert_false(line.open);
	call_line_follow(&line, &f.view, &f.events[0]);
	call_line_follow(&line, &f.view, &f.events[2]);
	assert_false(line.open);
	fini(&f);
}

/* Three digits, rounded; never "1000us". */
static void test_durations(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{0, "<0ns>"},
		{999, "<999ns>"},
		{1000, "<1.00us>"},
		{9994, "<9.99us>"},
		{9995, "<10.0us>"},
		{99949, "<99.9us>"},
		{99950, "<100us>"},
		{999499, "<999us>"},
		{999500, "<1.00ms>"},
		{999499999, "<999ms>"},
		{999500000, "<1.00s>"},
		{12300000000, "<12.3s>"},
		{3600000000000, "<3600s>"},
	};
	struct fixture f;
	int64_t at = 0;
	const char *text;

	(void)state;
	init(&f, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_openat(&f, at, 42, 0);
		fixture_exit(&f, at + cases[i].ns, 42, 257, 3);
		at += cases[i].ns + 1;
	}
	text = run(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *found = strchr(text, '<');

		assert_non_null(found);
		assert_memory_equal(found, cases[i].text, strlen(cases[i].text));
		text = strchr(found, '\n') + 1;
	}
	fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_a_line),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_calls_that_overlap),
		cmocka_unit_test(test_one_end_is_missing),
		cmocka_unit_test(test_ends_are_not_shown),
		cmocka_unit_test(test_lines_are_cut),
		cmocka_unit_test(test_the_line_outlives_its_sink),
		cmocka_unit_test(test_the_line_is_followed),
		cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
