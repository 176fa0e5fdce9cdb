// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "live/proto/live_url.h"

static void good(const char *text, const char *host, const char *control, const char *data)
{
	struct push_url url;

	assert_int_equal(push_url_parse(text, &url, NULL), 0);
	assert_string_equal(url.host, host);
	assert_string_equal(url.control, control);
	assert_string_equal(url.data, data);
}

static void test_good_ones(void **state)
{
	(void)state;
	good("net://relay", "relay", "5342", "5343");
	good("net://relay/", "relay", "5342", "5343");
	good("net://relay.example.org:1", "relay.example.org", "1", "5343");
	good("net://10.0.0.1:65535:80", "10.0.0.1", "65535", "80");
	good("net://[fe80::1]", "fe80::1", "5342", "5343");
	good("net://[::1]:7:8", "::1", "7", "8");
}

static void test_bad_ones(void **state)
{
	static const char *const texts[] = {
		"",
		"relay",
		"net:/relay",
		"net://",
		"net://:5342",
		"net://relay:",
		"net://relay:0",
		"net://relay:65536",
		"net://relay:1:2:3",
		"net://relay:x",
		"net://[::1",
		"net://[]:1",
		"net://relay/path",
		"net6://relay",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct push_url url;
		struct diag diag = {0};

		assert_int_equal(push_url_parse(texts[i], &url, &diag), -EINVAL);
		assert_non_null(strstr(diag.text, "net://HOST"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_ones),
		cmocka_unit_test(test_bad_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
