// SPDX-License-Identifier: BSD-2-Clause
#include "base/byte_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	enum byte_order order;
	unsigned int bytes;
	uint8_t stored[8];
} cases[] = {
	{BYTE_ORDER_LITTLE, 1, {8}},
	{BYTE_ORDER_LITTLE, 2, {8, 7}},
	{BYTE_ORDER_LITTLE, 4, {8, 7, 6, 5}},
	{BYTE_ORDER_LITTLE, 8, {8, 7, 6, 5, 4, 3, 2, 1}},
	{BYTE_ORDER_BIG, 1, {8}},
	{BYTE_ORDER_BIG, 2, {7, 8}},
	{BYTE_ORDER_BIG, 4, {5, 6, 7, 8}},
	{BYTE_ORDER_BIG, 8, {1, 2, 3, 4, 5, 6, 7, 8}},
	{BYTE_ORDER_PDP, 1, {8}},
	{BYTE_ORDER_PDP, 2, {8, 7}},
	{BYTE_ORDER_PDP, 4, {6, 5, 8, 7}},
	{BYTE_ORDER_PDP, 8, {2, 1, 4, 3, 6, 5, 8, 7}},
	{BYTE_ORDER_WORDS, 1, {8}},
	{BYTE_ORDER_WORDS, 2, {8, 7}},
	{BYTE_ORDER_WORDS, 4, {8, 7, 6, 5}},
	{BYTE_ORDER_WORDS, 8, {4, 3, 2, 1, 8, 7, 6, 5}},
};

/* At an odd address; what is beside the integer stays. */
static void test_orders(void **state)
{
	const uint64_t value = 0x0102030405060708;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const unsigned int bytes = cases[i].bytes;
		uint8_t room[10];

		memset(room, 0xee, sizeof(room));
		byte_order_store(room + 1, bytes, cases[i].order, value);
		assert_int_equal(room[0], 0xee);
		assert_memory_equal(room + 1, cases[i].stored, bytes);
		assert_int_equal(room[1 + bytes], 0xee);
		assert_int_equal(byte_order_load(room + 1, bytes, cases[i].order),
				 value & UINT64_MAX >> (64 - 8 * bytes));
	}
}

static void test_host(void **state)
{
	const uint32_t value = 0x01020304;

	(void)state;
	assert_int_equal(byte_order_load((const uint8_t *)&value, 4, BYTE_ORDER_HOST), value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
