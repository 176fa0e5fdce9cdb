// SPDX-License-Identifier: BSD-2-Clause
#include "base/cursor.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *bytes, size_t len, bool is_signed, uint64_t want)
{
	uint64_t value = 0;

	assert_int_equal(leb128_get((const uint8_t *)bytes, len, is_signed, &value), len);
	assert_true(value == want);
}

static void unsigned_ones_end_where_the_eighth_bit_is_clear(void **state)
{
	(void)state;
	expect("\x00", 1, false, 0);
	expect("\x7f", 1, false, 127);
	expect("\x80\x01", 2, false, 128);
	expect("\xe5\x8e\x26", 3, false, 624485);
	expect("\x80\x80\x00", 3, false, 0);
	expect("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, false, UINT64_MAX);
}

static void signed_ones_have_their_sign_in_the_seventh(void **state)
{
	(void)state;
	expect("\x3f", 1, true, 63);
	expect("\x40", 1, true, (uint64_t)-64);
	expect("\xc0\xbb\x78", 3, true, (uint64_t)-123456);
	expect("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, true, (uint64_t)INT64_MIN);
	expect("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, true, INT64_MAX);
}

static void what_breaks_off_or_is_too_large_is_told(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_int_equal(leb128_get((const uint8_t *)"", 0, false, &value), -ENODATA);
	assert_int_equal(leb128_get((const uint8_t *)"\x80\x80", 2, false, &value), -ENODATA);
	assert_int_equal(leb128_get((const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10,
				    false, &value),
			 -EBADMSG);
	assert_int_equal(leb128_get((const uint8_t *)"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10,
				    true, &value),
			 -EBADMSG);
	assert_int_equal(leb128_get((const uint8_t *)"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
				    11, false, &value),
			 -EBADMSG);
	assert_true(value == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned_ones_end_where_the_eighth_bit_is_clear),
		cmocka_unit_test(signed_ones_have_their_sign_in_the_seventh),
		cmocka_unit_test(what_breaks_off_or_is_too_large_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
