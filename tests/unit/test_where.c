// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/where.h"

#include <errno.h>

#include "view_fixture.h"

static void open_where(struct where *where, struct fixture *f, const char *text)
{
	assert_int_equal(where_parse(where, text, NULL), 0);
	assert_int_equal(where_bind(where, &f->info, NULL), 0);
}

/* Which of the fixture's events satisfy @text, as a bit for each. */
static uint64_t matching(struct fixture *f, const char *text)
{
	struct where where;
	uint64_t found = 0;

	open_where(&where, f, text);
	for (size_t i = 0; i < f->count; i++) {
		if (task_names_has(f->view.analysis.names, f->events[i].class))
			task_names_learn(f->view.analysis.names, &f->events[i]);
		if (where_takes(&where, f->events[i].class) &&
		    where_holds(&where, &f->events[i], f->view.analysis.names))
			found |= 1ull << i;
	}
	where_fini(&where);
	return found;
}

static void calls_by_name_and_time(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_enter(&f, 0, 7, 39, false);
	fixture_enter(&f, 10, 8, 0, false);
	fixture_exit(&f, 5000, 8, 0, -11);
	fixture_exit(&f, 2000000, 7, 39, 7);
	fixture_exit(&f, 2000001, 9, 39, 9); /* its beginning is not there */
	assert_int_equal(matching(&f, "sys.exit && dur > 1ms"), 1 << 3);
	assert_int_equal(matching(&f, "dur < 1ms"), 1 << 2);
	assert_int_equal(matching(&f, "sys.exit && !(dur < 1h)"), 1 << 4);
	assert_int_equal(matching(&f, "nr == getpid"), 1 << 0 | 1 << 3 | 1 << 4);
	assert_int_equal(matching(&f, "sys.exit && nr == read && ret == EAGAIN"), 1 << 2);
	fixture_fini(&f);
}

static void names_are_those_of_the_moment(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_enter(&f, 0, 7, 39, false);
	fixture_task(&f, 1, 7, "first");
	fixture_enter(&f, 2, 7, 39, false);
	fixture_task(&f, 3, 7, "second");
	fixture_enter(&f, 4, 7, 39, false);
	assert_int_equal(matching(&f, "sys.enter && comm == first"), 1 << 2);
	fixture_fini(&f);
}

static void a_loss_forgets(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, NULL);
	fixture_enter(&f, 0, 7, 39, false);
	fixture_lost(&f, 1, 0, 3, 0, 0);
	fixture_exit(&f, 2, 7, 39, 0);
	assert_int_equal(matching(&f, "dur >= 0"), 0);
	assert_int_equal(matching(&f, "sonde.lost && count == 3"), 1 << 1);
	fixture_fini(&f);
}

static void classes_that_matter(void **state)
{
	struct fixture f;
	struct where where;

	(void)state;
	fixture_init(&f, NULL);
	open_where(&where, &f, "sys.exit && dur > 1s");
	assert_true(where_takes(&where, f.classes[FIXTURE_ENTER]));
	assert_true(where_takes(&where, f.classes[FIXTURE_EXIT]));
	assert_true(where_takes(&where, f.classes[FIXTURE_LOST]));
	assert_false(where_takes(&where, f.classes[FIXTURE_TCP]));
	assert_int_equal(where_bind(&where, &f.info, NULL), 0); /* again */
	where_fini(&where);
	open_where(&where, &f, "lport == 80");
	assert_false(where_takes(&where, f.classes[FIXTURE_ENTER]));
	assert_true(where_takes(&where, f.classes[FIXTURE_TCP]));
	where_fini(&where);
	assert_int_equal(where_parse(&where, "lprt == 80", NULL), 0);
	assert_int_equal(where_bind(&where, &f.info, NULL), -ENOENT);
	where_fini(&where);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_by_name_and_time),
		cmocka_unit_test(names_are_those_of_the_moment),
		cmocka_unit_test(a_loss_forgets),
		cmocka_unit_test(classes_that_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
