// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/select.h"

#include <errno.h>

#include "base/diag.h"
#include "view_fixture.h"

static void test_classes(void **state)
{
	struct diag diag = {0};
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys.enter,tcp");
	assert_true(select_shows(&f.select, f.classes[FIXTURE_ENTER]));
	assert_true(select_shows(&f.select, f.classes[FIXTURE_TCP]));
	assert_false(select_shows(&f.select, f.classes[FIXTURE_EXIT]));
	assert_true(select_shows(&f.select, f.classes[FIXTURE_LOST]));
	assert_true(select_any(&f.select, &f.info));

	select_add_pattern(&f.select, "disk.*", NULL);
	assert_int_equal(select_bind(&f.select, &f.info, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "'disk.*'"));
	assert_non_null(strstr(diag.text, "sched.switch"));
	assert_true(select_any(&f.select, &f.info));
	fixture_fini(&f);
}

static void test_nothing_matches(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	select_add_pattern(&f.select, "disk", NULL);
	assert_int_equal(select_bind(&f.select, &f.info, NULL), -ENOENT);
	assert_false(select_any(&f.select, &f.info));
	fixture_fini(&f);
}

static void cut(struct fixture *f, size_t first, size_t end)
{
	size_t got_first, got_end;

	select_cut(&f->select, f->events, f->count, &got_first, &got_end);
	got_end = got_first + select_count(&f->select, f->events + got_first, got_end - got_first);
	assert_int_equal(got_first, first);
	assert_int_equal(got_end, end);
}

static void add_events(struct fixture *f)
{
	int i;

	for (i = 0; i < 10; i++)
		fixture_exit(f, i * 100, 1, 39, 0);
	fixture_lost(f, 1000, 0, 5, 0, 0);
}

static void test_time(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys");
	assert_int_equal(select_parse_time("--from", "+250ns", &f.select.from, NULL), 0);
	assert_int_equal(select_parse_time("--from", "soon", &f.select.from, NULL), -EINVAL);
	f.select.to = (struct time_point){TIME_POINT_SINCE_FIRST, 500};
	add_events(&f);
	cut(&f, 3, 6);
	assert_true(f.select.done);
	assert_int_equal(f.select.matched, 3);
	assert_int_equal(f.select.lost, 0);
	fixture_fini(&f);
}

static void test_limit(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, "sys");
	f.select.limit = 12;
	add_events(&f);
	cut(&f, 0, 11);
	assert_false(f.select.done);
	assert_int_equal(f.select.lost, 5);
	cut(&f, 0, 2);
	assert_true(f.select.done);
	assert_int_equal(f.select.matched, 12);
	fixture_fini(&f);
}

static void test_limit_text(void **state)
{
	uint64_t limit;

	(void)state;
	assert_int_equal(select_parse_limit("-n", "12", &limit, NULL), 0);
	assert_int_equal(limit, 12);
	assert_int_equal(select_parse_limit("-n", "0", &limit, NULL), -EINVAL);
	assert_int_equal(select_parse_limit("-n", "-1", &limit, NULL), -EINVAL);
	assert_int_equal(select_parse_limit("-n", "1x", &limit, NULL), -EINVAL);
}

static void test_cpus(void **state)
{
	struct diag diag = {0};
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_exit(&f, 0, 7, 39, 0); /* on CPU 1 */
	assert_true(select_has_cpu(&f.select, &f.events[0]));
	assert_int_equal(select_parse_cpus(&f.select, "0", NULL), 0);
	assert_false(select_has_cpu(&f.select, &f.events[0]));
	assert_int_equal(select_parse_cpus(&f.select, "1-2", NULL), 0); /* adds up */
	assert_true(select_has_cpu(&f.select, &f.events[0]));
	assert_int_equal(select_parse_cpus(&f.select, "x", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "'x' is not a list of CPUs"));
	assert_int_equal(select_parse_cpus(&f.select, "9000", &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "0 to 8191"));
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),	   cmocka_unit_test(test_nothing_matches),
		cmocka_unit_test(test_time),	   cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_text), cmocka_unit_test(test_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
