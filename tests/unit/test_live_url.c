// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/live_url.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/diag.h"

static void expect(const char *text, const char *relay, const char *port, const char *host,
		   const char *session)
{
	struct live_url url;

	assert_true(live_url_is(text));
	assert_int_equal(live_url_parse(text, &url, NULL), 0);
	assert_string_equal(url.relay, relay);
	assert_string_equal(url.port, port);
	assert_string_equal(url.host, host);
	assert_string_equal(url.session, session);
}

static void test_parts(void **state)
{
	(void)state;
	expect("net://relay", "relay", "5344", "", "");
	expect("net://relay/", "relay", "5344", "", "");
	expect("net://relay:15344//", "relay", "15344", "", "");
	expect("net4://10.0.0.1:1", "10.0.0.1", "1", "", "");
	expect("net://[::1]", "::1", "5344", "", "");
	expect("net6://[fe80::1%eth0]:65535/host/h/s", "fe80::1%eth0", "65535", "h", "s");
	expect("net://relay/host/web_1/a b c/", "relay", "5344", "web_1", "a b c");
}

static void test_families(void **state)
{
	struct live_url url;

	(void)state;
	assert_int_equal(live_url_parse("net://a", &url, NULL), 0);
	assert_int_equal(url.family, AF_UNSPEC);
	assert_int_equal(live_url_parse("net4://a", &url, NULL), 0);
	assert_int_equal(url.family, AF_INET);
	assert_int_equal(live_url_parse("net6://a", &url, NULL), 0);
	assert_int_equal(url.family, AF_INET6);
	assert_false(live_url_is("tcp://a"));
	assert_false(live_url_is("/net://a"));
}

static void test_what_is_none(void **state)
{
	static const char *const wrong[] = {
		"net://",
		"net:///host/a/b",
		"net://:1",
		"net://a:",
		"net://a:0",
		"net://a:65536",
		"net://a:+1",
		"net://a:1x",
		"net://a:123456",
		"net://[::1",
		"net://[::1]x",
		"net://[]",
		"net://a/host",
		"net://a/host/b",
		"net://a/host//c",
		"net://a/host/b/c/d",
		"net://a/hosts/b/c",
		"net://a/HOST/b/c",
		"net://a/host/b//c",
		"tcp://a",
	};
	struct live_url url;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		diag.text[0] = '\0';
		assert_int_equal(live_url_parse(wrong[i], &url, &diag), -EINVAL);
		assert_non_null(strstr(diag.text, "net://RELAY"));
	}
}

static void test_what_is_too_long(void **state)
{
	char text[800] = "net://a/host/h/";
	size_t len = strlen(text);
	struct live_url url;

	(void)state;
	memset(text + len, 's', LIVE_NAME_BYTES);
	assert_int_equal(live_url_parse(text, &url, NULL), 0);
	text[len + LIVE_NAME_BYTES] = 's';
	assert_int_equal(live_url_parse(text, &url, NULL), -EINVAL);
	memset(text, 0, sizeof(text));
	strcpy(text, "net://");
	memset(text + 6, 'r', LIVE_RELAY_BYTES);
	assert_int_equal(live_url_parse(text, &url, NULL), -EINVAL);
}

static void test_as_it_is_typed(void **state)
{
	static const char *const texts[] = {
		"net://relay",
		"net4://relay:5345",
		"net6://[::1]:1/host/h/s",
		"net://relay/host/web/a b",
	};
	char text[LIVE_URL_BYTES];
	struct live_url url;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(live_url_parse(texts[i], &url, NULL), 0);
		live_url_format(&url, text);
		assert_string_equal(text, texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),	       cmocka_unit_test(test_families),
		cmocka_unit_test(test_what_is_none),   cmocka_unit_test(test_what_is_too_long),
		cmocka_unit_test(test_as_it_is_typed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
