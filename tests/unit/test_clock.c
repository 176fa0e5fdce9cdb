// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check_duration(const char *text, uint64_t expected)
{
	uint64_t ns = 0;

	assert_int_equal(duration_parse(text, &ns), 0);
	assert_true(ns == expected);
}

static void test_durations_are_exact(void **state)
{
	(void)state;
	check_duration("500ms", 500 * NS_PER_MS);
	check_duration("10s", 10 * NS_PER_SEC);
	check_duration("10", 10 * NS_PER_SEC);
	check_duration("1.5m", 90 * NS_PER_SEC);
	check_duration(".25", 250 * NS_PER_MS);
	check_duration("2h", 7200 * NS_PER_SEC);
	check_duration("7ns", 7);
	check_duration("1.001us", 1001);
	check_duration("0.1", 100 * NS_PER_MS);
	check_duration("0", 0);
}

static void test_bad_durations(void **state)
{
	static const char *const bad[] = {
		"", "s", "-1", "1x", "1 s", "1.2.3", ".", "1e3", "10sec", " 1",
	};
	uint64_t ns = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(duration_parse(bad[i], &ns), -EINVAL);
	assert_int_equal(duration_parse("99999999999999999999", &ns), -ERANGE);
	assert_int_equal(duration_parse("18446744073709551615h", &ns), -ERANGE);
	assert_int_equal(ns, 42);
}

static void check_size(const char *text, uint64_t expected)
{
	uint64_t bytes = 0;

	assert_int_equal(size_parse(text, &bytes), 0);
	assert_true(bytes == expected);
}

static void test_sizes(void **state)
{
	uint64_t bytes = 42;

	(void)state;
	check_size("64K", 65536);
	check_size("64k", 65536);
	check_size("4M", 4 << 20);
	check_size("4MiB", 4 << 20);
	check_size("4MB", 4 << 20);
	check_size("1.5G", 3ull << 29);
	check_size("123", 123);
	check_size("123B", 123);
	assert_int_equal(size_parse("", &bytes), -EINVAL);
	assert_int_equal(size_parse("M", &bytes), -EINVAL);
	assert_int_equal(size_parse("4Mx", &bytes), -EINVAL);
	assert_int_equal(size_parse("4BB", &bytes), -EINVAL);
	assert_int_equal(size_parse("-4M", &bytes), -EINVAL);
	assert_int_equal(size_parse("20000P", &bytes), -ERANGE);
	assert_int_equal(bytes, 42);
}

static void test_durations_for_people(void **state)
{
	char t[32];

	(void)state;
	assert_string_equal(duration_format(t, sizeof(t), 0), "0 ns");
	assert_string_equal(duration_format(t, sizeof(t), 999), "999 ns");
	assert_string_equal(duration_format(t, sizeof(t), 1250), "1.25 us");
	assert_string_equal(duration_format(t, sizeof(t), 999499), "999 us");
	assert_string_equal(duration_format(t, sizeof(t), 999600), "1.00 ms");
	assert_string_equal(duration_format(t, sizeof(t), 12500000), "12.5 ms");
	assert_string_equal(duration_format(t, sizeof(t), 10 * NS_PER_SEC), "10.0 s");
	assert_string_equal(duration_format(t, sizeof(t), 125 * NS_PER_SEC), "2 min 05 s");
	assert_string_equal(duration_format(t, sizeof(t), 7260 * NS_PER_SEC), "2 h 01 min");
}

static void test_amounts_for_people(void **state)
{
	char t[32];

	(void)state;
	assert_string_equal(size_format(t, sizeof(t), 999), "999 B");
	assert_string_equal(size_format(t, sizeof(t), 1000), "1.00 kB");
	assert_string_equal(size_format(t, sizeof(t), 3400000), "3.40 MB");
	assert_string_equal(size_format(t, sizeof(t), 999600), "1.00 MB");
	assert_string_equal(size_format(t, sizeof(t), UINT64_MAX), "18.4 EB");
	assert_string_equal(count_format(t, sizeof(t), 0), "0");
	assert_string_equal(count_format(t, sizeof(t), 999), "999");
	assert_string_equal(count_format(t, sizeof(t), 12345678), "12,345,678");
	assert_string_equal(count_format(t, sizeof(t), UINT64_MAX), "18,446,744,073,709,551,615");
}

static void test_clocks(void **state)
{
	int64_t offset = clock_wall_offset_ns();
	uint64_t before = clock_monotonic_ns();
	int64_t wall = (int64_t)clock_realtime_ns();
	int64_t difference = wall - offset - (int64_t)before;

	(void)state;
	assert_true(before <= clock_monotonic_ns());
	assert_true(difference < (int64_t)NS_PER_SEC && difference > -(int64_t)NS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations_are_exact),
		cmocka_unit_test(test_bad_durations),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_durations_for_people),
		cmocka_unit_test(test_amounts_for_people),
		cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
