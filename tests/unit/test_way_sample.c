// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/way_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void add(struct way_sample *sample, int64_t begin_ns, int64_t total_ns, enum way_end end)
{
	const struct packet_way way = {
		.end = end,
		.count = 2,
		.steps = {{.time_ns = begin_ns}, {.time_ns = begin_ns + total_ns}},
	};

	way_sample_add(sample, &way);
}

/* Few are all shown, as they set out, not as they ended. */
static void test_few(void **state)
{
	struct way_sample *sample = calloc(1, sizeof(*sample));
	const struct packet_way **list;
	size_t count;

	(void)state;
	assert_non_null(sample);
	add(sample, 30, 5, WAY_READ);
	add(sample, 10, 90, WAY_READ);
	add(sample, 20, 1, WAY_INCOMPLETE);
	list = way_sample_choose(sample, 20, 1, &count);
	assert_int_equal(count, 3);
	assert_int_equal(list[0]->steps[0].time_ns, 10);
	assert_int_equal(list[1]->steps[0].time_ns, 20);
	free(list);
	list = way_sample_choose(sample, 2, 1, &count);
	assert_int_equal(count, 1);
	assert_int_equal(packet_way_total(list[0]), 90);
	free(list);
	free(sample);
}

static void test_slowest(void **state)
{
	struct way_sample *sample = calloc(1, sizeof(*sample));
	const struct packet_way **list;
	size_t i, count;

	(void)state;
	assert_non_null(sample);
	for (i = 0; i < 1000; i++) /* 7 and 1000 have no common divisor: all from 0 to 999 */
		add(sample, (int64_t)i, (int64_t)(i * 7 % 1000), WAY_READ);
	add(sample, 5, 5000, WAY_INCOMPLETE);
	list = way_sample_choose(sample, 20, WAY_SAMPLE_SLOWEST + 50, &count);
	assert_int_equal(count, WAY_SAMPLE_SLOWEST);
	for (i = 0; i < count; i++)
		assert_int_equal(packet_way_total(list[i]), 999 - i);
	free(list);
	list = way_sample_choose(sample, 20, 0, &count);
	assert_int_equal(count, 0);
	free(list);
	free(sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_slowest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
