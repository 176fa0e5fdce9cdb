// SPDX-License-Identifier: BSD-2-Clause
/* The input counts what is read of it: small packets must cost no more bytes and calls than large ones. */
#include "trace/stream_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "counted_input.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "schema/event.h"
#include "schema/trace_info.h"
#include "trace/merge.h"
#include "trace_fixture.h"
#include "wire/record.h"

#define EVENTS 20000u
#define WINDOW_BYTES (64u << 10)
#define BATCH_EVENTS 512u /* as merge.c has it */

struct fixture {
	struct ctf_trace_class *trace;
	struct problem_list problems;
	struct counted_input input;
	struct merge *merge;
	uint64_t batches;
};

static int set_up(void **state)
{
	static struct fixture fix;
	struct buffer text;

	fix = (struct fixture){0};
	counted_input_init(&fix.input);
	buffer_init(&text);
	problem_list_init(&fix.problems);
	*state = &fix;
	if (fixture_metadata(&text) || metadata_read(text.data, text.len, &fix.trace, NULL))
		return -1;
	buffer_fini(&text);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fix = *state;

	merge_free(fix->merge);
	problem_list_fini(&fix->problems);
	buffer_fini(&fix->input.bytes);
	ctf_trace_class_free(fix->trace);
	return 0;
}

/* EVENTS events, so many in each packet. */
static void put_all(struct fixture *fix, uint32_t in_packet)
{
	for (uint64_t i = 0; i < EVENTS; i += in_packet)
		counted_put_packet(&fix->input, i, in_packet, i / in_packet, 0);
}

static void start(struct fixture *fix)
{
	struct stream_reader *stream =
		stream_reader_new(&fix->input.input, fix->trace, WINDOW_BYTES, &fix->problems);

	fix->merge = merge_new();
	assert_non_null(stream);
	assert_non_null(fix->merge);
	assert_int_equal(merge_add(fix->merge, stream), 0);
}

static void check_event(const struct event *event, uint64_t i)
{
	assert_int_equal(event->time_ns, (int64_t)counted_time_ns(i) + FIXTURE_WALL_NS);
	assert_int_equal(event_uint(event, 0), counted_time_ns(i));
	assert_int_equal(event->tid, FIXTURE_TID);
}

/* All events from number @next on that the source gives now; the next number. */
static uint64_t take_events(struct fixture *fix, uint64_t next)
{
	const struct event *events;
	int got;

	while ((got = merge_next(fix->merge, &events)) > 0) {
		fix->batches++;
		for (int i = 0; i < got; i++)
			check_event(&events[i], next++);
	}
	assert_int_equal(got, 0);
	assert_null(problem_list_get(&fix->problems, 0));
	return next;
}

static void read_all(struct fixture *fix, uint32_t in_packet)
{
	const uint64_t windows_of = WINDOW_BYTES / 2; /* of which at least so much is used */
	size_t len;

	put_all(fix, in_packet);
	len = fix->input.bytes.len;
	start(fix);
	assert_int_equal(take_events(fix, 0), EVENTS);
	assert_int_equal(merge_packets(fix->merge), EVENTS / in_packet);
	assert_true(fix->input.read_bytes <= 2 * len + WINDOW_BYTES);
	assert_true(fix->input.calls <= 2 * (len / windows_of + 2));
}

static void small_packets(void **state)
{
	struct fixture *fix = *state;

	read_all(fix, 1);
	/* A window is the end of a batch, and so is a full one. */
	assert_true(fix->batches <=
		    EVENTS / BATCH_EVENTS + fix->input.bytes.len / (WINDOW_BYTES / 2) + 2);
}

static void packets_of_half_a_window(void **state)
{
	read_all(*state, 2500); /* 30,096 bytes: two in a window */
}

static void one_large_packet(void **state)
{
	read_all(*state, EVENTS);
}

/* Of each loss its event is one of a kind of the stream's: two in a batch would be the same. */
static void losses_between_small_packets(void **state)
{
	struct fixture *fix = *state;
	const struct event *events;
	uint64_t lost = 0, last = 0, seen = 0;
	int got;

	for (uint64_t i = 0; i < 1000; i++) {
		lost += i % 3 ? i : 0;
		counted_put_packet(&fix->input, i, 1, i, lost);
	}
	start(fix);
	while ((got = merge_next(fix->merge, &events)) > 0) {
		for (int k = 0; k < got; k++) {
			if (events[k].class->role != EVENT_ROLE_LOST) {
				check_event(&events[k], seen++);
				continue;
			}
			assert_true(seen % 3);
			assert_int_equal(event_uint(&events[k], 0), seen);
			last += seen;
		}
	}
	assert_int_equal(got, 0);
	assert_int_equal(seen, 1000);
	assert_int_equal(last, lost);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(small_packets),
		TEST(packets_of_half_a_window),
		TEST(one_large_packet),
		TEST(losses_between_small_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
