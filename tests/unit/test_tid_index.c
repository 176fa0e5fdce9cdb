// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/task_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_numbers_in_order_of_sight(void **state)
{
	struct tid_index *index = tid_index_new(3);

	(void)state;
	assert_non_null(index);
	assert_int_equal(tid_index_get(index, 5), 0);
	assert_int_equal(tid_index_add(index, 4000000), 1);
	assert_int_equal(tid_index_add(index, 0), 2);
	assert_int_equal(tid_index_add(index, 4000000), 1);
	assert_int_equal(tid_index_add(index, -1), 0);
	assert_int_equal(tid_index_add(index, (int32_t)TID_LIMIT), 0);
	assert_int_equal(tid_index_add(index, (int32_t)TID_LIMIT - 1), 3);
	/* Beyond the limit: neither in a page that is there nor in a new one. */
	assert_int_equal(tid_index_add(index, 1), 0);
	assert_int_equal(tid_index_add(index, 2000000), 0);
	assert_int_equal(tid_index_get(index, 4000000), 1);
	assert_int_equal(tid_index_get(index, -1), 0);
	tid_index_free(index);
}

/* Owners that are no tasks have numbers below -1. */
static void test_owners_have_numbers(void **state)
{
	struct tid_index *index = tid_index_new(3);

	(void)state;
	assert_non_null(index);
	assert_int_equal(tid_index_add(index, -2), 1);
	assert_int_equal(tid_index_add(index, -(int32_t)TID_OWNERS), 2);
	assert_int_equal(tid_index_add(index, -(int32_t)TID_OWNERS - 1), 0);
	assert_int_equal(tid_index_add(index, INT32_MIN), 0);
	assert_int_equal(tid_index_get(index, INT32_MIN), 0);
	assert_int_equal(tid_index_get(index, -2), 1);
	tid_index_free(index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_in_order_of_sight),
		cmocka_unit_test(test_owners_have_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
