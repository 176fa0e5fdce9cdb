// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_pending.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
	struct ingest_pending pending;
	size_t total;
	struct ingest_packet whole;
};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	ingest_pending_init(&fix->pending, &fix->total);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	assert_true(ingest_pending_is_sound(&fix->pending));
	assert_int_equal(fix->total, fix->pending.count);
	ingest_pending_fini(&fix->pending);
	assert_int_equal(fix->total, 0);
	free(fix);
	return 0;
}

/* Of 8 bytes, as are all of these packets, at an offset that tells its number. */
static int data(struct fixture *fix, uint64_t number)
{
	const struct ingest_packet packet = {
		.number = number, .offset = 8 * number, .bytes = 8, .len = 8};

	return ingest_pending_begin(&fix->pending, number) ?:
		       ingest_pending_data(&fix->pending, &packet, &fix->whole);
}

static int entry(struct fixture *fix, uint64_t number)
{
	const struct ingest_index index = {.number = number, .packet_bits = 64, .begin = number};

	return ingest_pending_index(&fix->pending, &index, &fix->whole);
}

static void assert_whole(const struct fixture *fix, uint64_t number)
{
	assert_int_equal(fix->whole.number, number);
	assert_int_equal(fix->whole.offset, 8 * number);
	assert_int_equal(fix->whole.index.begin, number);
}

static void either_first(void **state)
{
	struct fixture *fix = *state;

	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(data(fix, i), 0);
	for (uint64_t i = 0; i < 90; i++) {
		assert_int_equal(entry(fix, i), 1);
		assert_whole(fix, i);
	}
	assert_int_equal(fix->total, 10);
	for (uint64_t i = 90; i < 200; i++)
		assert_int_equal(entry(fix, i), i < 100);
	for (uint64_t i = 100; i < 200; i++) {
		assert_int_equal(data(fix, i), 1);
		assert_whole(fix, i);
	}
	assert_int_equal(fix->total, 0);
	assert_int_equal(fix->pending.done, 200);
}

static void any_first_number(void **state)
{
	struct fixture *fix = *state;

	assert_false(ingest_pending_has(&fix->pending, 0));
	assert_true(ingest_pending_has(&fix->pending, RELAY_NO_PACKET));
	assert_int_equal(data(fix, 1000), 0);
	assert_int_equal(entry(fix, 999), -EPROTO);
	assert_int_equal(entry(fix, 1001), -EPROTO);
	assert_true(ingest_pending_has(&fix->pending, 1000));
	assert_int_equal(entry(fix, 1000), 1);
	assert_whole(fix, 1000);
	assert_int_equal(entry(fix, 1001), 0);
	assert_false(ingest_pending_has(&fix->pending, 1001));
	assert_int_equal(data(fix, 1000), -EPROTO);
	assert_int_equal(data(fix, 1002), -EPROTO);
	assert_int_equal(data(fix, 1001), 1);
	assert_true(ingest_pending_has(&fix->pending, 1001));
}

static void last_numbers(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(data(fix, RELAY_NO_PACKET), -EPROTO);
	assert_int_equal(entry(fix, RELAY_NO_PACKET), -EPROTO);
	assert_int_equal(data(fix, RELAY_NO_PACKET - 1), 0);
	assert_int_equal(data(fix, RELAY_NO_PACKET), -EPROTO);
	assert_int_equal(data(fix, 0), -EPROTO);
	assert_int_equal(entry(fix, RELAY_NO_PACKET - 1), 1);
	assert_int_equal(entry(fix, 0), -EPROTO);
}

static void lengths_differ(void **state)
{
	struct fixture *fix = *state;
	const struct ingest_index index = {.number = 1, .packet_bits = 72};

	assert_int_equal(data(fix, 0), 0);
	assert_int_equal(data(fix, 1), 0);
	assert_int_equal(entry(fix, 0), 1);
	assert_int_equal(ingest_pending_index(&fix->pending, &index, &fix->whole), -EPROTO);
	assert_true(ingest_pending_is_sound(&fix->pending));
	assert_int_equal(entry(fix, 1), 1);
}

/* A stream without an index has no end of packets that wait for one: what is here is kept as it is. */
static void no_index(void **state)
{
	struct fixture *fix = *state;

	for (uint64_t i = 0; i < INGEST_PENDING_MAX; i++)
		assert_int_equal(data(fix, i), 0);
	assert_int_equal(ingest_pending_get(&fix->pending, 0)->offset, 0);
	assert_int_equal(ingest_pending_get(&fix->pending, INGEST_PENDING_MAX - 1)->number,
			 INGEST_PENDING_MAX - 1);
	assert_int_equal(data(fix, INGEST_PENDING_MAX), 0);
	assert_int_equal(fix->total, 0);
	assert_null(ingest_pending_get(&fix->pending, 0));
	assert_int_equal(fix->pending.done, INGEST_PENDING_MAX + 1);
	assert_int_equal(entry(fix, 0), -EPROTO);
	assert_int_equal(entry(fix, INGEST_PENDING_MAX + 1), -EPROTO);
	assert_true(ingest_pending_has(&fix->pending, INGEST_PENDING_MAX));
	assert_false(ingest_pending_has(&fix->pending, INGEST_PENDING_MAX + 1));
}

static void too_far_ahead(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(data(fix, 0), 0);
	assert_int_equal(entry(fix, 0), 1);
	for (uint64_t i = 1; i <= INGEST_PENDING_MAX; i++)
		assert_int_equal(data(fix, i), 0);
	assert_int_equal(data(fix, INGEST_PENDING_MAX + 1), -ENOBUFS);
	for (uint64_t i = 1; i <= INGEST_PENDING_MAX; i++)
		assert_int_equal(entry(fix, i), 1);
	for (uint64_t i = INGEST_PENDING_MAX + 1; i <= 2 * INGEST_PENDING_MAX; i++)
		assert_int_equal(entry(fix, i), 0);
	assert_int_equal(entry(fix, 2 * INGEST_PENDING_MAX + 1), -ENOBUFS);
}

/* What all streams of a session keep is limited, too. */
static void too_much_in_all(void **state)
{
	struct fixture *fix = *state;

	fix->total = INGEST_PENDING_ALL - 1;
	assert_int_equal(entry(fix, 0), 0);
	assert_int_equal(entry(fix, 1), -ENOBUFS);
	fix->total -= INGEST_PENDING_ALL - 1;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(either_first),    TEST(any_first_number), TEST(last_numbers),
		TEST(lengths_differ),  TEST(no_index),	       TEST(too_far_ahead),
		TEST(too_much_in_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
