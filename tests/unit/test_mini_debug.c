// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/mini_debug.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lzma.h>

static uint8_t *pack(const void *bytes, size_t len, size_t *packed_len)
{
	const size_t room = lzma_stream_buffer_bound(len);
	uint8_t *packed = malloc(room);

	assert_non_null(packed);
	*packed_len = 0;
	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, bytes, len, packed,
						 packed_len, room),
			 LZMA_OK);
	return packed;
}

static void what_was_packed_comes_back(void **state)
{
	static const size_t lengths[] = {1, 1000, 65536, 300000};
	size_t packed_len, len;
	void *plain;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		uint8_t *bytes = malloc(lengths[i]), *packed;

		assert_non_null(bytes);
		for (size_t k = 0; k < lengths[i]; k++)
			bytes[k] = (uint8_t)(k * k >> 3);
		packed = pack(bytes, lengths[i], &packed_len);
		assert_int_equal(mini_debug_unpack(packed, packed_len, &plain, &len), 0);
		assert_int_equal(len, lengths[i]);
		assert_memory_equal(plain, bytes, len);
		free(plain);
		free(packed);
		free(bytes);
	}
}

static void a_part_of_it_is_refused(void **state)
{
	char text[500] = "mini";
	size_t packed_len, len;
	uint8_t *packed = pack(text, sizeof(text), &packed_len);
	void *plain;

	(void)state;
	for (size_t i = 0; i < packed_len; i++)
		assert_int_equal(mini_debug_unpack(packed, i, &plain, &len), -EBADMSG);
	packed[0] ^= 1;
	assert_int_equal(mini_debug_unpack(packed, packed_len, &plain, &len), -EBADMSG);
	free(packed);
}

/* A few KiB that would become more than any such table. */
static void a_bomb_is_refused(void **state)
{
	const size_t large = 65u << 20;
	char *zeros = calloc(large, 1);
	size_t packed_len, len;
	uint8_t *packed;
	void *plain;

	(void)state;
	assert_non_null(zeros);
	packed = pack(zeros, large, &packed_len);
	assert_int_equal(mini_debug_unpack(packed, packed_len, &plain, &len), -E2BIG);
	free(packed);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_packed_comes_back),
		cmocka_unit_test(a_part_of_it_is_refused),
		cmocka_unit_test(a_bomb_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
