// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/viewer_codec.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/diag.h"

/* As babeltrace 2.0.4 and lttng-relayd 2.13.9 sent them, and 2.16 the second list. */
static const uint8_t packet_request[] = {
	0, 0, 0, 0, 0, 0,    0, 0x14, 0, 0, 0, 5, 0, 0, 0, 0, 0,    0,
	0, 0, 0, 0, 0, 0x41, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0,
};
static const uint8_t attach_request[] = {
	0, 0, 0, 0, 0, 0,  0, 0x14, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 12, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
};
static const uint8_t connect_reply[] = {
	0, 0, 0, 0, 0, 0, 0, 0x29, 0, 0, 0, 2, 0, 0, 0, 0x0d, 0, 0, 0, 0,
};
static const uint8_t index_reply[] = {
	0, 0, 0, 0,    0,    0,	   0,	 0,    0, 0, 0, 0,    0,    0,	  0x80, 0,
	0, 0, 0, 0,    0,    0,	   2,	 0xa0, 0, 0, 2, 0x48, 0x16, 0xab, 0x38, 0x4e,
	0, 0, 2, 0x48, 0x52, 0x47, 0xa6, 0x58, 0, 0, 0, 0,    0,    0,	  0,	0,
	0, 0, 0, 0,    0,    0,	   0,	 0,    0, 0, 0, 1,    0,    0,	  0,	2,
};
static const uint8_t second_list[] = {
	0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0x0f, 0x42, 0x40, 0,   0,   0,	0,
	0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0,    0,	   1,	 'v', 'm', 'c', '2',
};

static void expect_packed(const struct viewer_request *request, const uint8_t *bytes, size_t len)
{
	struct buffer out;

	buffer_init(&out);
	viewer_pack(&out, request);
	assert_int_equal(buffer_error(&out), 0);
	assert_int_equal(out.len, len);
	assert_memory_equal(out.data, bytes, len);
	buffer_fini(&out);
}

static void test_requests(void **state)
{
	(void)state;
	expect_packed(
		&(struct viewer_request){.command = LIVE_GET_PACKET, .handle = 65, .bytes = 4096},
		packet_request, sizeof(packet_request));
	expect_packed(&(struct viewer_request){.command = LIVE_ATTACH_SESSION,
					       .handle = 12,
					       .seek = LIVE_SEEK_LAST},
		      attach_request, sizeof(attach_request));
}

/* Of a reply, of which one byte more is there each time, the length is told as soon as it can be, and never less
 * than what is needed to tell. */
static void expect_length(const struct viewer_request *request, uint32_t minor, const uint8_t *data,
			  size_t len)
{
	size_t need;

	for (size_t have = 0; have < len; have++) {
		int known = viewer_reply_length(request, minor, data, have, &need, NULL);

		assert_in_range(known, 0, 1);
		assert_in_range(need, have + 1, len);
		if (known)
			assert_int_equal(need, len);
	}
	assert_int_equal(viewer_reply_length(request, minor, data, len, &need, NULL), 1);
	assert_int_equal(need, len);
}

static void test_replies(void **state)
{
	uint32_t major, minor, type;
	struct viewer_index index;

	(void)state;
	expect_length(&(struct viewer_request){.command = LIVE_CONNECT}, 0, connect_reply,
		      sizeof(connect_reply));
	viewer_unpack_connect(connect_reply, &major, &minor, &type);
	assert_int_equal(major, 2);
	assert_int_equal(minor, 13);
	assert_int_equal(type, 0);
	expect_length(&(struct viewer_request){.command = LIVE_GET_NEXT_INDEX}, 13, index_reply,
		      sizeof(index_reply));
	viewer_unpack_index(index_reply, &index);
	assert_int_equal(index.status, LIVE_INDEX_OK);
	assert_int_equal(index.flags, LIVE_FLAG_NEW_STREAMS);
	assert_int_equal(index.packet_bits, 32768);
	assert_int_equal(index.content_bits, 672);
	assert_int_equal(index.begin, 2508641220686);
	assert_int_equal(index.end, 2509641328216);
}

