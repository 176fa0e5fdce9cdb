// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/sched_waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct task_wait *wait_of(const struct sched_waits *waits, int32_t tid)
{
	uint32_t i = tid_index_get(waits->tasks.index, tid);

	assert_true(i > 0 && i < sched_waits_count(waits));
	return &waits->waits[i];
}

static void test_woken(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	sched_waits_wake(&waits, 100, 7, false); /* sched.waking */
	sched_waits_wake(&waits, 120, 7, true); /* sched.wakeup of the same */
	sched_waits_switch(&waits, 0, 150, 0, true, 7);
	sched_waits_wake(&waits, 160, 7, false); /* has a CPU: waits for nothing */
	sched_waits_switch(&waits, 0, 170, 7, false, 0);
	sched_waits_wake(&waits, 180, 7, false);
	sched_waits_switch(&waits, 3, 200, 0, true, 7);
	assert_int_equal(wait_of(&waits, 7)->woken->count, 2);
	assert_int_equal(wait_of(&waits, 7)->woken->total_ns, 70);
	assert_int_equal(wait_of(&waits, 7)->woken->max_ns, 50);
	assert_int_equal(wait_of(&waits, 7)->preempted, 0);
	assert_int_equal(wait_of(&waits, 7)->unmatched, 0);
	assert_int_equal(wait_of(&waits, 7)->voluntary, 1);
	assert_int_equal(wait_of(&waits, 7)->cpus.low, 9);
	assert_int_equal(tid_index_get(waits.tasks.index, 0), 0); /* no wait of the idle task */
	sched_waits_fini(&waits);
}

static void test_preempted(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	sched_waits_switch(&waits, 0, 100, 7, true, 8); /* since when 8 waits is not known */
	sched_waits_wake(&waits, 110, 7, false); /* waits already */
	sched_waits_switch(&waits, 1, 130, 0, true, 7);
	sched_waits_switch(&waits, 1, 140, 7, true, 9);
	sched_waits_switch(&waits, 1, 200, 9, false, 7);
	assert_int_equal(wait_of(&waits, 7)->preempted, 2);
	assert_int_equal(wait_of(&waits, 7)->preempted_ns, 90);
	assert_int_equal(wait_of(&waits, 7)->preempted_max_ns, 60);
	assert_int_equal(wait_of(&waits, 7)->involuntary, 2);
	assert_int_equal(wait_of(&waits, 7)->voluntary, 0);
	assert_null(wait_of(&waits, 7)->woken);
	assert_int_equal(wait_of(&waits, 8)->unmatched, 1);
	assert_int_equal(wait_of(&waits, 9)->voluntary, 1);
	assert_int_equal(waits.preempted.count, 2);
	assert_int_equal(waits.preempted.total_ns, 90);
	sched_waits_fini(&waits);
}

/* What is under way when events are lost, on whatever CPU, pairs with nothing behind that. */
static void test_lost(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	sched_waits_wake(&waits, 100, 7, false);
	sched_waits_switch(&waits, 0, 110, 8, true, 9);
	sched_waits_lose(&waits, 1);
	sched_waits_switch(&waits, 0, 120, 9, false, 7);
	sched_waits_switch(&waits, 1, 130, 0, true, 8);
	assert_null(wait_of(&waits, 7)->woken);
	assert_int_equal(wait_of(&waits, 7)->unmatched, 1);
	assert_int_equal(wait_of(&waits, 8)->unmatched, 1);
	assert_int_equal(waits.preempted.count, 0);
	sched_waits_switch(&waits, 0, 140, 7, true, 9); /* and from here on it is known again */
	sched_waits_switch(&waits, 0, 150, 9, true, 7);
	assert_int_equal(waits.preempted.count, 1);
	sched_waits_fini(&waits);
}

