// SPDX-License-Identifier: BSD-2-Clause
#include "live/viewer/viewer_input.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/stream_input.h"

static struct stream_input *make(bool keep)
{
	struct stream_input *input;

	assert_int_equal(viewer_input_new("a/b", keep, &input), 0);
	assert_string_equal(input->name, "a/b");
	return input;
}

static uint64_t size_of(struct stream_input *input)
{
	uint64_t size;

	assert_int_equal(input->ops->size(input, &size), 0);
	return size;
}

static void packet(struct stream_input *input, const char *text)
{
	assert_int_equal(viewer_input_append(input, text, strlen(text)), 0);
	viewer_input_end_packet(input);
}

static void expect(struct stream_input *input, uint64_t offset, size_t len, const char *want)
{
	char bytes[64];

	assert_int_equal(input->ops->read(input, bytes, len, offset), strlen(want));
	assert_memory_equal(bytes, want, strlen(want));
}

static void expect_whole_packets(bool keep)
{
	struct stream_input *input = make(keep);

	assert_int_equal(viewer_input_append(input, "one", 3), 0);
	viewer_input_show(input);
	assert_int_equal(size_of(input), 0);
	assert_false(viewer_input_is_shown(input));
	viewer_input_drop(input);
	packet(input, "first");
	assert_int_equal(size_of(input), 0);
	viewer_input_show(input);
	assert_true(viewer_input_is_shown(input));
	assert_int_equal(size_of(input), 5);
	assert_int_equal(viewer_input_append(input, "sec", 3), 0);
	expect(input, 0, 64, "first");
	assert_int_equal(viewer_input_left(input), 3);
	expect(input, 2, 2, "rs");
	packet(input, "ond");
	viewer_input_show(input);
	expect(input, 4, 64, "tsecond");
	expect(input, 11, 64, "");
	assert_int_equal(viewer_input_left(input), 0);
	input->ops->close(input);
}

static void test_whole_packets(void **state)
{
	(void)state;
	expect_whole_packets(false);
}

static void test_whole_packets_kept(void **state)
{
	(void)state;
	expect_whole_packets(true);
}

/* What was read goes, so that a long stream takes no more than what is waiting. */
static void test_a_long_stream(void **state)
{
	struct stream_input *input = make(false);
	char text[1000], bytes[1000];

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		memset(text, (int)('a' + i % 26), sizeof(text));
		assert_int_equal(viewer_input_append(input, text, sizeof(text)), 0);
		viewer_input_end_packet(input);
		viewer_input_show(input);
		assert_int_equal(input->ops->read(input, bytes, 1000, i * 1000), 1000);
		assert_memory_equal(bytes, text, 1000);
	}
	assert_int_equal(input->ops->read(input, bytes, 10, 0), -ESPIPE);
	input->ops->close(input);
}

static void test_once_more(void **state)
{
	struct stream_input *input = make(true), *again;

	(void)state;
	packet(input, "first");
	viewer_input_show(input);
	packet(input, "second");
	expect(input, 0, 64, "first");
	assert_int_equal(viewer_input_again(input, &again), 0);
	input->ops->close(input);
	assert_int_equal(viewer_input_left(again), 11);
	expect(again, 0, 64, "first");
	viewer_input_show(again);
	packet(again, "third");
	viewer_input_show(again);
	expect(again, 5, 64, "secondthird");
	again->ops->close(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_packets),
		cmocka_unit_test(test_whole_packets_kept),
		cmocka_unit_test(test_a_long_stream),
		cmocka_unit_test(test_once_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
