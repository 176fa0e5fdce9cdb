// SPDX-License-Identifier: BSD-2-Clause
#include "lib_fixture.h"

#include <errno.h>

/* Of six events: 1, all, 2, 3, all, 4. */
static struct lib_fixture *open_six(void **state)
{
	struct lib_fixture *fix = *state;

	fixture_add_other(fix, 1);
	fixture_add_all(fix);
	fixture_add_other(fix, 2);
	fixture_add_other(fix, 3);
	fixture_add_all(fix);
	fixture_add_other(fix, 4);
	fixture_open(fix, 5, 0);
	return fix;
}

/* All that comes, as a text: the value, "a" for all, "L" for losses. */
static void expect(struct lib_fixture *fix, const char *wanted)
{
	char text[32] = "";
	const struct sonde_event *event;
	size_t len = 0;
	int got;

	while ((got = sonde_next(fix->source, &event, NULL)) > 0) {
		uint64_t value = sonde_event_uint(event, "value");

		text[len++] = sonde_event_is_lost(event) ? 'L' : value ? (char)('0' + value) : 'a';
	}
	assert_int_equal(got, 0);
	assert_string_equal(text, wanted);
}

static void test_nothing_asked(void **state)
{
	expect(open_six(state), "L1a23a4");
}

static void test_patterns(void **state)
{
	struct lib_fixture *fix = open_six(state);

	assert_int_equal(sonde_filter_events(fix->source, "group", NULL), 0);
	expect(fix, "L1234");
}

static void test_patterns_add_up(void **state)
{
	struct lib_fixture *fix = open_six(state);

	assert_int_equal(sonde_filter_events(fix->source, "group.*", NULL), 0);
	assert_int_equal(sonde_filter_events(fix->source, "al?", NULL), 0);
	expect(fix, "L1a23a4");
}

static void test_a_pattern_of_nothing(void **state)
{
	struct lib_fixture *fix = open_six(state);
	struct sonde_error error;

	assert_int_equal(sonde_filter_events(fix->source, "all", NULL), 0);
	assert_int_equal(sonde_filter_events(fix->source, "group,tcp", &error), -ENOENT);
	assert_non_null(strstr(error.text, "'tcp'"));
	expect(fix, "Laa");
}

static void test_too_many_patterns(void **state)
{
	struct lib_fixture *fix = open_six(state);
	struct sonde_error error;
	int err = 0;

	for (int i = 0; !err && i < 1000; i++)
		err = sonde_filter_events(fix->source, "all", &error);
	assert_int_equal(err, -E2BIG);
	expect(fix, "Laa");
}

static void test_where(void **state)
{
	struct lib_fixture *fix = open_six(state);

	assert_int_equal(sonde_filter_where(fix->source, "value > || peer == 192.0.2.9", NULL),
			 -EINVAL); /* more than what? */
	assert_int_equal(sonde_filter_where(fix->source, "value > 2 || peer == 192.0.2.9", NULL),
			 0);
	assert_int_equal(sonde_filter_where(fix->source, "value", NULL), -EEXIST);
	expect(fix, "La3a4");
}

static void test_where_says_where(void **state)
{
	struct lib_fixture *fix = open_six(state);
	struct sonde_error error;

	assert_int_equal(sonde_filter_where(fix->source, "value > > 2", &error), -EINVAL);
	assert_int_equal(error.offset, 8);
	assert_int_equal(sonde_filter_where(fix->source, "value > 2 && valeu", &error), -ENOENT);
	assert_int_equal(error.offset, 13);
	assert_non_null(strstr(error.text, "valeu"));
	expect(fix, "L1a23a4");
}

static void test_cpus(void **state)
{
	struct lib_fixture *fix = open_six(state);
	struct sonde_error error;

	assert_int_equal(sonde_filter_cpus(fix->source, "0-x", &error), -EINVAL);
	assert_non_null(strstr(error.text, "'0-x'"));
	assert_int_equal(sonde_filter_cpus(fix->source, "0-2", NULL), 0);
	assert_int_equal(sonde_filter_where(fix->source, "time > 0", NULL), 0);
	expect(fix, "");
}

static void test_cpus_add_up(void **state)
{
	struct lib_fixture *fix = open_six(state);

	assert_int_equal(sonde_filter_cpus(fix->source, "0-2", NULL), 0);
	assert_int_equal(sonde_filter_cpus(fix->source, "3", NULL), 0);
	expect(fix, "L1a23a4");
}

static void test_times(void **state)
{
	struct lib_fixture *fix = open_six(state);
	struct sonde_error error;

	assert_int_equal(sonde_filter_from(fix->source, "soon", &error), -EINVAL);
	assert_non_null(strstr(error.text, "soon"));
	assert_int_equal(sonde_filter_from(fix->source, "+1s", NULL), 0);
	assert_int_equal(sonde_filter_to(fix->source, "+3s", NULL), 0);
	expect(fix, "a23");
}

static void test_span(void **state)
{
	struct lib_fixture *fix = open_six(state);

	assert_int_equal(sonde_filter_span(fix->source, FIXTURE_FIRST_NS + 2 * FIXTURE_SECOND,
					   FIXTURE_FIRST_NS + 4 * FIXTURE_SECOND, NULL),
			 0);
	expect(fix, "23a");
}

static void test_all_together(void **state)
{
	struct lib_fixture *fix = open_six(state);

	assert_int_equal(sonde_filter_events(fix->source, "group", NULL), 0);
	assert_int_equal(sonde_filter_where(fix->source, "value != 3", NULL), 0);
	assert_int_equal(sonde_filter_from(fix->source, "+1s", NULL), 0);
	expect(fix, "24");
}

static void test_too_late(void **state)
{
	struct lib_fixture *fix = open_six(state);
	struct sonde_error error;

	(void)fixture_next(fix);
	assert_int_equal(sonde_filter_events(fix->source, "all", &error), -EBUSY);
	assert_int_not_equal(strlen(error.text), 0);
	assert_int_equal(sonde_filter_where(fix->source, "value", NULL), -EBUSY);
	assert_int_equal(sonde_filter_cpus(fix->source, "3", NULL), -EBUSY);
	assert_int_equal(sonde_filter_from(fix->source, "+1s", NULL), -EBUSY);
	assert_int_equal(sonde_filter_to(fix->source, "+1s", NULL), -EBUSY);
	assert_int_equal(sonde_filter_span(fix->source, 0, 1, NULL), -EBUSY);
	expect(fix, "1a23a4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_nothing_asked),
		FIXTURE_TEST(test_patterns),
		FIXTURE_TEST(test_patterns_add_up),
		FIXTURE_TEST(test_a_pattern_of_nothing),
		FIXTURE_TEST(test_too_many_patterns),
		FIXTURE_TEST(test_where),
		FIXTURE_TEST(test_where_says_where),
		FIXTURE_TEST(test_cpus),
		FIXTURE_TEST(test_cpus_add_up),
		FIXTURE_TEST(test_times),
		FIXTURE_TEST(test_span),
		FIXTURE_TEST(test_all_together),
		FIXTURE_TEST(test_too_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
