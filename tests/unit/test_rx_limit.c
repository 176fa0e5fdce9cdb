// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_responder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"

#define BEGIN_NS (1000 * NS_PER_SEC)

static struct rx_limit limit;

/* How many answers of @bytes @source gets at @now_ns. */
static unsigned int take_all(uint64_t source, size_t bytes, uint64_t now_ns)
{
	unsigned int count = 0;

	while (count < 100000 && rx_limit_take(&limit, source, bytes, now_ns))
		count++;
	return count;
}

/* One second's worth at once, then the rate, whatever the sizes. */
static void test_rate_of_a_source(void **state)
{
	(void)state;
	rx_limit_init(&limit, 1000, RX_LIMIT_NONE, 7);
	assert_int_equal(take_all(1, 100, BEGIN_NS), 10);
	assert_false(rx_limit_take(&limit, 1, 1, BEGIN_NS));
	assert_int_equal(take_all(1, 100, BEGIN_NS + NS_PER_SEC / 2), 5);
	assert_int_equal(take_all(1, 10, BEGIN_NS + NS_PER_SEC), 50);
	/* What was not used for an hour is not saved up. */
	assert_int_equal(take_all(1, 100, BEGIN_NS + 3600 * NS_PER_SEC), 10);
	assert_false(rx_limit_take(&limit, 1, 1001, BEGIN_NS + 7200 * NS_PER_SEC));
}

/* Other sources have theirs; what one was refused costs nobody anything. */
static void test_sources_are_apart(void **state)
{
	(void)state;
	rx_limit_init(&limit, 1000, RX_LIMIT_NONE, 7);
	assert_int_equal(take_all(1, 100, BEGIN_NS), 10);
	assert_int_equal(take_all(2, 100, BEGIN_NS), 10);
}

static void test_total(void **state)
{
	unsigned int got = 0;

	(void)state;
	rx_limit_init(&limit, 1000, 5000, 7);
	for (uint64_t source = 0; source < 1000; source++)
		got += take_all(source, 100, BEGIN_NS);
	assert_int_equal(got, 50);
	/* Refused for the total's sake, a source has its own rate left. */
	assert_int_equal(take_all(500, 100, BEGIN_NS + NS_PER_SEC), 10);
}

static void test_no_limit(void **state)
{
	(void)state;
	rx_limit_init(&limit, RX_LIMIT_NONE, RX_LIMIT_NONE, 7);
	assert_int_equal(take_all(1, 312, BEGIN_NS), 100000);
}

/* However many sources there are, they have the memory of RX_LIMIT_PLACES, and no more than its rates. */
static void test_many_sources(void **state)
{
	uint64_t bytes = 0;

	(void)state;
	rx_limit_init(&limit, 1000, RX_LIMIT_NONE, 7);
	for (uint64_t source = 0; source < 8 * RX_LIMIT_PLACES; source++)
		bytes += 1000 * rx_limit_take(&limit, source, 1000, BEGIN_NS);
	assert_true(bytes <= 1000ull * RX_LIMIT_PLACES);
	assert_true(bytes > 900ull * RX_LIMIT_PLACES); /* they are spread */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_of_a_source),
		cmocka_unit_test(test_sources_are_apart),
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_no_limit),
		cmocka_unit_test(test_many_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
