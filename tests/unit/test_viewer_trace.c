// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "ctf/trace_class.h"
#include "live/viewer/viewer.h"
#include "wire/lttng_live.h"

#define REPLIES_MAX 100

static const char head[] = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le;"
			   " packet.header := struct { integer { size = 8; } stream_id; }; };\n";
static const char first[] =
	"stream { id = 1; event.header := struct { integer { size = 8; } id; }; };"
	"event { name = a; id = 0; stream_id = 1; };\n";
static const char second[] =
	"stream { id = 0; event.header := struct { integer { size = 8; } id; }; };"
	"event { name = b; id = 0; stream_id = 0; };\n";

/* The reply of a relay to a request for metadata. */
static int take(struct viewer_trace *trace, uint32_t status, const char *text, size_t len)
{
	uint8_t data[LIVE_METADATA_HEAD_BYTES + 512] = {0};
	const struct viewer_reply reply = {
		.request = {.command = LIVE_GET_METADATA, .about = trace},
		.data = data,
		.len = LIVE_METADATA_HEAD_BYTES + len,
	};
	struct diag diag = {.text = ""};

	assert_true(len < 512);
	data[6] = (uint8_t)(len >> 8);
	data[7] = (uint8_t)len;
	data[11] = (uint8_t)status;
	memcpy(data + LIVE_METADATA_HEAD_BYTES, text, len);
	return viewer_trace_take(trace, &reply, 0, &diag);
}

static int take_text(struct viewer_trace *trace, const char *text)
{
	return take(trace, LIVE_METADATA_OK, text, strlen(text));
}

static int no_more(struct viewer_trace *trace)
{
	return take(trace, LIVE_METADATA_NO_NEW, "", 0);
}

static size_t events(const struct viewer_trace *trace)
{
	return viewer_trace_class(trace) ? viewer_trace_class(trace)->event_count : 0;
}

static struct viewer_trace *with_one_event(void)
{
	struct viewer_trace *trace = viewer_trace_new(1, 1);

	assert_int_equal(take_text(trace, head), 0);
	assert_int_equal(take_text(trace, first), 0);
	assert_int_equal(no_more(trace), 1);
	assert_true(viewer_trace_is_settled(trace));
	assert_int_equal(events(trace), 1);
	return trace;
}

/* Wherever a declaration is cut in two, inside its words and numbers too, its packets wait for the rest. */
static void packets_wait_for_the_rest_of_a_declaration(void **state)
{
	(void)state;
	for (size_t at = 1; at < strlen(second) - 1; at++) {
		struct viewer_trace *trace = with_one_event();
		const bool between = second[at - 1] == ';' && !strncmp(second + at, "event", 5);

		assert_int_equal(take(trace, LIVE_METADATA_OK, second, at), 0);
		for (int i = 0; i < 3 && !between && at < strlen(second) - 2; i++) {
			assert_int_equal(no_more(trace), 0);
			assert_false(viewer_trace_is_settled(trace));
			assert_int_equal(events(trace), 1);
		}
		assert_int_equal(take_text(trace, second + at), 0);
		assert_int_equal(no_more(trace), 1);
		assert_true(viewer_trace_is_settled(trace));
		assert_int_equal(events(trace), 2);
		assert_false(viewer_trace_class(trace)->cut);
		viewer_trace_free(trace);
	}
}

/* Of a tracer that died it never comes: what is complete is used then, and the text is not asked for again. */
static void the_rest_is_not_waited_for_forever(void **state)
{
	struct viewer_trace *trace = with_one_event();
	int asked = 0;

	(void)state;
	assert_int_equal(take(trace, LIVE_METADATA_OK, second, strlen(second) - 6), 0);
	do {
		assert_true(asked++ < REPLIES_MAX);
	} while (!no_more(trace));
	assert_int_equal(asked, REPLIES_MAX);
	assert_true(viewer_trace_is_settled(trace));
	assert_true(viewer_trace_class(trace)->cut);
	assert_int_equal(viewer_trace_class(trace)->stream_count, 2);
	assert_int_equal(viewer_trace_due(trace), UINT64_MAX);
	viewer_trace_free(trace);
}

static void nothing_comes_of_a_session_that_is_over(void **state)
{
	struct viewer_trace *trace = with_one_event();

	(void)state;
	trace->final = true;
	assert_int_equal(take(trace, LIVE_METADATA_OK, second, 20), 0);
	assert_int_equal(no_more(trace), 1);
	assert_true(viewer_trace_is_settled(trace));
	viewer_trace_free(trace);
}

static void broken_text_is_reported_at_once(void **state)
{
	struct viewer_trace *trace = with_one_event();

	(void)state;
	assert_int_equal(take_text(trace, "stream { id = 0 0; };\n"), 0);
	assert_true(no_more(trace) < 0);
	assert_true(trace->broken);
	viewer_trace_free(trace);
}

/* Between two declarations nothing in the text says that there is more: the packet does. */
static void packets_wait_for_their_stream_class(void **state)
{
	struct viewer_trace *trace = with_one_event();

	(void)state;
	viewer_trace_need(trace, 1);
	assert_true(viewer_trace_is_settled(trace));
	viewer_trace_need(trace, 0);
	assert_false(viewer_trace_is_settled(trace));
	assert_int_equal(take_text(trace, second), 0);
	assert_int_equal(no_more(trace), 1);
	viewer_trace_need(trace, 0);
	assert_true(viewer_trace_is_settled(trace));
	for (int i = 1; i < REPLIES_MAX; i++) {
		viewer_trace_need(trace, 7);
		assert_false(viewer_trace_is_settled(trace));
		assert_int_equal(no_more(trace), 1);
	}
	viewer_trace_need(trace, 7);
	assert_true(viewer_trace_is_settled(trace));
	viewer_trace_free(trace);
}

/* A trace without stream classes has one all the same, and packets of a trace may not say which they are of. */
static void only_declared_classes_are_waited_for(void **state)
{
	struct viewer_trace *trace = viewer_trace_new(1, 1);

	(void)state;
	assert_int_equal(take_text(trace, head), 0);
	assert_int_equal(no_more(trace), 1);
	viewer_trace_need(trace, 0);
	assert_false(viewer_trace_is_settled(trace));
	viewer_trace_free(trace);

	trace = viewer_trace_new(1, 1);
	assert_int_equal(take_text(trace,
				   "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };"
				   "event { name = a; id = 0; };"),
			 0);
	assert_int_equal(no_more(trace), 1);
	viewer_trace_need(trace, 7);
	assert_true(viewer_trace_is_settled(trace));
	viewer_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_wait_for_the_rest_of_a_declaration),
		cmocka_unit_test(the_rest_is_not_waited_for_forever),
		cmocka_unit_test(nothing_comes_of_a_session_that_is_over),
		cmocka_unit_test(broken_text_is_reported_at_once),
		cmocka_unit_test(packets_wait_for_their_stream_class),
		cmocka_unit_test(only_declared_classes_are_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
