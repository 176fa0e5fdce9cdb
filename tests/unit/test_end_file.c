// SPDX-License-Identifier: BSD-2-Clause
#include "trace/end_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schema/trace_info.h"

#define HEAD "sonde end mark 1\n"

static int parse(const char *text, struct end_file *file, struct problem_list *missing)
{
	problem_list_init(missing);
	return end_file_parse(file, strdup(text), strlen(text), missing);
}

static void what_is_written_is_read(void **state)
{
	const struct stream_total totals[] = {
		{.events = 7, .lost = 2, .packets = 3, .last_packet = 4},
		{.events = UINT64_MAX - 7, .packets = 1},
	};
	struct end_file_writer writer;
	struct problem_list missing;
	const struct end_file_stream *stream;
	struct end_file file;

	(void)state;
	end_file_writer_init(&writer);
	end_file_stream(&writer, "stream1_cpu0", &totals[0]);
	end_file_stream(&writer, "stream1", &totals[1]);
	end_file_missing(&writer, "s: is\nshort");
	buffer_format(&writer.lines, "end 0 2 2\n");
	buffer_char(&writer.lines, '\0');
	assert_int_equal(parse(writer.lines.data, &file, &missing), 0);
	end_file_writer_fini(&writer);
	assert_string_equal(problem_list_get(&missing, 0), "s: is short");
	stream = end_file_find(&file, "stream1_cpu0.zst");
	assert_non_null(stream);
	assert_int_equal(stream->total.events, 7);
	assert_int_equal(stream->total.packets, 3);
	assert_int_equal(stream->total.last_packet, 4);
	stream = end_file_find(&file, "stream1");
	assert_non_null(stream);
	assert_int_equal(stream->total.events, UINT64_MAX - 7);
	assert_null(end_file_find(&file, "stream"));
	assert_null(end_file_find(&file, "stream1_cpu"));
	assert_null(end_file_find(&file, "stream2"));
	problem_list_fini(&missing);
	end_file_fini(&file);
}

static void damage_is_found(void **state)
{
	static const char *const texts[] = {
		"",
		"sonde end mark 2\nend 0 0 0\n",
		HEAD,
		HEAD "stream a 1 0 1 0\n",
		HEAD "stream a 1 0 1 0\nend 1 0 1",
		HEAD "stream a 1 0 1 0\nend 1 0 2\n",
		HEAD "stream a 1 0 1 0\nend 1 0 1\nstream b 1 0 1 0\n",
		HEAD "stream a 1 0 1\nend 1 0 1\n",
		HEAD "stream a 1 0 1 0 0\nend 1 0 1\n",
		HEAD "stream a 1 0 1 -1\nend 1 0 1\n",
		HEAD "stream a 1 0 1 18446744073709551616\nend 1 0 1\n",
		HEAD "stream a/b 1 0 1 0\nend 1 0 1\n",
		HEAD "stream a.zst 1 0 1 0\nend 1 0 1\n",
		HEAD "stream  1 0 1 0\nend 1 0 1\n",
		HEAD "else\nend 0 0 0\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct problem_list missing;
		struct end_file file;

		if (parse(texts[i], &file, &missing) != -EBADMSG)
			fail_msg("taken: %s", texts[i]);
		assert_null(file.text);
		problem_list_fini(&missing);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(damage_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
