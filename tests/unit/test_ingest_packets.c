// SPDX-License-Identifier: BSD-2-Clause
#include "live/ingest/ingest_packets.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "ingest_fixture.h"

struct fixture {
	struct ingest_fixture ingest;
	struct buffer sent;
};

static int set_up(void **state)
{
	struct fixture *fix = malloc(sizeof(*fix));

	ingest_fixture_init(&fix->ingest);
	buffer_init(&fix->sent);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	ingest_fixture_fini(&fix->ingest);
	buffer_fini(&fix->sent);
	free(fix);
	return 0;
}

static void send_packet(struct buffer *sent, uint64_t stream, uint64_t number, const char *text,
			uint32_t padding)
{
	ingest_fixture_head(sent, stream, number, (uint32_t)strlen(text), padding);
	buffer_string(sent, text);
}

static ssize_t take(struct ingest_fixture *fix, const struct buffer *sent, size_t from, size_t to)
{
	return ingest_packets_take(&fix->packets, (const uint8_t *)sent->data + from, to - from);
}

static void assert_file(const struct ingest_fixture *fix, size_t i, const void *bytes, size_t len)
{
	char got[64];

	assert_int_equal(ingest_fixture_bytes(fix, i), len);
	assert_int_equal(read_at(fix->files[i], got, sizeof(got), 0), len);
	assert_memory_equal(got, bytes, len);
}

/* However it is cut, all of it gets where it belongs. */
static void test_any_cut_is_the_same(void **state)
{
	struct buffer sent;

	(void)state;
	buffer_init(&sent);
	send_packet(&sent, 1, 0, "first", 0);
	send_packet(&sent, 2, 0, "other", 3);
	send_packet(&sent, 1, 1, "", 2);
	send_packet(&sent, 1, 2, "last", 0);
	for (size_t piece = 1; piece <= sent.len; piece++) {
		struct ingest_session_info info;
		struct ingest_fixture fix;
		ssize_t missing = 0;

		ingest_fixture_init(&fix);
		for (size_t at = 0; at < sent.len; at += piece) {
			assert_true(missing >= 0);
			missing = take(&fix, &sent, at,
				       at + piece < sent.len ? at + piece : sent.len);
		}
		assert_int_equal(missing, 0);
		assert_file(&fix, 0, "first\0\0last", 11);
		assert_file(&fix, 1, "other\0\0\0", 8);
		ingest_session_info(fix.session, &info);
		assert_int_equal(info.packets, 4);
		assert_int_equal(info.bytes, 19);
		ingest_fixture_fini(&fix);
	}
	buffer_fini(&sent);
}

/* What it says is how long there is something to wait for. */
static void test_missing_bytes_are_told(void **state)
{
	struct fixture *fix = *state;
	const size_t head = RELAY_DATA_HEAD_BYTES;

	send_packet(&fix->sent, 1, 0, "abcdefgh", 0);
	assert_int_equal(take(&fix->ingest, &fix->sent, 0, 1), head - 1);
	assert_int_equal(take(&fix->ingest, &fix->sent, 1, head), 8);
	assert_int_equal(take(&fix->ingest, &fix->sent, head, head + 3), 5);
	assert_int_equal(take(&fix->ingest, &fix->sent, head + 3, head + 8), 0);
}

static void test_half_a_packet_is_taken_back(void **state)
{
	struct fixture *fix = *state;

	send_packet(&fix->sent, 1, 0, "whole", 0);
	send_packet(&fix->sent, 1, 1, "half", 0);
	assert_int_equal(take(&fix->ingest, &fix->sent, 0, fix->sent.len - 2), 2);
	ingest_packets_end(&fix->ingest.packets);
	assert_file(&fix->ingest, 0, "whole", 5);
}

/* Its stream is closed by its control connection within a packet. */
static void test_stream_goes_within_packet(void **state)
{
	struct fixture *fix = *state;
	const size_t half = RELAY_DATA_HEAD_BYTES + 4;

	send_packet(&fix->sent, 1, 0, "abcdefgh", 0);
	assert_int_equal(take(&fix->ingest, &fix->sent, 0, half), 4);
	assert_int_equal(ingest_session_close_stream(fix->ingest.session, 1, RELAY_NO_PACKET), 0);
	assert_int_equal(ingest_session_settle(fix->ingest.session), 0);
	assert_int_equal(take(&fix->ingest, &fix->sent, half, fix->sent.len), -EPROTO);
}

struct refused {
	uint64_t stream;
	uint64_t number;
	uint32_t len;
	const char *peer;
	int err;
};

/* As the second packet. */
static void test_wrong_packets_are_refused(void **state)
{
	static const struct refused all[] = {
		{3, 1, 10, "", -EPROTO},       {1, 0, 10, "", -EPROTO},
		{1, 2, 10, "", -EPROTO},       {1, 1, 0, "", -EPROTO},
		{1, 1, 10, "another", -EPERM}, {1, 1, RELAY_PACKET_MAX + 1, "", -E2BIG},
	};
	struct fixture *fix = *state;

	send_packet(&fix->sent, 1, 0, "first", 0);
	assert_int_equal(take(&fix->ingest, &fix->sent, 0, fix->sent.len), 0);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct refused *one = &all[i];

		buffer_reset(&fix->sent);
		fix->ingest.packets.peer = one->peer;
		ingest_fixture_head(&fix->sent, one->stream, one->number, one->len, 0);
		assert_int_equal(take(&fix->ingest, &fix->sent, 0, fix->sent.len), one->err);
		assert_file(&fix->ingest, 0, "first", 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_cut_is_the_same),
		cmocka_unit_test_setup_teardown(test_missing_bytes_are_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_half_a_packet_is_taken_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_wrong_packets_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_stream_goes_within_packet, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
