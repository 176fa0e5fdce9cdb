// SPDX-License-Identifier: BSD-2-Clause
#include "ctf/packet.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "wire/index.h"

static const uint8_t head[INDEX_HEAD_BYTES] = {0xc1, 0xf1, 0xdc, 0xc1, 0, 0, 0, 1,
					       0,    0,	   0,	 1,    0, 0, 0, 72};

static void put64(uint8_t *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> (56 - 8 * i));
}

static void whole_entries_count_and_torn_ones_do_not(void **state)
{
	uint8_t bytes[INDEX_HEAD_BYTES + INDEX_ENTRY_BYTES + 50] = {0};
	struct packet_index index;
	struct index_packet packet;

	(void)state;
	memcpy(bytes, head, sizeof(head));
	for (unsigned int i = 0; i < 9; i++)
		put64(bytes + INDEX_HEAD_BYTES + i * 8, (i + 1) * 800);
	put64(bytes + INDEX_HEAD_BYTES + 16, 801);
	assert_int_equal(packet_index_parse(bytes, sizeof(bytes), &index, NULL), 0);
	assert_int_equal(index.count, 1);
	assert_int_equal(packet_index_get(&index, bytes, 0, &packet), 0);
	assert_int_equal(packet.offset, 800);
	assert_int_equal(packet.packet_bytes, 200);
	assert_int_equal(packet.content_bytes, 101);
	assert_int_equal(packet.sequence, 7200);
	put64(bytes + INDEX_HEAD_BYTES + 16, 1601);
	assert_int_equal(packet_index_get(&index, bytes, 0, &packet), -EBADMSG);
}

static void entries_of_frames_tell_both_places(void **state)
{
	uint8_t bytes[INDEX_HEAD_BYTES + INDEX_ENTRY_FRAME_BYTES] = {0};
	struct packet_index index;
	struct index_packet packet;

	(void)state;
	memcpy(bytes, head, sizeof(head));
	bytes[INDEX_HEAD_BYTES - 1] = INDEX_ENTRY_FRAME_BYTES;
	for (unsigned int i = 0; i < 11; i++)
		put64(bytes + INDEX_HEAD_BYTES + i * 8, (i + 1) * 800);
	put64(bytes + INDEX_HEAD_BYTES + 16, 801);
	assert_int_equal(packet_index_parse(bytes, sizeof(bytes), &index, NULL), 0);
	assert_int_equal(index.count, 1);
	assert_int_equal(packet_index_get(&index, bytes, 0, &packet), 0);
	assert_int_equal(packet.file_offset, 800);
	assert_int_equal(packet.file_bytes, 8000);
	assert_int_equal(packet.offset, 8800);
	assert_int_equal(packet.packet_bytes, 200);
	assert_int_equal(packet.sequence, 7200);
	put64(bytes + INDEX_HEAD_BYTES + 80, UINT64_MAX);
	assert_int_equal(packet_index_get(&index, bytes, 0, &packet), -EBADMSG);
}

static void foreign_heads_are_refused(void **state)
{
	uint8_t bytes[INDEX_HEAD_BYTES];
	struct packet_index index;
	struct diag diag;

	(void)state;
	memcpy(bytes, head, sizeof(head));
	assert_int_equal(packet_index_parse(bytes, 10, &index, &diag), -ENODATA);
	bytes[15] = 3;
	assert_int_equal(packet_index_parse(bytes, sizeof(bytes), &index, &diag), -EBADMSG);
	bytes[7] = 2;
	assert_int_equal(packet_index_parse(bytes, sizeof(bytes), &index, &diag), -ENOTSUP);
	bytes[0] = 0;
	assert_int_equal(packet_index_parse(bytes, sizeof(bytes), &index, &diag), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_entries_count_and_torn_ones_do_not),
		cmocka_unit_test(entries_of_frames_tell_both_places),
		cmocka_unit_test(foreign_heads_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
