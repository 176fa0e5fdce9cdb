// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/wait_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* It comes onto a CPU at @time_ns: what it waited as, and how long. */
static void comes(struct task_where *where, uint32_t epoch, int64_t time_ns, bool filtered,
		  enum task_place want, uint64_t want_ns)
{
	uint64_t ns = 0;

	assert_int_equal(task_comes(where, epoch, time_ns, filtered, &ns), want);
	assert_int_equal(ns, want_ns);
}

static void from_the_first_wakeup_on(void **state)
{
	struct task_where where = {0};

	(void)state;
	task_wakes(&where, 1, 100, false);
	task_wakes(&where, 1, 110, true);
	task_wakes(&where, 1, 120, false);
	comes(&where, 1, 150, false, TASK_PLACE_WOKEN, 50);
	comes(&where, 1, 160, false, TASK_PLACE_UNKNOWN, 0); /* it never left */
}

static void from_being_preempted_on(void **state)
{
	struct task_where where = {0};

	(void)state;
	task_leaves(&where, 1, 100, true);
	task_wakes(&where, 1, 110, false); /* changes nothing */
	comes(&where, 1, 150, false, TASK_PLACE_PREEMPTED, 50);
}

static void whoever_runs_does_not_wait(void **state)
{
	struct task_where where = {0};

	(void)state;
	task_wakes(&where, 1, 90, false);
	comes(&where, 1, 100, false, TASK_PLACE_WOKEN, 10);
	task_wakes(&where, 1, 110, false); /* it was about to sleep, and runs on */
	task_leaves(&where, 1, 120, false);
	comes(&where, 1, 130, false, TASK_PLACE_UNKNOWN, 0);
}

static void a_second_wakeup_without_the_first(void **state)
{
	struct task_where where = {0};

	(void)state;
	task_wakes(&where, 1, 100, true);
	comes(&where, 1, 150, false, TASK_PLACE_UNKNOWN, 0);
	task_leaves(&where, 1, 160, false);
	task_wakes(&where, 1, 170, true); /* it is known to have slept */
	comes(&where, 1, 180, false, TASK_PLACE_WOKEN, 10);
}

static void a_loss_in_between(void **state)
{
	struct task_where where = {0};

	(void)state;
	task_wakes(&where, 1, 100, false);
	comes(&where, 2, 150, false, TASK_PLACE_UNKNOWN, 0);
	task_leaves(&where, 2, 160, true);
	comes(&where, 2, 150, false, TASK_PLACE_UNKNOWN, 0); /* back in time */
}

static void who_was_never_woken_may_have_been_left_out(void **state)
{
	struct task_where where = {0};

	(void)state;
	task_leaves(&where, 1, 100, true);
	comes(&where, 1, 150, true, TASK_PLACE_UNKNOWN, 0);
	task_leaves(&where, 1, 160, false);
	task_wakes(&where, 1, 170, false);
	comes(&where, 1, 180, true, TASK_PLACE_WOKEN, 10);
	task_leaves(&where, 1, 190, true);
	comes(&where, 1, 200, true, TASK_PLACE_PREEMPTED, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_first_wakeup_on),
		cmocka_unit_test(from_being_preempted_on),
		cmocka_unit_test(whoever_runs_does_not_wait),
		cmocka_unit_test(a_second_wakeup_without_the_first),
		cmocka_unit_test(a_loss_in_between),
		cmocka_unit_test(who_was_never_woken_may_have_been_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
