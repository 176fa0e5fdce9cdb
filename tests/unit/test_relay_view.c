// SPDX-License-Identifier: BSD-2-Clause
#include "live/relay/relay_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "live/access/rights.h"
#include "live/session/session.h"
#include "session_fixture.h"

/* A session of one trace with one stream; a viewer that is attached knows them as streams 2 (metadata) and 3. */
struct fixture {
	struct session_list list;
	struct session *session;
	struct session_trace *trace;
	struct session_stream *stream;
	struct session_file *file;
	struct relay_view *view;
	struct buffer out;
};

#define METADATA 2u
#define STREAM 3u

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	session_list_init(&fix->list);
	fix->session = fixture_session("name");
	fix->trace = fixture_trace(fix->session);
	fix->file = fixture_file();
	fix->stream = fixture_stream(fix->trace, "ch0_0", fix->file);
	session_trace_publish(fix->trace);
	assert_int_equal(session_list_add(&fix->list, fix->session), 0);
	fix->view = relay_view_new(&fix->list, &(struct relay_peer){.name = ""});
	buffer_init(&fix->out);
	*state = fix;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	buffer_fini(&fix->out);
	relay_view_free(fix->view);
	session_file_unref(fix->file);
	session_unref(fix->session);
	session_list_fini(&fix->list);
	free(fix);
	return 0;
}

static void add_packets(struct fixture *fix, int count)
{
	while (count--)
		fixture_packet(fix->file);
	session_stream_packets(fix->stream, session_file_entries(fix->file));
}

static struct cursor taken(struct fixture *fix)
{
	struct cursor cur;

	cursor_init(&cur, fix->out.data, fix->out.len);
	buffer_reset(&fix->out);
	return cur;
}

static void attach(struct fixture *fix, uint32_t seek)
{
	struct cursor cur;

	assert_int_equal(relay_view_attach(fix->view, 1, seek, 4, &fix->out), 0);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_ATTACH_OK);
	assert_int_equal(cursor_be32(&cur), 2);
	assert_int_equal(cursor_left(&cur), 2 * LIVE_STREAM_BYTES);
	assert_int_equal(cursor_be64(&cur), METADATA);
	assert_int_equal(cursor_be64(&cur), 1);
	assert_int_equal(cursor_be32(&cur), 1);
	assert_string_equal(cursor_bytes(&cur, LIVE_PATH_BYTES), "a/b");
	assert_string_equal(cursor_bytes(&cur, LIVE_NAME_BYTES), "metadata");
	assert_int_equal(cursor_be64(&cur), STREAM);
}

/* Its status, and the fields that go with it. */
static void expect_index(struct fixture *fix, enum live_index status, uint64_t begin, uint64_t end,
			 uint32_t flags)
{
	struct cursor cur;

	relay_view_next_index(fix->view, STREAM, &fix->out);
	cur = taken(fix);
	assert_int_equal(cursor_left(&cur), LIVE_INDEX_BYTES);
	cursor_skip(&cur, 24);
	assert_int_equal(cursor_be64(&cur), begin);
	assert_int_equal(cursor_be64(&cur), end);
	cursor_skip(&cur, 8);
	assert_int_equal(cursor_be64(&cur), end ? FIXTURE_CLASS : 0);
	assert_int_equal(cursor_be32(&cur), status);
	assert_int_equal(cursor_be32(&cur), flags);
}

static void take_metadata(struct fixture *fix)
{
	struct cursor cur;

	do {
		relay_view_metadata(fix->view, METADATA, &fix->out);
		cur = taken(fix);
		cursor_skip(&cur, 8);
	} while (cursor_be32(&cur) == LIVE_METADATA_OK);
}

static void a_cursor_moves_over_packets(void **state)
{
	struct fixture *fix = *state;

	attach(fix, LIVE_SEEK_BEGINNING);
	expect_index(fix, LIVE_INDEX_RETRY, 0, 0, LIVE_FLAG_NEW_METADATA);
	add_packets(fix, 2);
	expect_index(fix, LIVE_INDEX_OK, 100, 110, LIVE_FLAG_NEW_METADATA);
	take_metadata(fix);
	expect_index(fix, LIVE_INDEX_OK, 120, 130, 0);
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 130, 0);
	session_end(fix->session);
	expect_index(fix, LIVE_INDEX_HUP, 0, 0, 0);
	assert_int_equal(relay_view_packets(fix->view), 2);
}

