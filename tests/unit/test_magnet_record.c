// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_record.h"

#include <errno.h>

#include "magnet_fixture.h"

#define RECORDS 12u
#define FILE_BYTES (RECORDS * MAGNET_RECORD_MAX_BYTES)

/* A file as somebody else's kernel may have written it: nothing is marked. */
static size_t make(const struct magnet_layout *layout, uint8_t *bytes, size_t used)
{
	size_t each = magnet_record_bytes(layout);

	memset(bytes, 0, FILE_BYTES);
	for (size_t i = 0; i < used; i++) {
		struct magnet_head head = {.sockid = 0xc0de0000u + (i & 3),
					   .timestamp = 123456789012ull + i * 1000,
					   .event = (uint32_t)(i ? i % 15 + 1 : MAGNET_SYSINFO),
					   .size = (int32_t)(i ? 1448 : 866000)};

		magnet_head_store(layout, bytes + i * each, &head);
		for (size_t at = layout->wide ? MAGNET_AT_DATA_64 : MAGNET_AT_DATA_32; at < each;
		     at++)
			bytes[i * each + at] = (uint8_t)(at * 7 + i);
	}
	return RECORDS * each;
}

static void test_names(void **state)
{
	char name[MAGNET_LAYOUT_NAME_BYTES];
	struct magnet_layout layout;

	(void)state;
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		layout = layout_at(i);
		magnet_layout_format(&layout, name);
		assert_string_equal(name, layout_names[i]);
	}
	assert_int_equal(magnet_layout_parse("le16", &layout), -EINVAL);
	assert_int_equal(magnet_layout_parse("", &layout), -EINVAL);
}

/* Byte by byte, as the page says. */
static void test_bytes(void **state)
{
	static const uint8_t le32[20] = {0x78, 0x56, 0x34, 0x12, 8, 7, 6,    5,	   4,	 3,
					 2,    1,    2,	   0,	 0, 0, 0x98, 0xff, 0xff, 0xff};
	static const uint8_t be64[24] = {0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 1,	   2,	 3,   4, 5,
					 6, 7, 8, 0, 0,	   0,	 2,    0xff, 0xff, 0xff, 0x98};
	const struct magnet_head head = {0x12345678, 0x0102030405060708ull, MAGNET_TCP_SEND, -104};
	struct magnet_layout layout = layout_at(0);
	struct magnet_head again;
	uint8_t record[24];

	(void)state;
	magnet_head_store(&layout, record, &head);
	assert_memory_equal(record, le32, sizeof(le32));
	layout = layout_at(3);
	magnet_head_store(&layout, record, &head);
	assert_memory_equal(record, be64, sizeof(be64));
	magnet_head_load(&layout, record, &again);
	assert_int_equal(again.sockid, head.sockid);
	assert_int_equal(again.timestamp, head.timestamp);
	assert_int_equal(again.event, head.event);
	assert_int_equal(again.size, head.size);
}

/* Of files that are full, that have room, and of which the beginning is there. */
static void test_detect(void **state)
{
	static const size_t used[] = {RECORDS, 8, 3};
	uint8_t bytes[FILE_BYTES];
	struct magnet_layout layout, found;

	(void)state;
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		layout = layout_at(i);
		for (size_t k = 0; k < sizeof(used) / sizeof(used[0]); k++) {
			size_t len = make(&layout, bytes, used[k]);

			assert_true(magnet_detect_is(bytes, len));
			assert_int_equal(magnet_detect_layout(bytes, len, len, &found), 0);
			assert_true(magnet_layout_equals(&found, &layout));
			assert_int_equal(magnet_detect_layout(bytes, len, 0, &found), 0);
			assert_true(magnet_layout_equals(&found, &layout));
			len = used[k] * magnet_record_bytes(&layout);
			assert_int_equal(magnet_detect_layout(bytes, len - 1, 0, &found), 0);
			assert_true(magnet_layout_equals(&found, &layout));
		}
	}
}

/* Nothing but the first record. */
static void test_detect_empty(void **state)
{
	uint8_t bytes[FILE_BYTES];
	struct magnet_layout layout, found;

	(void)state;
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		size_t len;

		layout = layout_at(i);
		len = make(&layout, bytes, 1);
		if (layout.data)
			memcpy(bytes + (layout.wide ? MAGNET_AT_DATA_64 : MAGNET_AT_DATA_32),
			       MAGNET_MARK, MAGNET_MARK_BYTES);
		assert_int_equal(magnet_detect_layout(bytes, len, len, &found), 0);
		assert_true(magnet_layout_equals(&found, &layout));
	}
}

static void test_not_ours(void **state)
{
	uint8_t bytes[64] = {0};
	struct magnet_layout found;

	(void)state;
	assert_false(magnet_detect_is(bytes, sizeof(bytes)));
	assert_false(magnet_detect_is(bytes, 0));
	assert_int_equal(magnet_detect_layout(bytes, sizeof(bytes), 0, &found), -EBADMSG);
}

static void test_patterns(void **state)
{
	struct magnet_names names = {0};
	struct diag diag;

	(void)state;
	assert_int_equal(magnet_names_add(&names, "net.tcp_send", &diag), 0);
	assert_int_equal(names.count, 1);
	assert_int_equal(magnet_names_add(&names, "net.tcp_*,net.drop", &diag), 0);
	assert_int_equal(names.count, 3);
	assert_string_equal(names.names[0], "net.tcp_send");
	assert_string_equal(names.names[1], "net.tcp_recv");
	assert_string_equal(names.names[2], "net.drop");
	/* All that a pattern means beside is left out. */
	assert_int_equal(magnet_names_add(&names, "*", &diag), 0);
	assert_int_equal(names.count, 15);
	assert_int_equal(magnet_names_add(&names, "net", &diag), 0);
	assert_int_equal(names.count, 15);
}

static void test_none(void **state)
{
	struct magnet_names names = {0};
	struct diag diag;

	(void)state;
	assert_int_equal(magnet_names_add(&names, "net.drop,tcp.ack", &diag), -ENOENT);
	assert_string_equal(diag.text, "'tcp.ack' is nothing that MAGNeT has a record for");
	assert_int_equal(magnet_names_add(&names, "", &diag), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_detect),	 cmocka_unit_test(test_detect_empty),
		cmocka_unit_test(test_not_ours), cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
