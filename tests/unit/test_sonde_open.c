// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

#include <errno.h>

static void test_says_what_it_is(void **state)
{
	(void)state;
	assert_true(strchr(sonde_version(), '.') != NULL);
	assert_string_equal(sonde_strerror(-ENOENT), "No such file or directory");
	assert_string_equal(sonde_strerror(ENOENT), "No such file or directory");
	assert_string_equal(sonde_strerror(-123456), "unknown error");
}

static void test_what_is_not_there(void **state)
{
	struct sonde_source *source = NULL;
	struct sonde_error error;

	(void)state;
	assert_int_equal(sonde_open("/nowhere/at/all", &source, &error), -ENOENT);
	assert_string_equal(error.text, "/nowhere/at/all: No such file or directory");
	assert_null(source);
	assert_int_equal(sonde_open("/nowhere/at/all", &source, NULL), -ENOENT);
	sonde_close(NULL);
}

static void test_bad_metadata(void **state)
{
	static const char text[] = "/* CTF 1.8 */\ntrace { major = 1;\nminor = };\n";
	struct lib_fixture *fix = *state;
	struct sonde_error error;

	fixture_put_file(fix, "metadata", text, strlen(text));
	assert_true(sonde_open(fix->dir, &fix->source, &error) < 0);
	assert_non_null(strstr(error.text, "/metadata: "));
	assert_int_equal(error.line, 3);
	assert_null(fix->source);
}

static void test_without_events(void **state)
{
	struct lib_fixture *fix = *state;

	fixture_put_file(fix, "metadata", fixture_metadata, strlen(fixture_metadata));
	assert_int_equal(sonde_open(fix->dir, &fix->source, NULL), 0);
	fixture_expect_end(fix);
	fixture_expect_end(fix);
	assert_null(sonde_problem(fix->source, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_says_what_it_is),
		cmocka_unit_test(test_what_is_not_there),
		FIXTURE_TEST(test_bad_metadata),
		FIXTURE_TEST(test_without_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
