// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/listen_address.h"

#define OTHERWISE 5344

/* "ADDR PORT", as it was understood, or "". */
static const char *understood(const char *text, int family, int otherwise)
{
	static char found[INET6_ADDRSTRLEN + 8];
	struct listen_address address;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address.at;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address.at;
	char host[INET6_ADDRSTRLEN];
	struct diag diag = {0};

	if (listen_address_parse(text, family, otherwise, &address, &diag)) {
		assert_non_null(strstr(diag.text, text));
		return "";
	}
	if (address.at.ss_family == AF_INET)
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
	else
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
	(void)snprintf(found, sizeof(found), "%s %u", host,
		       ntohs(address.at.ss_family == AF_INET ? in->sin_port : in6->sin6_port));
	return found;
}

static void test_address_and_port_and_one_of_them(void **state)
{
	static const char *const cases[][2] = {
		{"", "127.0.0.1 5344"},	       {"7009", "127.0.0.1 7009"},
		{":7009", "127.0.0.1 7009"},   {":0", "127.0.0.1 0"},
		{"*:65535", "0.0.0.0 65535"},  {"*", "0.0.0.0 5344"},
		{"10.0.0.1", "10.0.0.1 5344"}, {"10.0.0.1:80", "10.0.0.1 80"},
		{"::1", "::1 5344"},	       {"[::1]", "::1 5344"},
		{"[::1]:80", "::1 80"},	       {"[::]:80", ":: 80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(understood(cases[i][0], AF_UNSPEC, OTHERWISE), cases[i][1]);
}

static void test_what_is_none(void **state)
{
	static const char *const cases[] = {
		"10.0.0.1:", "10.0.0.1:x", "10.0.0.1:65536", "99999",	  "10.0.0.1:-1",
		"[::1",	     "[::1]80",	   "[::1]:",	     "999999999", "10.0.0.1:+1",
		":"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(understood(cases[i], AF_UNSPEC, OTHERWISE), "");
}

static void test_a_port_may_be_needed_and_a_family(void **state)
{
	(void)state;
	assert_string_equal(understood("10.0.0.1", AF_INET, LISTEN_PORT_NEEDED), "");
	assert_string_equal(understood("", AF_INET, LISTEN_PORT_NEEDED), "");
	assert_string_equal(understood("[::1]:80", AF_INET, LISTEN_PORT_NEEDED), "");
	assert_string_equal(understood("10.0.0.1:80", AF_INET, LISTEN_PORT_NEEDED), "10.0.0.1 80");
}

static void test_it_listens(void **state)
{
	struct listen_address address;
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	int fd, second;

	(void)state;
	assert_int_equal(listen_address_parse(":0", AF_UNSPEC, 0, &address, NULL), 0);
	assert_int_equal(listen_address_open(&address, 1, &fd), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	memcpy(&address.at, &at, sizeof(at));
	assert_int_equal(listen_address_open(&address, 1, &second), -EADDRINUSE);
	close(fd);
}

static void test_what_other_machines_reach(void **state)
{
	static const struct {
		const char *text;
		bool loopback;
	} cases[] = {
		{"1", true},
		{"127.9.9.9:1", true},
		{"[::1]:1", true},
		{"*:1", false},
		{"0.0.0.0:1", false},
		{"[::]:1", false},
		{"10.0.0.1:1", false},
		{"[::ffff:127.0.0.1]:1", true},
		{"[::ffff:10.0.0.1]:1", false},
	};
	struct listen_address address;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(listen_address_parse(cases[i].text, AF_UNSPEC, 1, &address, NULL),
				 0);
		assert_int_equal(listen_address_is_loopback((struct sockaddr *)&address.at),
				 cases[i].loopback);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_and_port_and_one_of_them),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_a_port_may_be_needed_and_a_family),
		cmocka_unit_test(test_what_other_machines_reach),
		cmocka_unit_test(test_it_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
