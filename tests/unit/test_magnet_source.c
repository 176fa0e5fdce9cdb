// SPDX-License-Identifier: BSD-2-Clause
#include "record_format/magnet/magnet_source.h"

#include <errno.h>

#include "magnet_fixture.h"

#include "record_format/magnet/magnet_record.h"

#define RECORDS 6u
#define FILE_BYTES (RECORDS * MAGNET_RECORD_MAX_BYTES)

static void put(const struct magnet_layout *layout, uint8_t *bytes, size_t i, uint64_t timestamp,
		uint32_t event, int32_t size)
{
	struct magnet_head head = {
		.sockid = i ? 42 : 1000, .timestamp = timestamp, .event = event, .size = size};

	magnet_head_store(layout, bytes + i * magnet_record_bytes(layout), &head);
}

/* Four records behind the first, and room for one. */
static size_t make(const struct magnet_layout *layout, uint8_t *bytes)
{
	memset(bytes, 0, FILE_BYTES);
	put(layout, bytes, 0, 0, MAGNET_SYSINFO, MAGNET_RATE_HZ);
	if (layout->data)
		memcpy(bytes + (layout->wide ? MAGNET_AT_DATA_64 : MAGNET_AT_DATA_32), MAGNET_MARK,
		       MAGNET_MARK_BYTES);
	put(layout, bytes, 1, 1000, MAGNET_TCP_SEND, 100);
	put(layout, bytes, 2, 1500, MAGNET_IP_SEND, 140);
	put(layout, bytes, 3, 1501, MAGNET_LOST_EVENT, 7);
	put(layout, bytes, 4, 2000, MAGNET_DROP, -22);
	return RECORDS * magnet_record_bytes(layout);
}

static void test_events(void **state)
{
	uint8_t bytes[FILE_BYTES];

	(void)state;
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		struct magnet_layout layout = layout_at(i);
		size_t len = make(&layout, bytes);
		struct event_source *source;
		const struct event *events;
		struct lost_payload lost;

		assert_int_equal(open_bytes(bytes, len, &source), 0);
		assert_int_equal(source->info->bytes, len);
		assert_string_equal(trace_info_env(source->info, MAGNET_ENV_LAYOUT)->text,
				    layout_names[i]);
		assert_int_equal(trace_info_env(source->info, MAGNET_ENV_RECORDS)->number, RECORDS);
		assert_int_equal(source->ops->next(source, &events), 5);
		assert_string_equal(events[0].class->name, "magnet.sysinfo");
		assert_int_equal(events[0].time_ns, 1000000000000);
		assert_string_equal(events[1].class->name, "magnet.tcp_send");
		assert_int_equal(events[1].time_ns, 1000000001000);
		assert_true(magnet_class_is_own(events[1].class, &layout));
		assert_int_equal(event_uint(&events[1], 0), 42);
		assert_int_equal(events[1].class->field_count, layout.data ? 23 : 3);
		assert_int_equal(events[2].class->field_count, layout.data ? 9 : 3);
		assert_ptr_equal(events[3].class, &lost_class);
		memcpy(&lost, events[3].payload, sizeof(lost));
		assert_int_equal(lost.count, 7);
		assert_int_equal((int32_t)event_uint(&events[4], 2), -22);
		assert_int_equal(source->ops->next(source, &events), 0);
		assert_null(source->ops->problem(source, 0));
		source->ops->close(source);
	}
}

/* Cut off at each byte: what is whole is given, the rest is told of. */
static void test_truncated(void **state)
{
	uint8_t bytes[FILE_BYTES];

	(void)state;
	for (unsigned int i = 0; i < FIXTURE_LAYOUTS; i++) {
		struct magnet_layout layout = layout_at(i);
		size_t each = magnet_record_bytes(&layout), len = make(&layout, bytes);
		size_t head = layout.wide ? MAGNET_AT_EVENT_64 + 4 : MAGNET_AT_EVENT_32 + 4;

		for (size_t cut = 0; cut < len; cut++) {
			struct event_source *source = NULL;
			size_t whole = cut / each < 5 ? cut / each : 5;
			struct event last;

			assert_int_equal(magnet_is(bytes, cut), cut >= head);
			if (cut < head)
				continue;
			assert_int_equal(open_bytes(bytes, cut, &source), 0);
			/* The first record alone does not tell whether there is more of it. */
			if (cut >= each) {
				assert_int_equal(read_all(source, &last), whole);
				assert_int_equal(!source->ops->problem(source, 0), cut % each == 0);
			} else if (layout.data == false) {
				assert_int_equal(read_all(source, &last), 0);
				assert_non_null(source->ops->problem(source, 0));
			}
			source->ops->close(source);
		}
	}
}

