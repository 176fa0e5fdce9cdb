// SPDX-License-Identifier: BSD-2-Clause
#include "output/latency_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/latency.h"
#include "base/buffer.h"
#include "base/json_writer.h"

static void add_times(struct latency *latency, uint64_t ns, unsigned int times)
{
	while (times--)
		latency_add(latency, ns);
}

static void check(void (*write)(const struct latency *latency, struct buffer *out),
		  const struct latency *latency, const char *expected)
{
	struct buffer out;

	buffer_init(&out);
	write(latency, &out);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buffer_fini(&out);
}

static void check_json(const struct latency *latency, const char *expected)
{
	struct json_writer json;
	struct buffer out;

	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	latency_write_json(latency, &json);
	buffer_char(&out, '\0');
	assert_string_equal(out.data, expected);
	buffer_fini(&out);
}

static void test_text(void **state)
{
	struct latency latency = {0};

	(void)state;
	check(latency_write_text, &latency, "");
	add_times(&latency, 300, 1);
	add_times(&latency, 1024, 1000);
	add_times(&latency, 2047, 1000);
	add_times(&latency, 2048, 500);
	check(latency_write_text, &latency,
	      "     256 ns - 512 ns                  1  #\n"
	      "     512 ns - 1.02 us                 0\n"
	      "    1.02 us - 2.05 us             2,000  ########################################\n"
	      "    2.05 us - 4.10 us               500  ##########\n");
}

static void test_text_at_the_ends(void **state)
{
	struct latency latency = {0};
	struct buffer out;
	size_t i, lines = 0;

	(void)state;
	latency_add(&latency, 0);
	latency_add(&latency, UINT64_MAX);
	buffer_init(&out);
	latency_write_text(&latency, &out);
	for (i = 0; i < out.len; i++)
		lines += out.data[i] == '\n';
	assert_int_equal(lines, 65);
	assert_memory_equal(out.data, "       0 ns - 1 ns ", 19);
	buffer_fini(&out);
}

static void test_json(void **state)
{
	struct latency latency = {0};

	(void)state;
	check_json(&latency, "{\"count\":0,\"total_ns\":0,\"histogram\":[]");
	add_times(&latency, 3, 2);
	add_times(&latency, 1000, 2);
	check_json(&latency,
		   "{\"count\":4,\"total_ns\":2006,\"min_ns\":3,\"avg_ns\":501,\"p50_ns\":3,"
		   "\"p90_ns\":1000,\"p99_ns\":1000,\"max_ns\":1000,\"histogram\":["
		   "{\"from_ns\":3,\"to_ns\":4,\"count\":2},"
		   "{\"from_ns\":992,\"to_ns\":1024,\"count\":2}]");
}

static void test_json_at_the_end(void **state)
{
	struct latency latency = {0};

	(void)state;
	latency_add(&latency, UINT64_MAX);
	check_json(
		&latency,
		"{\"count\":1,\"total_ns\":18446744073709551615,\"min_ns\":18446744073709551615,"
		"\"avg_ns\":18446744073709551615,\"p50_ns\":18446744073709551615,"
		"\"p90_ns\":18446744073709551615,\"p99_ns\":18446744073709551615,"
		"\"max_ns\":18446744073709551615,\"histogram\":[{\"from_ns\":17870283321406128128,"
		"\"to_ns\":18446744073709551615,\"count\":1}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_at_the_ends),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
