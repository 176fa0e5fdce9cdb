// SPDX-License-Identifier: BSD-2-Clause
#include "base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static void test_both_byte_orders(void **state)
{
	struct cursor cur;

	(void)state;
	cursor_init(&cur, bytes, sizeof(bytes));
	assert_int_equal(cursor_u8(&cur), 1);
	assert_int_equal(cursor_be16(&cur), 0x0203);
	assert_int_equal(cursor_le16(&cur), 0x0504);
	assert_int_equal(cursor_left(&cur), 4);
	cursor_init(&cur, bytes, sizeof(bytes));
	assert_int_equal(cursor_be32(&cur), 0x01020304);
	assert_int_equal(cursor_le32(&cur), 0x08070605);
	cursor_init(&cur, bytes, sizeof(bytes));
	assert_true(cursor_be64(&cur) == 0x0102030405060708);
	cursor_init(&cur, bytes + 1, sizeof(bytes) - 1);
	assert_true(cursor_le64(&cur) == 0x0908070605040302);
	assert_false(cur.short_read);
	assert_int_equal(cursor_left(&cur), 0);
}

static void test_short_read_is_sticky(void **state)
{
	struct cursor cur;

	(void)state;
	cursor_init(&cur, bytes, 3);
	assert_int_equal(cursor_be32(&cur), 0);
	assert_true(cur.short_read);
	assert_int_equal(cursor_u8(&cur), 0);
	assert_true(cur.short_read);
}

static void test_bytes_are_borrowed(void **state)
{
	struct cursor cur;

	(void)state;
	cursor_init(&cur, bytes, sizeof(bytes));
	cursor_skip(&cur, 2);
	assert_ptr_equal(cursor_bytes(&cur, 7), bytes + 2);
	assert_non_null(cursor_bytes(&cur, 0));
	assert_null(cursor_bytes(&cur, 1));
	assert_null(cursor_bytes(&cur, SIZE_MAX));
	assert_true(cur.short_read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_byte_orders),
		cmocka_unit_test(test_short_read_is_sticky),
		cmocka_unit_test(test_bytes_are_borrowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
