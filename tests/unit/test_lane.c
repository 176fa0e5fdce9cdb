// SPDX-License-Identifier: BSD-2-Clause
#include "graph/lane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COLUMNS 8u
#define SHIFT 4u

static double ns[LANE_STATES][COLUMNS];

static void change(struct lane *lane, int64_t time_ns, enum lane_state state)
{
	assert_int_equal(lane_change(lane, SHIFT, time_ns, state), 0);
}

static void fill(const struct lane *lane, unsigned int shift, int64_t to_ns)
{
	const struct lane_columns columns = {0, to_ns, COLUMNS, {ns[0], ns[1], ns[2]}, NULL, NULL};

	memset(ns, 0, sizeof(ns));
	lane_fill(lane, shift, &columns);
}

static double sum(enum lane_state state)
{
	double all = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		all += ns[state][i];
	return all;
}

static void assert_about(double a, double b)
{
	assert_true(fabs(a - b) < 1e-6);
}

static void test_states(void **state)
{
	struct lane lane = {.state = LANE_UNKNOWN};

	(void)state;
	change(&lane, 0, LANE_BLOCKED);
	change(&lane, 40, LANE_RUNNABLE); /* within the third stretch */
	change(&lane, 44, LANE_RUNNING);
	change(&lane, 48, LANE_BLOCKED);
	change(&lane, 128, LANE_UNKNOWN);
	assert_int_equal(lane.total_ns[LANE_BLOCKED], 120);
	assert_int_equal(lane.total_ns[LANE_RUNNABLE], 4);
	assert_int_equal(lane.total_ns[LANE_RUNNING], 4);
	fill(&lane, SHIFT, 128);
	assert_about(ns[LANE_BLOCKED][0], 16);
	assert_about(ns[LANE_BLOCKED][1], 16);
	assert_about(ns[LANE_BLOCKED][2], 8);
	assert_about(ns[LANE_RUNNABLE][2], 4);
	assert_about(ns[LANE_RUNNING][2], 4);
	for (size_t i = 3; i < COLUMNS; i++)
		assert_about(ns[LANE_BLOCKED][i], 16);
	lane_fini(&lane);
}

/* Whatever the stretches: sums stay, also of what lies between entries. */
static void test_doubled(void **state)
{
	struct lane lane = {.state = LANE_UNKNOWN};
	uint64_t random = 1;
	int64_t at = 7;

	(void)state;
	for (int i = 0; i < 300; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		change(&lane, at, (enum lane_state)(random >> 33) % (LANE_STATES + 1));
		at += (int64_t)(random >> 40) % 100;
	}
	change(&lane, at, LANE_UNKNOWN);
	for (unsigned int shift = SHIFT; shift < 16; shift++) {
		fill(&lane, shift, at);
		for (size_t i = 0; i < LANE_STATES; i++)
			assert_about(sum((enum lane_state)i), (double)lane.total_ns[i]);
		lane_double(&lane, shift);
	}
	assert_int_equal(lane.count, 1);
	lane_fini(&lane);
}

static void test_time_may_go_back(void **state)
{
	struct lane lane = {.state = LANE_UNKNOWN};

	(void)state;
	change(&lane, 100, LANE_RUNNING);
	change(&lane, 20, LANE_BLOCKED);
	change(&lane, 110, LANE_RUNNING);
	change(&lane, INT64_MIN, LANE_RUNNING);
	change(&lane, 120, LANE_UNKNOWN);
	assert_int_equal(lane.total_ns[LANE_BLOCKED], 10);
	assert_int_equal(lane.total_ns[LANE_RUNNING], 10);
	lane_fini(&lane);
}

static void test_nothing(void **state)
{
	struct lane lane = {.state = LANE_UNKNOWN};

	(void)state;
	fill(&lane, SHIFT, 128);
	assert_about(sum(LANE_RUNNING) + sum(LANE_RUNNABLE) + sum(LANE_BLOCKED), 0);
	lane_double(&lane, SHIFT);
	change(&lane, 5, LANE_UNKNOWN);
	assert_int_equal(lane.count, 0);
	lane_fini(&lane);
}

/* Of a column the task that ran longest in it, also where stretches became longer. */
static void a_lane_knows_who_ran_longest(void **state)
{
	struct lane lane = {.state = LANE_UNKNOWN};
	uint32_t who[COLUMNS] = {0};
	double who_ns[COLUMNS] = {0};
	const struct lane_columns columns = {0,	  8 << SHIFT, COLUMNS, {ns[0], ns[1], ns[2]},
					     who, who_ns};

	(void)state;
	memset(ns, 0, sizeof(ns));
	change(&lane, 0, LANE_RUNNING);
	lane.who = 7;
	change(&lane, 3 << SHIFT, LANE_RUNNING); /* columns 0 to 2 */
	lane.who = 8;
	change(&lane, (3 << SHIFT) + 4, LANE_RUNNING);
	lane.who = 9;
	change(&lane, (5 << SHIFT) + 2, LANE_UNKNOWN); /* most of 3, all of 4, a part of 5 */
	lane.who = 0;
	change(&lane, 7 << SHIFT, LANE_RUNNING);
	lane_fill(&lane, SHIFT, &columns);
	for (size_t i = 0; i < COLUMNS; i++)
		assert_int_equal(who[i], i < 3 ? 7 : i < 6 ? 9 : 0);
	lane_double(&lane, SHIFT);
	memset(who, 0, sizeof(who));
	memset(who_ns, 0, sizeof(who_ns));
	lane_fill(&lane, SHIFT + 1, &columns);
	assert_int_equal(who[0], 7);
	assert_int_equal(who[1], 7);
	assert_int_equal(who[4], 9);
	assert_int_equal(who[7], 0);
	lane_fini(&lane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lane_knows_who_ran_longest),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_doubled),
		cmocka_unit_test(test_time_may_go_back),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
