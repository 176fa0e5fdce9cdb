// SPDX-License-Identifier: BSD-2-Clause
#include "trace/follow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WAIT SETTLED_WAIT_NS

static void what_was_there_a_wait_ago_is_complete(void **state)
{
	struct settled settled;

	(void)state;
	settled_init(&settled, true);
	settled_see(&settled, 0, INT64_MIN);
	assert_int_equal(settled.until_ns, INT64_MIN);
	settled_see(&settled, 10, 500);
	settled_see(&settled, 20, 700);
	settled_see(&settled, WAIT + 9, 700);
	assert_int_equal(settled.until_ns, INT64_MIN);
	settled_see(&settled, WAIT + 10, 900);
	assert_int_equal(settled.until_ns, 500);
	settled_see(&settled, 2 * WAIT + 10, 900);
	assert_int_equal(settled.until_ns, 900);
}

static void so_is_what_lies_far_behind_the_newest(void **state)
{
	struct settled settled;

	(void)state;
	settled_init(&settled, false);
	settled_see(&settled, 0, 10 * WAIT);
	assert_int_equal(settled.until_ns, 9 * WAIT);
	settled_init(&settled, true); /* but not where snapshots come */
	settled_see(&settled, 0, 10 * WAIT);
	assert_int_equal(settled.until_ns, INT64_MIN);
}

static void many_looks_take_no_more_room(void **state)
{
	struct settled settled;

	(void)state;
	settled_init(&settled, true);
	for (int64_t i = 0; i < 10000; i++)
		settled_see(&settled, i, i);
	assert_int_equal(settled.count, SETTLED_LOOKS_MAX);
	settled_see(&settled, WAIT + 10000, 10000);
	assert_int_equal(settled.until_ns, SETTLED_LOOKS_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_there_a_wait_ago_is_complete),
		cmocka_unit_test(so_is_what_lies_far_behind_the_newest),
		cmocka_unit_test(many_looks_take_no_more_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
