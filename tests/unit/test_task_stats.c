// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/task_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_time_on_a_cpu(void **state)
{
	struct task_stats stats;

	(void)state;
	assert_int_equal(task_stats_init(&stats), 0);
	task_stats_switch(&stats, 0, 100, 1, 2); /* who was there before is not known since when */
	task_stats_switch(&stats, 0, 150, 2, 3);
	task_stats_switch(&stats, 100, 160, 9, 2);
	task_stats_switch(&stats, 0, 170, 4, 5); /* not 3: a switch is missing */
	task_stats_lose(&stats, 100);
	task_stats_switch(&stats, 100, 200, 2, 1);
	task_stats_switch(&stats, -1, 200, 2, 1);
	task_stats_end(&stats, 300);
	assert_int_equal(task_stats_at(&stats, 1)->cpu_ns, 100);
	assert_int_equal(task_stats_at(&stats, 2)->cpu_ns, 50);
	assert_int_equal(task_stats_at(&stats, 3)->cpu_ns, 0);
	assert_int_equal(task_stats_at(&stats, 5)->cpu_ns, 130);
	task_stats_fini(&stats);
}

static void test_no_cpus(void **state)
{
	struct task_stats stats;

	(void)state;
	assert_int_equal(task_stats_init(&stats), 0);
	task_stats_switch(&stats, -1, 100, 0, 2);
	task_stats_switch(&stats, -1, 110, 0, 3); /* another CPU */
	task_stats_switch(&stats, -1, 150, 2, 0);
	task_stats_switch(&stats, -1, 160, 3, 4);
	task_stats_lose(&stats, -1);
	task_stats_switch(&stats, -1, 200, 4, 5); /* across a loss */
	task_stats_end(&stats, 230);
	assert_int_equal(task_stats_at(&stats, 0)->cpu_ns, 0);
	assert_int_equal(task_stats_at(&stats, 2)->cpu_ns, 50);
	assert_int_equal(task_stats_at(&stats, 3)->cpu_ns, 50);
	assert_int_equal(task_stats_at(&stats, 4)->cpu_ns, 0);
	assert_int_equal(task_stats_at(&stats, 5)->cpu_ns, 30);
	task_stats_fini(&stats);
}

static void test_bounded(void **state)
{
	struct task_stats stats;
	int32_t tid;

	(void)state;
	assert_int_equal(task_stats_init(&stats), 0);
	for (tid = 0; tid < (int32_t)TASK_STATS_LIMIT + 10; tid++)
		task_stats_at(&stats, tid)->events++;
	task_stats_at(&stats, -1)->events++;
	assert_int_equal(task_stats_at(&stats, 0)->events, 1);
	assert_int_equal(stats.tasks[0].events, 11);
	assert_int_equal(stats.tasks[0].tid, -1);
	assert_int_equal(task_stats_at(&stats, 65535)->tid, 65535);
	task_stats_fini(&stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_on_a_cpu),
		cmocka_unit_test(test_no_cpus),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