static void the_newest_is_where_who_wants_that_begins(void **state)
{
	struct fixture *fix = *state;

	add_packets(fix, 2);
	attach(fix, LIVE_SEEK_LAST);
	take_metadata(fix);
	expect_index(fix, LIVE_INDEX_RETRY, 0, 0, 0);
	add_packets(fix, 1);
	expect_index(fix, LIVE_INDEX_OK, 140, 150, 0);
}

static void nothing_comes_behind_the_newest_of_what_is_over(void **state)
{
	struct fixture *fix = *state;

	add_packets(fix, 1);
	session_end(fix->session);
	attach(fix, LIVE_SEEK_LAST);
	take_metadata(fix);
	expect_index(fix, LIVE_INDEX_OK, 100, 110, 0);
}

static void beacons_lie_between_packets(void **state)
{
	struct fixture *fix = *state;

	attach(fix, LIVE_SEEK_BEGINNING);
	take_metadata(fix);
	session_trace_beacon(fix->trace, 60);
	expect_index(fix, LIVE_INDEX_RETRY, 0, 0, 0); /* its class is not known */
	add_packets(fix, 1);
	expect_index(fix, LIVE_INDEX_OK, 100, 110, 0);
	session_trace_beacon(fix->trace, 90);
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 110, 0);
	session_trace_beacon(fix->trace, 118);
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 118 - STREAM, 0);
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 118 - STREAM, 0);
	add_packets(fix, 1);
	expect_index(fix, LIVE_INDEX_OK, 120, 130, 0);
}

static void nobody_goes_past_what_was_not_shown(void **state)
{
	struct fixture *fix = *state;
	struct session_file *file = fixture_file();
	struct session_stream *late;
	struct cursor cur;

	attach(fix, LIVE_SEEK_BEGINNING);
	take_metadata(fix);
	add_packets(fix, 1);
	expect_index(fix, LIVE_INDEX_OK, 100, 110, 0);
	late = fixture_stream(fix->trace, "late", file);
	session_trace_publish(fix->trace);
	session_trace_beacon(fix->trace, 115);
	fixture_packet(file);
	session_stream_packets(late, 1);
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 110, LIVE_FLAG_NEW_STREAMS);
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 110, LIVE_FLAG_NEW_STREAMS);
	assert_int_equal(relay_view_new_streams(fix->view, 1, &fix->out), 0);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_STREAMS_OK);
	assert_int_equal(cursor_be32(&cur), 1); /* of the same trace */
	expect_index(fix, LIVE_INDEX_INACTIVE, 0, 115 - STREAM, 0);
	session_file_unref(file);
}

/* Some viewers have forgotten a trace whose streams have all hung up. */
static void a_trace_that_was_over_is_another(void **state)
{
	struct fixture *fix = *state;
	struct cursor cur;

	attach(fix, LIVE_SEEK_BEGINNING);
	take_metadata(fix);
	session_stream_end(fix->stream);
	expect_index(fix, LIVE_INDEX_HUP, 0, 0, 0);
	(void)fixture_stream(fix->trace, "late", fix->file);
	session_trace_publish(fix->trace);
	assert_int_equal(relay_view_new_streams(fix->view, 1, &fix->out), 0);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_STREAMS_OK);
	assert_int_equal(cursor_be32(&cur), 2); /* with metadata of its own */
	cursor_skip(&cur, 8);
	assert_int_not_equal(cursor_be64(&cur), 1);
}

static void the_end_is_told_when_all_was_seen(void **state)
{
	struct fixture *fix = *state;
	struct cursor cur;

	attach(fix, LIVE_SEEK_BEGINNING);
	take_metadata(fix);
	add_packets(fix, 1);
	session_end(fix->session);
	assert_int_equal(relay_view_new_streams(fix->view, 1, &fix->out), 0);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_STREAMS_OK);
	expect_index(fix, LIVE_INDEX_OK, 100, 110, 0);
	expect_index(fix, LIVE_INDEX_HUP, 0, 0, 0);
	assert_int_equal(relay_view_new_streams(fix->view, 1, &fix->out), 0);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_STREAMS_HUP);
	assert_int_equal(cursor_be32(&cur), 0);
	assert_true(relay_view_is_attached(fix->view)); /* its request to detach is to come */
	relay_view_detach(fix->view, 1, &fix->out);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_DETACH_OK);
	assert_false(relay_view_is_attached(fix->view));
}

