// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void the_rate_is_bounded_by_kernel_and_timer(void **state)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned int most = SAMPLER_HZ_MAX;

	(void)state;
	if (file) {
		assert_int_equal(fscanf(file, "%u", &most), 1);
		fclose(file);
	}
	assert_int_equal(sampler_hz_max(), most < SAMPLER_HZ_MAX ? most : SAMPLER_HZ_MAX);
}

static void nothing_is_closed_without_harm(void **state)
{
	(void)state;
	sampler_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_is_bounded_by_kernel_and_timer),
		cmocka_unit_test(nothing_is_closed_without_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
