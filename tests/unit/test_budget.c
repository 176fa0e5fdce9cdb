// SPDX-License-Identifier: BSD-2-Clause
#include "record/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/cost.h"

#define COUNT 4 /* measurements; 1 and 2 share a program */
#define WINDOW_NS 10000000u
#define SECOND 1000000000u

/* A recording on one CPU: the share of each that is on is as it was made here. */
struct world {
	struct budget budget;
	double load[COUNT];
	double recorder;
	bool on[COUNT];
	bool which[COUNT];
	uint64_t now_ns;
};

static int set_up(void **state)
{
	static struct world world;

	world = (struct world){.on = {true, true, true, true}, .now_ns = SECOND};
	*state = &world;
	return budget_init(&world.budget, 0.02, COUNT);
}

static int tear_down(void **state)
{
	budget_fini(&((struct world *)*state)->budget);
	return 0;
}

static void see(struct cost *cost, struct world *w, uint32_t first, uint32_t count)
{
	struct cost_key key = {.items = {first, first + 1}, .count = count};

	if (w->on[first])
		assert_int_equal(cost_add(cost, &key, 1, (uint64_t)(w->load[first] * WINDOW_NS)),
				 0);
}

/* A window, what comes of it, and what is on then. */
static enum budget_verdict look(struct world *w)
{
	enum budget_verdict verdict;
	struct cost cost;

	cost_init(&cost, 1, 0);
	cost_begin(&cost, WINDOW_NS);
	see(&cost, w, 0, 1);
	see(&cost, w, 1, 2);
	see(&cost, w, 3, 1);
	cost_add_recorder(&cost, WINDOW_NS, (uint64_t)(w->recorder * WINDOW_NS));
	verdict = budget_judge(&w->budget, w->now_ns, &cost, w->on, w->which);
	for (size_t i = 0; i < COUNT; i++) {
		if (w->which[i])
			w->on[i] = verdict == BUDGET_ON;
	}
	cost_fini(&cost);
	return verdict;
}

static void assert_on(const struct world *w, bool a, bool b, bool c, bool d)
{
	const bool want[COUNT] = {a, b, c, d};

	assert_memory_equal(w->on, want, sizeof(want));
}

static void within_it_nothing_happens(void **state)
{
	struct world *w = *state;

	w->load[0] = 0.01;
	w->recorder = 0.009;
	for (int i = 0; i < 100; i++, w->now_ns += SECOND)
		assert_int_equal(look(w), BUDGET_KEEP);
	assert_false(budget_was_exceeded(&w->budget));
}

static void one_window_over_it_is_no_reason(void **state)
{
	struct world *w = *state;

	w->load[0] = 0.03;
	assert_int_equal(look(w), BUDGET_WATCH);
	w->load[0] = 0.01;
	assert_int_equal(look(w), BUDGET_KEEP);
	w->load[0] = 0.03;
	assert_int_equal(look(w), BUDGET_WATCH);
	assert_on(w, true, true, true, true);
}

static void the_dearest_goes_until_it_is_kept(void **state)
{
	struct world *w = *state;

	w->load[0] = 0.03;
	w->load[1] = 0.05;
	w->load[3] = 0.01;
	assert_int_equal(look(w), BUDGET_WATCH);
	assert_int_equal(look(w), BUDGET_OFF);
	assert_on(w, true, false, false, true); /* both of the program */
	assert_true(w->budget.items[2].share > 0.049 && w->budget.items[2].share < 0.051);
	assert_int_equal(look(w), BUDGET_WATCH); /* what came before is still being written */
	assert_int_equal(look(w), BUDGET_OFF);
	assert_on(w, false, false, false, true);
	assert_int_equal(look(w), BUDGET_KEEP);
	assert_true(budget_was_exceeded(&w->budget));
}

/* Steps of half a second until @verdict; how long that took. */
static uint64_t wait_for(struct world *w, enum budget_verdict verdict)
{
	uint64_t start_ns = w->now_ns;

	do {
		w->now_ns += SECOND / 2;
		assert_true(w->now_ns - start_ns < 1000ull * SECOND);
	} while (look(w) != verdict);
	return w->now_ns - start_ns;
}

static void it_is_tried_again_ever_later(void **state)
{
	static const uint64_t waits[] = {5, 10, 20, 40, 80, 160, 300, 300};
	struct world *w = *state;

	w->load[0] = 0.5;
	wait_for(w, BUDGET_OFF);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		assert_int_equal(wait_for(w, BUDGET_ON), waits[i] * SECOND);
		assert_on(w, true, true, true, true);
		assert_int_equal(wait_for(w, BUDGET_OFF), SECOND / 2); /* no second window */
	}
	assert_int_equal(w->budget.items[0].times, 9);
	assert_int_equal(budget_held_ns(&w->budget, w->now_ns, 0), 915ull * SECOND);
	assert_int_equal(budget_held_ns(&w->budget, w->now_ns + 7, 0), 915ull * SECOND + 7);
	assert_int_equal(budget_held_ns(&w->budget, w->now_ns, 1), 0);
}

static void what_has_long_fitted_starts_anew(void **state)
{
	struct world *w = *state;

	w->load[0] = 0.5;
	wait_for(w, BUDGET_OFF);
	wait_for(w, BUDGET_ON);
	wait_for(w, BUDGET_OFF); /* the next wait would be 20 s */
	wait_for(w, BUDGET_ON);
	w->load[0] = 0.001;
	for (int i = 0; i < 121; i++, w->now_ns += SECOND / 2)
		assert_int_equal(look(w), BUDGET_KEEP);
	w->load[0] = 0.5;
	wait_for(w, BUDGET_OFF);
	assert_int_equal(wait_for(w, BUDGET_ON), 5ull * SECOND);
}

static void while_it_is_exceeded_nothing_is_tried(void **state)
{
	struct world *w = *state;

	w->load[0] = 0.5;
	wait_for(w, BUDGET_OFF);
	w->recorder = 0.03; /* nothing else has taken time */
	for (int i = 0; i < 60; i++, w->now_ns += SECOND)
		assert_int_equal(look(w), BUDGET_KEEP);
	w->recorder = 0;
	assert_int_equal(wait_for(w, BUDGET_ON), SECOND / 2);
}

static void what_somebody_turns_off_is_not_tried(void **state)
{
	struct world *w = *state;

	w->load[0] = 0.5;
	wait_for(w, BUDGET_OFF);
	budget_release(&w->budget, w->now_ns + SECOND, 0);
	for (int i = 0; i < 60; i++, w->now_ns += SECOND)
		assert_int_equal(look(w), BUDGET_KEEP);
	assert_false(w->on[0]);
	assert_int_equal(budget_held_ns(&w->budget, w->now_ns, 0), SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(within_it_nothing_happens, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_window_over_it_is_no_reason, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_dearest_goes_until_it_is_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(it_is_tried_again_ever_later, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_has_long_fitted_starts_anew, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(while_it_is_exceeded_nothing_is_tried, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_somebody_turns_off_is_not_tried, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
