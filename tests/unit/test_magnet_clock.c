// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_pack.h"

#include <errno.h>

#include "magnet_fixture.h"

static const int32_t rates[] = {999999, 866000, 10000000, 866000000, 1000000000};

/* A timestamp comes back from its time, as long as a tick is no shorter than a ns. */
static void test_inverse(void **state)
{
	static const int64_t deltas[] = {-1000000007, -3, -1, 1, 2, 866, 123456789, 8640000000001};

	(void)state;
	for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
		struct magnet_head head = {1000212000, 77777777777, MAGNET_SYSINFO, rates[r]};
		struct magnet_clock clock;

		assert_int_equal(magnet_clock_take(&clock, &head, 0), 0);
		assert_int_equal(magnet_clock_ns(&clock, head.timestamp), 1000212000000000000);
		for (size_t i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++) {
			uint64_t timestamp = head.timestamp + (uint64_t)deltas[i];
			int64_t ns = magnet_clock_ns(&clock, timestamp);

			assert_int_equal(magnet_clock_ticks(&clock, ns), timestamp);
		}
	}
}

static void test_rates(void **state)
{
	struct magnet_head head = {.event = MAGNET_SYSINFO, .size = 866000};
	struct magnet_clock clock;

	(void)state;
	assert_int_equal(magnet_clock_take(&clock, &head, 0), 0);
	assert_int_equal(clock.rate_hz, 866000000);
	assert_int_equal(magnet_clock_take(&clock, &head, 5), 0);
	assert_int_equal(clock.rate_hz, 5);
	head.size = MAGNET_RATE_HZ;
	assert_int_equal(magnet_clock_take(&clock, &head, 0), 0);
	assert_int_equal(clock.rate_hz, 1000000000);
	head.size = 0;
	assert_int_equal(magnet_clock_take(&clock, &head, 0), -EBADMSG);
	assert_int_equal(magnet_clock_ns(&clock, 5), 5);
	head.size = -1;
	assert_int_equal(magnet_clock_take(&clock, &head, 0), -EBADMSG);
}

/* Whatever a file says, no time is out of what 64 bits hold. */
static void test_lies(void **state)
{
	struct magnet_head head = {UINT64_MAX, 0, MAGNET_SYSINFO, 1};
	struct magnet_clock clock;

	(void)state;
	assert_int_equal(magnet_clock_take(&clock, &head, 0), 0);
	assert_int_equal(clock.wall_ns, 0);
	clock.rate_hz = 1;
	assert_int_equal(magnet_clock_ns(&clock, INT64_MAX), INT64_MAX);
	assert_int_equal(magnet_clock_ns(&clock, (uint64_t)INT64_MIN), INT64_MIN);
}

static void test_make(void **state)
{
	const int64_t first_ns = 1700000000123456789;
	struct magnet_clock clock;
	struct magnet_head head;

	(void)state;
	magnet_clock_make(&clock, first_ns, &head);
	assert_int_equal(head.sockid, 1699999999);
	assert_int_equal(head.size, 1000000000);
	assert_int_equal(magnet_clock_ticks(&clock, first_ns), 1123456789);
	assert_int_equal(magnet_clock_ns(&clock, 1123456789), first_ns);
	/* 0 would be no time. */
	assert_int_equal(magnet_clock_ticks(&clock, 1699999999000000000), 1);
	magnet_clock_make(&clock, INT64_MIN, &head);
	assert_int_equal(head.sockid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inverse),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
