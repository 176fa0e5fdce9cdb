// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "session_fixture.h"

struct fixture {
	struct session *session;
	struct session_trace *trace;
	struct session_stream *stream;
	struct session_file *file;
};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	fix->session = fixture_session("name");
	fix->trace = fixture_trace(fix->session);
	fix->file = fixture_file();
	fix->stream = fixture_stream(fix->trace, "ch0_0", fix->file);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	session_file_unref(fix->file);
	session_unref(fix->session);
	free(fix);
	return 0;
}

static void names_have_no_slash(void **state)
{
	const struct session_config config = {.host = "", .name = "a/b\nc"};
	struct session *session;

	(void)state;
	assert_int_equal(session_new(&config, &session), 0);
	assert_string_equal(session->host, "localhost");
	assert_string_equal(session->name, "a-b-c");
	assert_int_equal(session->live_timer_us, 1);
	session_name_host(session, "x/y");
	assert_string_equal(session->host, "x-y");
	session_name_host(session, "");
	assert_string_equal(session->host, "x-y");
	session_unref(session);
}

static void equal_names_are_told_apart(void **state)
{
	struct session *sessions[3];
	struct session_list list;

	(void)state;
	session_list_init(&list);
	for (int i = 0; i < 3; i++) {
		sessions[i] = fixture_session("twin");
		assert_int_equal(session_list_add(&list, sessions[i]), 0);
	}
	assert_string_equal(sessions[0]->name, "twin");
	assert_string_equal(sessions[1]->name, "twin-2");
	assert_string_equal(sessions[2]->name, "twin-3");
	assert_ptr_equal(session_list_find(&list, 2), sessions[1]);
	session_list_remove(&list, sessions[1]);
	assert_null(session_list_find(&list, 2));
	assert_int_equal(list.count, 2);
	session_list_fini(&list);
	for (int i = 0; i < 3; i++)
		session_unref(sessions[i]);
}

static void streams_show_when_they_are_published(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(session_stream_total(fix->session), 0);
	session_trace_publish(fix->trace);
	assert_int_equal(session_stream_total(fix->session), 2); /* the metadata's too */
	(void)fixture_stream(fix->trace, "ch0_1", fix->file);
	assert_int_equal(session_stream_total(fix->session), 2);
}

static void packets_show_when_they_are_told_of(void **state)
{
	struct fixture *fix = *state;
	struct session_packet packet;
	struct session_file *file;
	uint64_t number = 0;

	fixture_packet(fix->file);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 0);
	assert_int_equal(fix->stream->class_id, SESSION_CLASS_UNKNOWN);
	session_stream_packets(fix->stream, 1);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 1);
	assert_int_equal(fix->stream->class_id, FIXTURE_CLASS);
	assert_ptr_equal(file, fix->file);
	assert_int_equal(packet.packet_bits, FIXTURE_PACKET_BYTES * 8);
	assert_int_equal(packet.content_bits, FIXTURE_PACKET_BYTES * 8 - 3);
	assert_int_equal(packet.begin, 100);
	assert_int_equal(packet.end, 110);
}

static void what_is_not_in_the_file_is_not_there(void **state)
{
	struct fixture *fix = *state;
	struct session_packet packet;
	struct session_file *file;
	uint64_t number = 0;

	fixture_packet(fix->file);
	assert_int_equal(ftruncate(pooled_file_fd(fix->file->data), FIXTURE_PACKET_BYTES - 1), 0);
	session_stream_packets(fix->stream, 1);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 0);
	assert_int_equal(ftruncate(pooled_file_fd(fix->file->data), FIXTURE_PACKET_BYTES), 0);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 1);
}

static void an_index_that_lies_is_an_error(void **state)
{
	struct fixture *fix = *state;
	const uint64_t huge = htobe64(UINT64_MAX);
	struct session_packet packet;
	struct session_file *file;
	uint64_t number = 0;

	fixture_packet(fix->file);
	session_stream_packets(fix->stream, 1);
	assert_int_equal(pwrite(pooled_file_fd(fix->file->index), &huge, 8, INDEX_HEAD_BYTES), 8);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), -EBADMSG);
}

static void files_follow_one_another(void **state)
{
	struct fixture *fix = *state;
	struct session_file *second = fixture_file(), *file;
	struct session_packet packet;
	uint64_t number = 2;

	fixture_packet(fix->file);
	fixture_packet(fix->file);
	session_stream_packets(fix->stream, 2);
	assert_int_equal(session_stream_file(fix->stream, second), 0);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 0);
	fixture_packet(second);
	session_stream_packets(fix->stream, 1);
	assert_int_equal(fix->stream->packet_count, 3);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 1);
	assert_ptr_equal(file, second);
	assert_int_equal(packet.offset, 0);

	number = 0;
	session_stream_drop(fix->stream);
	assert_int_equal(session_stream_packet(fix->stream, &number, &packet, &file), 1);
	assert_int_equal(number, 2); /* two are gone */
	assert_int_equal(fix->stream->packet_count, 3);
	session_file_unref(second);
}

static void beacons_do_not_go_back(void **state)
{
	struct fixture *fix = *state;

	assert_int_equal(session_stream_until(fix->stream), 0);
	session_stream_beacon(fix->stream, 50);
	session_stream_beacon(fix->stream, 40);
	assert_int_equal(session_stream_until(fix->stream), 50);
	session_trace_beacon(fix->trace, 60);
	session_trace_beacon(fix->trace, 45);
	assert_int_equal(session_stream_until(fix->stream), 60);
	assert_false(session_stream_is_over(fix->stream));
	session_end(fix->session);
	assert_true(session_stream_is_over(fix->stream));
}

#define SESSION_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_no_slash),
		cmocka_unit_test(equal_names_are_told_apart),
		SESSION_TEST(streams_show_when_they_are_published),
		SESSION_TEST(packets_show_when_they_are_told_of),
		SESSION_TEST(what_is_not_in_the_file_is_not_there),
		SESSION_TEST(an_index_that_lies_is_an_error),
		SESSION_TEST(files_follow_one_another),
		SESSION_TEST(beacons_do_not_go_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