static void only_bytes_that_were_told_of_are_given(void **state)
{
	struct fixture *fix = *state;

	add_packets(fix, 2);
	attach(fix, LIVE_SEEK_BEGINNING);
	assert_null(relay_view_packet(fix->view, STREAM, 0, 0));
	expect_index(fix, LIVE_INDEX_OK, 100, 110, LIVE_FLAG_NEW_METADATA);
	assert_ptr_equal(relay_view_packet(fix->view, STREAM, 0, FIXTURE_PACKET_BYTES), fix->file);
	assert_ptr_equal(relay_view_packet(fix->view, STREAM, 100, 28), fix->file);
	assert_null(relay_view_packet(fix->view, STREAM, 100, 29));
	assert_null(relay_view_packet(fix->view, STREAM, UINT64_MAX, 2));
	assert_null(relay_view_packet(fix->view, STREAM, UINT64_MAX - 1, UINT32_MAX));
	assert_null(relay_view_packet(fix->view, METADATA, 0, 1));
	assert_null(relay_view_packet(fix->view, 99, 0, 1));
	relay_view_detach(fix->view, 1, &fix->out);
	assert_null(relay_view_packet(fix->view, STREAM, 0, 1));
}

/* The session has the id 1, whoever knows that. */
static void only_who_may_see_a_session_attaches_it(void **state)
{
	static const struct {
		const char *rule;
		const char *peer;
		enum live_attach status;
	} peers[] = {
		{"web*=na*", "web1", LIVE_ATTACH_OK},
		{"web*=na*", "desk", LIVE_ATTACH_UNKNOWN},
		{"web*=other", "web1", LIVE_ATTACH_UNKNOWN},
		{"*=*", "", LIVE_ATTACH_UNKNOWN},
		{NULL, "", LIVE_ATTACH_OK},
	};
	struct fixture *fix = *state;

	for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
		struct allow allow = {0};
		const struct rights rights = {.allow = &allow};
		struct relay_view *view;
		struct cursor cur;

		if (peers[i].rule)
			assert_int_equal(allow_add(&allow, peers[i].rule, NULL), 0);
		view = relay_view_new(&fix->list, &(struct relay_peer){&rights, peers[i].peer});
		assert_int_equal(relay_view_shows(view, fix->session, 4),
				 peers[i].status == LIVE_ATTACH_OK);
		assert_int_equal(relay_view_attach(view, 1, LIVE_SEEK_LAST, 4, &fix->out), 0);
		cur = taken(fix);
		assert_int_equal(cursor_be32(&cur), peers[i].status);
		relay_view_free(view);
		allow_fini(&allow);
	}
}

#define VIEW_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* What other readers would not see on disk is there for those who say that they are ours. */
static void hidden_streams(void **state)
{
	struct fixture *fix = *state;
	struct relay_view *ours = relay_view_new(&fix->list, &(struct relay_peer){.name = ""});
	struct cursor cur;

	fixture_stream(fix->trace, ".names", fix->file);
	session_trace_publish(fix->trace);
	assert_int_equal(session_stream_total(fix->session), 2);
	attach(fix, LIVE_SEEK_BEGINNING); /* 2 streams */
	take_metadata(fix);
	expect_index(fix, LIVE_INDEX_RETRY, 0, 0, 0); /* none is new */
	relay_view_show_hidden(ours);
	assert_int_equal(relay_view_attach(ours, 1, LIVE_SEEK_BEGINNING, 4, &fix->out), 0);
	cur = taken(fix);
	assert_int_equal(cursor_be32(&cur), LIVE_ATTACH_OK);
	assert_int_equal(cursor_be32(&cur), 3);
	relay_view_free(ours);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VIEW_TEST(a_cursor_moves_over_packets),
		VIEW_TEST(the_newest_is_where_who_wants_that_begins),
		VIEW_TEST(nothing_comes_behind_the_newest_of_what_is_over),
		VIEW_TEST(beacons_lie_between_packets),
		VIEW_TEST(nobody_goes_past_what_was_not_shown),
		VIEW_TEST(a_trace_that_was_over_is_another),
		VIEW_TEST(the_end_is_told_when_all_was_seen),
		VIEW_TEST(only_bytes_that_were_told_of_are_given),
		VIEW_TEST(only_who_may_see_a_session_attaches_it),
		VIEW_TEST(hidden_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
