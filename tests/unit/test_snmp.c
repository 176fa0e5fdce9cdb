// SPDX-License-Identifier: BSD-2-Clause
#include "record/rx_host.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The same on every host, in ms. */
static void test_values(void **state)
{
	static const char *const names[] = {"RtoMin", "NoSuchThing", "RtoMax"};
	uint64_t values[3] = {7, 7, 7};

	(void)state;
	assert_int_equal(snmp_get("Tcp", names, 3, values), 0);
	assert_int_equal(values[0], 200);
	assert_int_equal(values[1], 0);
	assert_int_equal(values[2], 120000);
}

static void test_unknown_protocol(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(snmp_get("Tc", (const char *const[]){"RtoMin"}, 1, &value), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_unknown_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
