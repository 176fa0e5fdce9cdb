// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/pcap/rx_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define S 1000000000ll

static struct rx_pair_key key_of(uint8_t server, uint32_t call)
{
	return (struct rx_pair_key){
		.client = {1}, .server = {server}, .server_port = 7003, .call = call, .type = 8};
}

static void test_asked_and_answered(void **state)
{
	const struct rx_pair_key key = key_of(1, 5), other = key_of(1, 6);
	struct rx_pair_key forgotten;
	struct rx_pair pair;
	struct rx_pairs pairs;

	(void)state;
	rx_pairs_init(&pairs);
	assert_null(rx_pairs_answer(&pairs, &key));
	assert_non_null(rx_pairs_ask(&pairs, &key, 10 * S));
	assert_int_equal(rx_pairs_ask(&pairs, &key, 11 * S)->asked, 2);
	assert_null(rx_pairs_answer(&pairs, &other));
	assert_int_equal(rx_pairs_answer(&pairs, &key)->answers, 1);
	assert_int_equal(rx_pairs_answer(&pairs, &key)->first_ns, 10 * S);
	/* The same question again is a new one; an answer to it, too. */
	assert_int_equal(rx_pairs_ask(&pairs, &key, 20 * S)->asked, 1);
	assert_int_equal(rx_pairs_answer(&pairs, &key)->answers, 1);
	assert_int_equal(rx_pairs_answer(&pairs, &key)->first_ns, 20 * S);
	assert_false(rx_pairs_expire(&pairs, 75 * S, &forgotten, &pair));
	/* Nobody waits for what was answered. */
	assert_false(rx_pairs_expire(&pairs, INT64_MAX, &forgotten, &pair));
	assert_null(rx_pairs_answer(&pairs, &key));
	rx_pairs_fini(&pairs);
}

/* Its patience begins anew whenever it asks. */
static void test_given_up(void **state)
{
	const struct rx_pair_key key = key_of(1, 5);
	struct rx_pair_key forgotten;
	struct rx_pairs pairs;
	struct rx_pair pair;

	(void)state;
	rx_pairs_init(&pairs);
	rx_pairs_ask(&pairs, &key, 0);
	rx_pairs_ask(&pairs, &key, 30 * S);
	assert_false(rx_pairs_expire(&pairs, 61 * S, &forgotten, &pair));
	assert_false(rx_pairs_expire(&pairs, 90 * S, &forgotten, &pair));
	assert_true(rx_pairs_expire(&pairs, 90 * S + 1, &forgotten, &pair));
	assert_int_equal(forgotten.call, 5);
	assert_int_equal(pair.asked, 2);
	assert_int_equal(pair.first_ns, 0);
	assert_false(rx_pairs_expire(&pairs, INT64_MAX, &forgotten, &pair));
	/* It may ask again, as if it never had. */
	assert_int_equal(rx_pairs_ask(&pairs, &key, 91 * S)->asked, 1);
	assert_true(rx_pairs_expire(&pairs, INT64_MAX, &forgotten, &pair));
	rx_pairs_fini(&pairs);
}

/* From another address of the server; where both were asked, each gets its own. */
static void test_other_address(void **state)
{
	const struct rx_pair_key first = key_of(1, 5), second = key_of(2, 5),
				 stranger = key_of(9, 5);
	struct rx_pair_key port = stranger;
	struct rx_pairs pairs;

	(void)state;
	rx_pairs_init(&pairs);
	rx_pairs_ask(&pairs, &first, 1)->index = 1;
	assert_int_equal(rx_pairs_answer(&pairs, &stranger)->index, 1);
	rx_pairs_ask(&pairs, &second, 2)->index = 2;
	assert_int_equal(rx_pairs_answer(&pairs, &first)->index, 1);
	assert_int_equal(rx_pairs_answer(&pairs, &second)->index, 2);
	assert_int_equal(rx_pairs_answer(&pairs, &stranger)->index, 2);
	port.server_port++;
	assert_null(rx_pairs_answer(&pairs, &port));
	rx_pairs_fini(&pairs);
}

/* Memory is bounded: the oldest makes room. */
static void test_full(void **state)
{
	struct rx_pair_key forgotten, key;
	struct rx_pairs pairs;
	struct rx_pair pair;

	(void)state;
	rx_pairs_init(&pairs);
	for (uint32_t i = 0; i < RX_PAIRS_MAX; i++) {
		key = key_of(1, i);
		assert_false(rx_pairs_expire(&pairs, 1, &forgotten, &pair));
		assert_non_null(rx_pairs_ask(&pairs, &key, 1));
	}
	key = key_of(1, RX_PAIRS_MAX);
	assert_null(rx_pairs_ask(&pairs, &key, 1));
	assert_true(rx_pairs_expire(&pairs, 1, &forgotten, &pair));
	assert_int_equal(forgotten.call, 0);
	assert_false(rx_pairs_expire(&pairs, 1, &forgotten, &pair));
	assert_non_null(rx_pairs_ask(&pairs, &key, 1));
	rx_pairs_fini(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asked_and_answered),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_other_address),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
