// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES 20000u

static const unsigned int asked[] = {1, 10, 250, 500, 900, 990, 999, 1000};

static uint64_t random_state = 88172645463325252ull;

/* xorshift64: the same numbers everywhere. */
static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Of @sorted: the smallest that a share of at least @per_mille does not exceed. */
static uint64_t exact_percentile(const uint64_t *sorted, size_t count, unsigned int per_mille)
{
	size_t rank = (count * per_mille + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

/* Not below the exact one, above it by less than 1/16, not above the greatest. */
static void check_percentiles(const struct latency *latency, uint64_t *values, size_t count)
{
	uint64_t exact, got;
	size_t i;

	qsort(values, count, sizeof(*values), compare);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		exact = exact_percentile(values, count, asked[i]);
		got = latency_percentile(latency, asked[i]);
		assert_true(got >= exact);
		assert_true(got - exact <= exact / 16);
		assert_true(got <= values[count - 1]);
	}
	assert_int_equal(latency->count, count);
	assert_true(latency->min_ns == values[0]);
	assert_true(latency->max_ns == values[count - 1]);
}

static void test_random(void **state)
{
	static uint64_t values[SAMPLES];
	unsigned int shift, i;

	(void)state;
	for (shift = 0; shift < 64; shift += 7) {
		struct latency latency = {0};
		uint64_t total = 0;

		for (i = 0; i < SAMPLES; i++) {
			/* as many of each size, as durations are */
			values[i] = random_next() >> (shift + random_next() % (64 - shift));
			latency_add(&latency, values[i]);
			if (__builtin_add_overflow(total, values[i], &total))
				total = UINT64_MAX;
		}
		assert_true(latency.total_ns == total);
		check_percentiles(&latency, values, SAMPLES);
	}
}

static void test_small_are_exact(void **state)
{
	struct latency latency = {0};
	uint64_t ns;

	(void)state;
	for (ns = 0; ns < 32; ns++)
		latency_add(&latency, ns);
	assert_int_equal(latency_percentile(&latency, 500), 15);
	assert_int_equal(latency_percentile(&latency, 1000), 31);
	assert_int_equal(latency_percentile(&latency, 1), 0);
	assert_int_equal(latency.total_ns, 496);
}

static void test_empty(void **state)
{
	struct latency latency = {0}, other = {0};
	struct latency_bucket bucket;
	size_t at = 0;

	(void)state;
	assert_int_equal(latency_percentile(&latency, 500), 0);
	assert_int_equal(latency_percentile(&latency, 1000), 0);
	assert_false(latency_next(&latency, &at, &bucket));
	latency_merge(&latency, &other);
	assert_int_equal(latency.count, 0);
}

static void test_one(void **state)
{
	static const uint64_t ends[] = {0, 1, 15, 16, 17, 31, 32, 33, 1000, UINT64_MAX};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct latency latency = {0};
		struct latency_bucket bucket;
		size_t at = 0;

		latency_add(&latency, ends[i]);
		assert_true(latency_percentile(&latency, 10) == ends[i]);
		assert_true(latency_percentile(&latency, 990) == ends[i]);
		assert_true(latency.min_ns == ends[i] && latency.max_ns == ends[i]);
		assert_true(latency_next(&latency, &at, &bucket));
		assert_true(bucket.from_ns <= ends[i] && bucket.last_ns >= ends[i]);
		assert_int_equal(bucket.count, 1);
		assert_false(latency_next(&latency, &at, &bucket));
	}
}

/* Buckets follow each other without a gap, from 0 to the last number there is. */
static void test_buckets(void **state)
{
	struct latency latency = {0};
	struct latency_bucket bucket;
	uint64_t expected = 0;
	size_t at = 0;

	(void)state;
	while (at < LATENCY_BUCKETS)
		latency.buckets[at++] = 1;
	at = 0;
	while (latency_next(&latency, &at, &bucket)) {
		assert_true(bucket.from_ns == expected);
		assert_true(bucket.last_ns - bucket.from_ns <= bucket.from_ns / 16);
		expected = bucket.last_ns + 1;
	}
	assert_true(bucket.last_ns == UINT64_MAX);
}

static void test_merge(void **state)
{
	static struct latency parts[3], whole, merged;
	uint64_t values[3000];
	size_t i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		values[i] = random_next() >> (20 + i % 40);
		latency_add(&parts[i % 3], values[i]);
		latency_add(&whole, values[i]);
	}
	for (i = 0; i < 3; i++)
		latency_merge(&merged, &parts[i]);
	assert_memory_equal(&merged, &whole, sizeof(whole));
	check_percentiles(&merged, values, 3000);
}

static void test_total_stays_at_its_end(void **state)
{
	struct latency latency = {0}, other = {0};

	(void)state;
	latency_add(&latency, UINT64_MAX);
	latency_add(&latency, 5);
	assert_true(latency.total_ns == UINT64_MAX);
	latency_add(&other, 7);
	latency_merge(&other, &latency);
	assert_true(other.total_ns == UINT64_MAX);
	assert_int_equal(other.min_ns, 5);
}

static void test_times(void **state)
{
	struct latency many = {0}, one = {0};
	size_t i;

	(void)state;
	latency_add_times(&many, 77, 5);
	latency_add_times(&many, 5000, 0);
	for (i = 0; i < 5; i++)
		latency_add(&one, 77);
	assert_memory_equal(&many, &one, sizeof(one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),	cmocka_unit_test(test_small_are_exact),
		cmocka_unit_test(test_empty),	cmocka_unit_test(test_one),
		cmocka_unit_test(test_buckets), cmocka_unit_test(test_merge),
		cmocka_unit_test(test_times),	cmocka_unit_test(test_total_stays_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
