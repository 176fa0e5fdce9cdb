// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/wait_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_call_takes_from_its_beginning_to_its_end(void **state)
{
	struct call_begun begun = {0};

	(void)state;
	call_begin(&begun, 1, 100, 3, false);
	assert_int_equal(call_finish(&begun, 1, 150, 3, false), 50);
	assert_int_equal(call_finish(&begun, 1, 160, 3, false), -1); /* once */
}

static void another_call_ended(void **state)
{
	struct call_begun begun = {0};

	(void)state;
	assert_int_equal(call_finish(&begun, 1, 100, 0, false), -1);
	call_begin(&begun, 1, 100, 3, false);
	assert_int_equal(call_finish(&begun, 1, 150, 4, false), -1);
	call_begin(&begun, 1, 100, 3, false);
	assert_int_equal(call_finish(&begun, 1, 150, 3, true), -1);
	call_begin(&begun, 1, 100, 3, false);
	assert_int_equal(call_finish(&begun, 1, 99, 3, false), -1);
}

static void a_loss_in_between(void **state)
{
	struct call_begun begun = {0};

	(void)state;
	call_begin(&begun, 1, 100, 3, false);
	assert_int_equal(call_finish(&begun, 2, 150, 3, false), -1);
	call_begin(&begun, 2, 200, 3, false);
	assert_int_equal(call_finish(&begun, 2, 210, 3, false), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_takes_from_its_beginning_to_its_end),
		cmocka_unit_test(another_call_ended),
		cmocka_unit_test(a_loss_in_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
