// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_survey.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rx/rx_record.h"
#include "wire/rx_debug.h"

static void answer_conn(struct rx_list *list, int32_t index, uint32_t cid)
{
	const struct sonde_rx_conn conn = {.cid = cid, .epoch = cid != RX_DEBUG_END};
	uint8_t payload[RX_CONN_BYTES];

	rx_conn_pack(&conn, payload);
	rx_list_take(list, index, 0, payload, sizeof(payload));
}

/* Asks for and answers all: connection i is 4 * i, but in the first pass that of @from and later is
 * 4 * (i - @shift). */
static void read_all(struct rx_list *list, int32_t count, int32_t from, int32_t shift)
{
	const unsigned int passes = list->passes;
	int32_t index;

	while ((index = rx_list_ask(list)) >= 0) {
		bool moved = list->passes == passes && index >= from;
		int32_t which = moved ? index - shift : index;

		answer_conn(list, index, which < count ? (uint32_t)(4 * which) : RX_DEBUG_END);
	}
}

static void test_in_order(void **state)
{
	struct rx_list list;

	(void)state;
	rx_list_init(&list, RX_DEBUG_ALL_CONN, 100, 1);
	read_all(&list, 10, INT32_MAX, 0);
	assert_true(rx_list_is_done(&list));
	assert_int_equal(list.err, 0);
	assert_int_equal(list.count, 10);
	assert_int_equal(rx_list_conns(&list)[9].cid, 36);
	assert_null(rx_list_peers(&list));
	rx_list_fini(&list);
}

/* Several questions on their way, answered in any order; those behind the end are none, whatever came. */
static void test_out_of_order(void **state)
{
	struct rx_list list;

	(void)state;
	rx_list_init(&list, RX_DEBUG_ALL_CONN, 100, 1);
	for (int32_t i = 0; i < 6; i++)
		assert_int_equal(rx_list_ask(&list), i);
	answer_conn(&list, 5, RX_DEBUG_END);
	rx_list_take(&list, 4, -ETIMEDOUT, NULL, 0);
	assert_int_equal(rx_list_ask(&list), -1);
	assert_false(rx_list_is_done(&list));
	answer_conn(&list, 2, 8);
	answer_conn(&list, 3, RX_DEBUG_END);
	answer_conn(&list, 1, 4);
	answer_conn(&list, 0, 0);
	assert_true(rx_list_is_done(&list));
	assert_int_equal(list.count, 3);
	/* 4 was not answered when it might still have been one. */
	assert_int_equal(list.err, -ETIMEDOUT);
	rx_list_fini(&list);
}

/* One that comes in front moves the others: it is met twice, and kept once. */
static void test_shifted(void **state)
{
	struct rx_list list;

	(void)state;
	rx_list_init(&list, RX_DEBUG_ALL_CONN, 100, 1);
	read_all(&list, 10, 5, 1);
	assert_int_equal(list.count, 10);
	assert_int_equal(list.twice, 1);
	rx_list_fini(&list);
}

/* One in front that goes: the next is missed, and found by another pass. */
static void test_second_pass(void **state)
{
	struct rx_list list;

	(void)state;
	rx_list_init(&list, RX_DEBUG_ALL_CONN, 100, 1);
	read_all(&list, 10, 5, -1);
	assert_int_equal(list.count, 9);
	rx_list_fini(&list);
	rx_list_init(&list, RX_DEBUG_ALL_CONN, 100, 2);
	read_all(&list, 10, 5, -1);
	assert_true(rx_list_is_done(&list));
	assert_int_equal(list.count, 10);
	assert_int_equal(list.twice, 0);
	rx_list_fini(&list);
}

/* One that never ends does. */
static void test_endless(void **state)
{
	struct rx_list list;
	int32_t index, most = 0;

	(void)state;
	rx_list_init(&list, RX_DEBUG_ALL_CONN, 50, 1);
	while ((index = rx_list_ask(&list)) >= 0) {
		most = index;
		answer_conn(&list, index, 0);
	}
	assert_int_equal(list.err, -E2BIG);
	assert_int_equal(list.count, 1);
	assert_true(rx_list_is_done(&list));
	assert_in_range(most, 50, 60);
	rx_list_fini(&list);
}

static void test_broken_off(void **state)
{
	struct rx_list list;

	(void)state;
	rx_list_init(&list, RX_DEBUG_PEER, 50, 1);
	assert_int_equal(rx_list_ask(&list), 0);
	rx_list_take(&list, 0, 0, "short", 5);
	assert_int_equal(list.err, -EBADMSG);
	assert_int_equal(rx_list_ask(&list), -1);
	assert_true(rx_list_is_done(&list));
	rx_list_fini(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order), cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_shifted),	 cmocka_unit_test(test_second_pass),
		cmocka_unit_test(test_endless),	 cmocka_unit_test(test_broken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
