// SPDX-License-Identifier: BSD-2-Clause
#include "wire/jiffy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What jiffies_to_usecs of the kernel makes of them, for every HZ that it can be built with, and some odd ones. */
static void test_us(void **state)
{
	static const uint32_t rates[] = {24, 64, 100, 128, 250, 256, 300, 1000, 1024, 1200};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		uint32_t ns = (1000000000 + rates[i] / 2) / rates[i]; /* as clock_getres says */

		/* TCP_RTO_MIN to TCP_RTO_MAX: 200 ms to 120 s. */
		for (uint32_t jiffies = rates[i] / 5; jiffies <= 120 * rates[i]; jiffies++) {
			uint64_t us = jiffies * UINT64_C(1000000) / rates[i];

			uint64_t apart = 1 + us / 1000000; /* a part in a million */

			assert_in_range(jiffies_us(jiffies, ns), us - apart, us + apart);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_us)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
