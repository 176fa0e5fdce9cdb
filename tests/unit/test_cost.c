// SPDX-License-Identifier: BSD-2-Clause
#include "record/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "probe/catalogue.h"

#define MS 1000000u

static const struct cost_key first = {.items = {0}, .count = 1};
static const struct cost_key both = {.items = {0, 1}, .count = 2};
static const struct cost_key follow = {.service = "follow"};

static int set_up(void **state)
{
	static struct cost cost;

	cost_init(&cost, 2, 30);
	*state = &cost;
	return 0;
}

static int tear_down(void **state)
{
	cost_fini(*state);
	return 0;
}

static void what_counting_takes_comes_off(void **state)
{
	struct cost *cost = *state;

	cost_begin(cost, 10 * MS);
	assert_int_equal(cost_add(cost, &first, 1000, 130 * 1000), 0);
	assert_int_equal(cost_add(cost, &follow, 1000, 20 * 1000), 0); /* less than that: nothing */
	assert_int_equal(cost->count, 2);
	assert_int_equal(cost->rows[0].all.runs, 1000);
	assert_int_equal(cost->rows[0].all.run_ns, 100 * 1000);
	assert_int_equal(cost->rows[1].all.run_ns, 0);
	assert_true(cost_load(&cost->rows[0].all) > 0.00999);
	assert_true(cost_load(&cost->rows[0].all) < 0.01001);
}

static void programs_of_one_measurement_share_the_window(void **state)
{
	struct cost *cost = *state;

	cost_begin(cost, 10 * MS);
	assert_int_equal(cost_add(cost, &first, 100, 100 * 130), 0);
	assert_int_equal(cost_add(cost, &first, 50, 50 * 130), 0);
	assert_int_equal(cost_add(cost, &both, 7, 7 * 130), 0);
	assert_int_equal(cost->count, 2);
	assert_int_equal(cost->rows[0].all.window_ns, 10 * MS);
	assert_int_equal(cost->rows[0].all.runs, 150);
	assert_int_equal(cost->rows[1].all.runs, 7);
}

static void windows_in_which_it_was_off_do_not_count(void **state)
{
	struct cost *cost = *state;

	cost_begin(cost, 10 * MS);
	assert_int_equal(cost_add(cost, &first, 100, 100 * 130), 0);
	cost_begin(cost, 20 * MS);
	assert_int_equal(cost->rows[0].last.runs, 0);
	assert_int_equal(cost->rows[0].all.window_ns, 10 * MS);
	cost_begin(cost, 5 * MS);
	assert_int_equal(cost_add(cost, &first, 10, 10 * 130), 0);
	assert_int_equal(cost->rows[0].all.window_ns, 15 * MS);
	assert_int_equal(cost->rows[0].last.runs, 10);
	assert_int_equal(cost->windows, 3);
	assert_int_equal(cost->window_ns, 35 * MS);
}

static void the_share_is_of_all_cpus_and_has_the_recorder_in_it(void **state)
{
	struct cost *cost = *state;
	double share;

	cost_begin(cost, 10 * MS);
	assert_int_equal(cost_add(cost, &first, 0, MS), 0); /* a tenth of one CPU */
	cost_add_recorder(cost, 500 * MS, 150 * MS); /* three tenths */
	share = cost_last_share(cost);
	assert_true(share > 0.1999 && share < 0.2001);
	cost_begin(cost, 10 * MS);
	cost_add_recorder(cost, 500 * MS, 0);
	assert_true(cost_last_share(cost) == 0);
	assert_int_equal(cost->recorder.all.run_ns, 150 * MS);
	assert_int_equal(cost->recorder.all.window_ns, 1000 * MS);
}

static void what_was_noted_is_no_longer_fresh(void **state)
{
	struct cost *cost = *state;

	cost_begin(cost, 10 * MS);
	assert_int_equal(cost_add(cost, &first, 10, 10 * 130), 0);
	cost_noted(cost);
	assert_int_equal(cost->rows[0].fresh.runs, 0);
	cost_begin(cost, 10 * MS);
	assert_int_equal(cost_add(cost, &first, 5, 5 * 130), 0);
	assert_int_equal(cost->rows[0].fresh.runs, 5);
	assert_int_equal(cost->rows[0].fresh.window_ns, 10 * MS);
	assert_int_equal(cost->rows[0].all.runs, 15);
}

static void the_dearest_comes_first_among_many(void **state)
{
	struct cost *cost = *state;

	cost_begin(cost, 10 * MS);
	for (uint32_t i = 0; i < 100; i++) {
		struct cost_key key = {.items = {i}, .count = 1};

		assert_int_equal(cost_add(cost, &key, 0, (uint64_t)i * 37 % 100), 0);
	}
	assert_int_equal(cost->count, 100);
	cost_sort(cost);
	for (size_t i = 0; i < cost->count; i++)
		assert_int_equal(cost->rows[i].all.run_ns, 99 - i);
}

static void nothing_costs_nothing(void **state)
{
	struct cost_sum none = {0};

	assert_true(cost_load(&none) == 0);
	assert_true(cost_last_share(*state) == 0);
	cost_sort(*state);
}

static void few_runs_do_not_tell_what_one_costs(void **state)
{
	struct cost_sum sum = {.window_ns = MS, .runs = COST_RUNS_LEAST - 1, .run_ns = 201463};
	double ns = 0;

	(void)state;
	assert_false(cost_ns_each(&sum, &ns));
	assert_false(cost_ns_each(&(struct cost_sum){0}, &ns));
	sum.runs++;
	sum.run_ns = 150 * COST_RUNS_LEAST;
	assert_true(cost_ns_each(&sum, &ns));
	assert_true(ns == 150);
}

static void labels_name_all_that_share(void **state)
{
	struct measurement items[2] = {{.name = "tcp.ack"}, {.name = "tcp.cwnd"}};
	struct catalogue cat = {.count = 2, .items = items};
	char text[COST_LABEL_BYTES];

	(void)state;
	assert_string_equal(cost_label(&both, &cat, text, sizeof(text)), "tcp.ack, tcp.cwnd");
	assert_string_equal(cost_label(&first, &cat, text, sizeof(text)), "tcp.ack");
	assert_string_equal(cost_label(&follow, &cat, text, sizeof(text)), "(follow)");
	assert_string_equal(cost_label(&both, &cat, text, 6), "tcp.a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_counting_takes_comes_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(programs_of_one_measurement_share_the_window,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(windows_in_which_it_was_off_do_not_count, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_share_is_of_all_cpus_and_has_the_recorder_in_it,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_noted_is_no_longer_fresh, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_dearest_comes_first_among_many, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(nothing_costs_nothing, set_up, tear_down),
		cmocka_unit_test(few_runs_do_not_tell_what_one_costs),
		cmocka_unit_test(labels_name_all_that_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
