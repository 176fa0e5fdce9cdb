// SPDX-License-Identifier: BSD-2-Clause
#include "base/json_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "base/buffer.h"

static void check(struct buffer *out, const char *expected)
{
	assert_int_equal(buffer_error(out), 0);
	buffer_char(out, '\0');
	assert_string_equal(out->data, expected);
	buffer_fini(out);
}

static void test_nesting(void **state)
{
	struct json_writer json;
	struct buffer out;

	(void)state;
	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	json_writer_array(&json, "none");
	json_writer_end(&json);
	json_writer_array(&json, "rows");
	for (uint64_t i = 0; i < 2; i++) {
		json_writer_object(&json, NULL);
		json_writer_uint(&json, "i", i);
		json_writer_object(&json, "in");
		json_writer_end(&json);
		json_writer_int(&json, "down", -(int64_t)i);
		json_writer_end(&json);
	}
	json_writer_uint(&json, NULL, UINT64_MAX);
	json_writer_array(&json, NULL);
	json_writer_int(&json, NULL, INT64_MIN);
	json_writer_null(&json, NULL);
	json_writer_finish(&json);
	check(&out, "{\"none\":[],\"rows\":[{\"i\":0,\"in\":{},\"down\":0},"
		    "{\"i\":1,\"in\":{},\"down\":-1},18446744073709551615,"
		    "[-9223372036854775808,null]]}\n");
}

static void test_values(void **state)
{
	struct json_writer json;
	struct buffer out;

	(void)state;
	buffer_init(&out);
	json_writer_init(&json, &out);
	json_writer_object(&json, NULL);
	json_writer_bool(&json, "yes", true);
	json_writer_bool(&json, "no", false);
	json_writer_real(&json, "r", 1.25, 1);
	json_writer_real(&json, "whole", 1e3, 0);
	json_writer_real(&json, "nan", NAN, 1);
	json_writer_real(&json, "inf", -INFINITY, 1);
	json_writer_text(&json, "text", "a\"b\n\xff", 5);
	json_writer_string(&json, "string", "c\\d");
	json_writer_string(&json, "not", NULL);
	json_writer_quoted(&json, "quoted", "\\u0041z", 6);
	json_writer_key(&json, "k\"");
	buffer_string(&out, "7");
	json_writer_uint(&json, "last", 8);
	json_writer_end(&json);
	check(&out, "{\"yes\":true,\"no\":false,\"r\":1.2,\"whole\":1000,\"nan\":null,\"inf\":null,"
		    "\"text\":\"a\\\"b\\n\xef\xbf\xbd\",\"string\":\"c\\\\d\",\"not\":null,"
		    "\"quoted\":\"\\u0041\",\"k\\\"\":7,\"last\":8}");
}

/* Each level remembers what it is, in whichever word of the bits; and values may follow each other outside of all. */
static void test_depth(void **state)
{
	struct json_writer json;
	struct buffer out;

	(void)state;
	buffer_init(&out);
	json_writer_init(&json, &out);
	for (unsigned int i = 0; i < JSON_WRITER_DEPTH / 2; i++) {
		json_writer_array(&json, i ? "a" : NULL);
		json_writer_object(&json, NULL);
	}
	assert_int_equal(json.depth, JSON_WRITER_DEPTH);
	for (unsigned int i = 0; i < JSON_WRITER_DEPTH; i++) {
		json_writer_end(&json);
		assert_int_equal(out.data[out.len - 1], i % 2 ? ']' : '}');
	}
	buffer_reset(&out);
	json_writer_uint(&json, NULL, 1);
	buffer_char(&out, '\n');
	json_writer_object(&json, NULL);
	json_writer_finish(&json);
	check(&out, "1\n{}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
