// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/packet_sink.h"
#include "wire/record.h"

struct counting {
	struct packet_sink sink;
	int calls;
	int err;
};

static int count(struct packet_sink *sink)
{
	struct counting *counting = (struct counting *)sink;

	counting->calls++;
	return counting->err;
}

static int count_metadata(struct packet_sink *sink, const void *metadata, size_t len)
{
	assert_memory_equal(metadata, "text", len);
	return count(sink);
}

static int count_packet(struct packet_sink *sink, const void *packet, size_t len, bool late)
{
	assert_true(late);
	assert_memory_equal(packet, "packet", len);
	return count(sink);
}

static int count_complete(struct packet_sink *sink, uint64_t time_ns)
{
	assert_int_equal(time_ns, 17);
	return count(sink);
}

static const struct packet_sink_ops all = {
	.metadata = count_metadata,
	.packet = count_packet,
	.complete = count_complete,
	.flush = count,
};
static const struct packet_sink_ops none = {0};

static void test_fan_gives_to_all_whoever_fails(void **state)
{
	struct counting first = {{&all}, 0, 0}, failing = {{&all}, 0, -ENOSPC};
	struct counting careless = {{&none}, 0, -EIO}, last = {{&all}, 0, -EPERM};
	struct packet_fan fan = {0};

	(void)state;
	assert_int_equal(packet_fan_add(&fan, &first.sink), 0);
	assert_int_equal(packet_fan_flush(&fan), 0);
	assert_int_equal(packet_fan_add(&fan, &failing.sink), 0);
	assert_int_equal(packet_fan_add(&fan, &careless.sink), 0);
	assert_int_equal(packet_fan_add(&fan, &last.sink), 0);
	assert_int_equal(packet_fan_metadata(&fan, "text", 4), -ENOSPC);
	assert_int_equal(packet_fan_packet(&fan, "packet", 6, true), -ENOSPC);
	assert_int_equal(packet_fan_complete(&fan, 17), -ENOSPC);
	assert_int_equal(packet_fan_flush(&fan), -ENOSPC);
	assert_int_equal(first.calls, 5);
	assert_int_equal(failing.calls, 4);
	assert_int_equal(careless.calls, 0);
	assert_int_equal(last.calls, 4);
}

static void test_fan_is_full(void **state)
{
	struct counting one = {{&all}, 0, 0};
	struct packet_fan fan = {0};

	(void)state;
	for (int i = 0; i < PACKET_SINKS_MAX; i++)
		assert_int_equal(packet_fan_add(&fan, &one.sink), 0);
	assert_int_equal(packet_fan_add(&fan, &one.sink), -E2BIG);
}

static void test_stream_names(void **state)
{
	struct packet_head head = {.stream_id = STREAM_CLASS_KERNEL, .cpu = 12, .level = 3};
	char name[PACKET_STREAM_NAME_BYTES];

	(void)state;
	packet_stream_name(&head, name);
	assert_string_equal(name, "cpu12_level3");
	head.cpu = head.level = UINT32_MAX;
	packet_stream_name(&head, name);
	assert_string_equal(name, "cpu4294967295_level4294967295");
	head.stream_id = STREAM_CLASS_RECORDER;
	packet_stream_name(&head, name);
	assert_string_equal(name, "recorder");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fan_gives_to_all_whoever_fails),
		cmocka_unit_test(test_fan_is_full),
		cmocka_unit_test(test_stream_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