static void test_lists(void **state)
{
	uint8_t first[LIVE_LIST_HEAD_BYTES + LIVE_SESSION_BYTES] = {
		[3] = 1, [11] = 12, [13] = 0x0f, 0x42, 0x40, [24] = 'v', 'm'};
	struct viewer_session session;

	(void)state;
	memcpy(first + 88, "demo", 4);
	expect_length(&(struct viewer_request){.command = LIVE_LIST_SESSIONS}, 14, first,
		      sizeof(first));
	assert_int_equal(viewer_unpack_session(first + 4, 14, &session), LIVE_SESSION_BYTES);
	assert_int_equal(session.id, 12);
	assert_int_equal(session.timer_us, 1000000);
	assert_string_equal(session.host, "vm");
	assert_string_equal(session.name, "demo");
	expect_length(&(struct viewer_request){.command = LIVE_LIST_SESSIONS}, 15, second_list,
		      sizeof(second_list));
	assert_int_equal(viewer_unpack_session(second_list + 4, 15, &session), 36);
	assert_int_equal(session.id, 8);
	assert_int_equal(session.format, LIVE_CTF_2);
	assert_string_equal(session.host, "vm");
	assert_string_equal(session.name, "c2");
}

/* Names that fill their fields have no NUL. */
static void test_full_names(void **state)
{
	uint8_t entry[LIVE_SESSION_BYTES], stream[LIVE_STREAM_BYTES];
	struct viewer_stream_entry of;
	struct viewer_session session;

	(void)state;
	memset(entry, 'x', sizeof(entry));
	assert_int_equal(viewer_unpack_session(entry, 4, &session), LIVE_SESSION_BYTES);
	assert_int_equal(strlen(session.host), LIVE_HOST_BYTES);
	assert_int_equal(strlen(session.name), LIVE_NAME_BYTES);
	memset(stream, 'x', sizeof(stream));
	viewer_unpack_stream(stream, 0, &of);
	assert_int_equal(of.path_len, LIVE_PATH_BYTES);
	assert_int_equal(of.channel_len, LIVE_NAME_BYTES);
}

static void expect_refused(const struct viewer_request *request, uint32_t minor, int err,
			   const uint8_t *data, size_t len)
{
	struct diag diag = {0};
	size_t need;

	assert_int_equal(viewer_reply_length(request, minor, data, len, &need, &diag), err);
	assert_int_not_equal(strlen(diag.text), 0);
}

static void test_lies(void **state)
{
	const uint8_t many[] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff};
	const uint8_t metadata[] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
	const uint8_t packet[] = {0, 0, 0, 1, 0, 0, 0x10, 1, 0, 0, 0, 0};
	uint8_t list[sizeof(second_list)];

	(void)state;
	expect_refused(&(struct viewer_request){.command = LIVE_LIST_SESSIONS}, 14, -E2BIG,
		       many + 4, 4);
	expect_refused(&(struct viewer_request){.command = LIVE_ATTACH_SESSION}, 14, -E2BIG, many,
		       8);
	expect_refused(&(struct viewer_request){.command = LIVE_GET_NEW_STREAMS}, 14, -E2BIG, many,
		       8);
	expect_refused(&(struct viewer_request){.command = LIVE_GET_METADATA}, 14, -E2BIG, metadata,
		       12);
	expect_refused(&(struct viewer_request){.command = LIVE_GET_PACKET, .bytes = 4096}, 14,
		       -EBADMSG, packet, 12);
	memcpy(list, second_list, sizeof(list));
	list[4 + 20] = 1;
	expect_refused(&(struct viewer_request){.command = LIVE_LIST_SESSIONS}, 15, -EBADMSG, list,
		       sizeof(list));
}

/* What is counted is there only where the status is OK. */
static void test_counts_without_ok(void **state)
{
	const uint8_t refused[] = {0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff};
	const uint8_t metadata[] = {0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3};
	const uint8_t packet[] = {0, 0, 0, 3, 0, 0, 0x10, 0, 0, 0, 0, 1};
	struct viewer_head head;

	(void)state;
	expect_length(&(struct viewer_request){.command = LIVE_ATTACH_SESSION}, 14, refused, 8);
	expect_length(&(struct viewer_request){.command = LIVE_GET_METADATA}, 14, metadata, 12);
	expect_length(&(struct viewer_request){.command = LIVE_GET_PACKET, .bytes = 4096}, 5,
		      packet, 12);
	viewer_unpack_head(LIVE_GET_PACKET, packet, &head);
	assert_int_equal(head.status, LIVE_PACKET_ERROR);
	assert_int_equal(head.flags, LIVE_FLAG_NEW_METADATA);
	assert_int_equal(head.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests), cmocka_unit_test(test_replies),
		cmocka_unit_test(test_lists),	 cmocka_unit_test(test_full_names),
		cmocka_unit_test(test_lies),	 cmocka_unit_test(test_counts_without_ok),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