/* Who was never woken may have run in between, and nobody recorded it. */
static void test_filtered(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	waits.filtered = true;
	sched_waits_wake(&waits, 100, 7, false);
	sched_waits_switch(&waits, 0, 110, 8, true, 7);
	sched_waits_switch(&waits, 0, 120, 7, true, 8);
	sched_waits_switch(&waits, 0, 150, 8, true, 7);
	assert_int_equal(wait_of(&waits, 7)->preempted, 1);
	assert_int_equal(wait_of(&waits, 7)->preempted_ns, 30);
	assert_int_equal(wait_of(&waits, 8)->preempted, 0);
	assert_int_equal(wait_of(&waits, 8)->unmatched, 1);
	sched_waits_fini(&waits);
}

/* A task that the filter did not want has no waits and no time on a CPU. */
static void test_unwanted(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	sched_waits_switch(&waits, 0, 110, -1, true, 7);
	sched_waits_switch(&waits, 0, 120, 7, true, -1);
	sched_waits_switch(&waits, 0, 150, -1, true, 7);
	assert_int_equal(wait_of(&waits, 7)->preempted, 1);
	assert_int_equal(wait_of(&waits, 7)->preempted_ns, 30);
	assert_int_equal(task_stats_at(&waits.tasks, 7)->cpu_ns, 10);
	assert_int_equal(waits.waits[0].involuntary, 0);
	assert_int_equal(waits.waits[0].unmatched, 0);
	assert_int_equal(waits.tasks.tasks[0].cpu_ns, 0);
	sched_waits_fini(&waits);
}

/* The second of two wakeups does where the task was seen to sleep, and not where the first one may
 * be what is lost. */
static void test_second(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	sched_waits_switch(&waits, 0, 100, 7, false, 0);
	sched_waits_wake(&waits, 110, 7, true);
	sched_waits_switch(&waits, 0, 115, 0, true, 7);
	sched_waits_switch(&waits, 0, 120, 7, false, 0);
	sched_waits_wake(&waits, 130, 7, false);
	sched_waits_lose(&waits, 1);
	sched_waits_wake(&waits, 132, 7, true);
	sched_waits_switch(&waits, 0, 140, 0, true, 7);
	assert_int_equal(wait_of(&waits, 7)->woken->count, 1);
	assert_int_equal(wait_of(&waits, 7)->woken->total_ns, 5);
	assert_int_equal(wait_of(&waits, 7)->unmatched, 1);
	sched_waits_fini(&waits);
}

/* A wakeup, and a task that runs already, because a switch is missing. */
static void test_no_beginning(void **state)
{
	struct sched_waits waits;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	sched_waits_switch(&waits, 0, 100, 0, true, 7);
	sched_waits_switch(&waits, 1, 110, 0, true, 7);
	sched_waits_switch(&waits, 1, 120, 7, false, 0);
	sched_waits_switch(&waits, 1, 130, 0, true, 7); /* who woke it was not recorded */
	assert_int_equal(wait_of(&waits, 7)->unmatched, 3);
	assert_null(wait_of(&waits, 7)->woken);
	sched_waits_wake(&waits, 140, 8, false);
	sched_waits_switch(&waits, 0, 139, 0, true, 8); /* before it was woken */
	assert_int_equal(wait_of(&waits, 8)->unmatched, 1);
	sched_waits_fini(&waits);
}

/* Beyond the limits tasks are counted as one, and their waits are not paired. */
static void test_bounded(void **state)
{
	const int32_t last = (int32_t)TASK_STATS_LIMIT + 10;
	struct sched_waits waits;
	uint64_t count = 0;
	int32_t tid;
	size_t i;

	(void)state;
	assert_int_equal(sched_waits_init(&waits), 0);
	for (tid = 1; tid <= last; tid++) {
		sched_waits_wake(&waits, 2 * tid, tid, false);
		sched_waits_switch(&waits, 0, 2 * tid + 1, 0, true, tid);
	}
	assert_int_equal(waits.latencies, SCHED_WAITS_LIMIT);
	for (i = 0; i < sched_waits_count(&waits); i++)
		count += waits.waits[i].woken ? waits.waits[i].woken->count : 0;
	assert_int_equal(count, TASK_STATS_LIMIT);
	assert_int_equal(waits.waits[0].unmatched, 10);
	sched_waits_fini(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_woken),	cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_lost),	cmocka_unit_test(test_no_beginning),
		cmocka_unit_test(test_bounded), cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_second),	cmocka_unit_test(test_unwanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