/* The @i-th problem of a file in which one record is something else. */
static void expect_problem(uint64_t timestamp, uint32_t event, int32_t size, size_t at,
			   size_t events, const char *part)
{
	struct magnet_layout layout = layout_at(5);
	struct event_source *source;
	uint8_t bytes[FILE_BYTES];
	size_t len = make(&layout, bytes);
	const char *problem;
	struct event last;

	put(&layout, bytes, at, timestamp, event, size);
	assert_int_equal(open_bytes(bytes, len, &source), 0);
	assert_int_equal(read_all(source, &last), events);
	problem = source->ops->problem(source, 0);
	assert_non_null(problem);
	if (!strstr(problem, part))
		fail_msg("'%s' lacks '%s'", problem, part);
	source->ops->close(source);
}

static void test_lies(void **state)
{
	struct magnet_layout layout = layout_at(5);
	struct event_source *source;
	uint8_t bytes[FILE_BYTES];
	struct event last;
	size_t len;

	(void)state;
	expect_problem(0, MAGNET_TCP_SEND, 1, 2, 4, "record 2 is not whole");
	expect_problem(7000000000, MAGNET_TCP_SEND, 1, 2, 5, "record 3: its time is 6 s before");
	expect_problem(0, MAGNET_SYSINFO, 0, 0, 5, "record 0 gives a clock of 0 Hz");
	/* Nothing in between: a page of a file that never came to the disk. */
	len = make(&layout, bytes);
	memset(bytes + 2 * magnet_record_bytes(&layout), 0, magnet_record_bytes(&layout));
	assert_int_equal(open_bytes(bytes, len, &source), 0);
	assert_int_equal(read_all(source, &last), 4);
	assert_string_equal(source->ops->problem(source, 0), "1 empty record before record 3");
	source->ops->close(source);
}

/* Timestamps of two CPUs: none is lost, and time does not go back. */
static void test_small_disorder(void **state)
{
	struct magnet_layout layout = layout_at(1);
	struct event_source *source;
	const struct event *events;
	uint8_t bytes[FILE_BYTES];
	size_t len = make(&layout, bytes);

	(void)state;
	put(&layout, bytes, 2, 900, MAGNET_IP_SEND, 140);
	assert_int_equal(open_bytes(bytes, len, &source), 0);
	assert_int_equal(source->ops->next(source, &events), 5);
	assert_int_equal(events[2].time_ns, events[1].time_ns);
	assert_int_equal(event_uint(&events[2], 1), 900);
	assert_null(source->ops->problem(source, 0));
	source->ops->close(source);
}

/* Where recording began anew: the start of its clock is before the last record of the other. */
static void test_second_clock(void **state)
{
	struct magnet_layout layout = layout_at(1);
	struct event_source *source;
	const struct event *events;
	uint8_t bytes[FILE_BYTES];
	size_t len = make(&layout, bytes);

	(void)state;
	put(&layout, bytes, 2, 9000000000, MAGNET_IP_SEND, 140);
	put(&layout, bytes, 3, 0, MAGNET_SYSINFO, MAGNET_RATE_HZ);
	put(&layout, bytes, 4, 10000000000, MAGNET_IP_SEND, 140);
	bytes[3 * magnet_record_bytes(&layout) + MAGNET_AT_SOCKID] = (1000 & 0xff) + 3;
	bytes[3 * magnet_record_bytes(&layout) + MAGNET_AT_SOCKID + 1] = 1000 >> 8;
	assert_int_equal(open_bytes(bytes, len, &source), 0);
	assert_int_equal(source->ops->next(source, &events), 5);
	assert_int_equal(events[3].time_ns, 1009000000000);
	assert_int_equal(events[4].time_ns, 1013000000000);
	assert_null(source->ops->problem(source, 0));
	source->ops->close(source);
}

static void test_said(void **state)
{
	const struct magnet_layout layout = layout_at(0), other = layout_at(7);
	const struct magnet_choice choice = {.layout = &other, .rate_hz = 1000};
	uint8_t bytes[FILE_BYTES] = {0};
	struct event_source *source;
	struct file_window *file;
	struct diag diag;

	(void)state;
	put(&layout, bytes, 0, 0, MAGNET_SYSINFO, 1);
	assert_int_equal(file_window_open("/dev/null", &file), 0);
	assert_int_equal(magnet_open_as(file, "null", &choice, &source, &diag), 0);
	assert_string_equal(trace_info_env(source->info, MAGNET_ENV_LAYOUT)->text, "be64+data");
	source->ops->close(source);
	assert_int_equal(file_window_open("/dev/null", &file), 0);
	assert_int_equal(magnet_open(file, "null", &source, &diag), -EBADMSG);
	assert_string_equal(diag.text, "null: does not begin with MAGNET_SYSINFO: no MAGNeT file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),	     cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_lies),	     cmocka_unit_test(test_small_disorder),
		cmocka_unit_test(test_second_clock), cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
