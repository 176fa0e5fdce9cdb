// SPDX-License-Identifier: BSD-2-Clause
#include "schema/sockaddr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/emit.h"

/* The @len bytes lie at the end of a block of their own: a sanitizer sees a look behind it. */
static const char *text(const void *bytes, size_t len)
{
	static char to[SOCKADDR_TEXT_BYTES + EMIT_SLACK_BYTES];
	uint8_t *own = malloc(len ?: 1);
	char *end;

	assert_non_null(own);
	memcpy(own, bytes, len);
	end = sockaddr_write(to, own, len, false);
	assert_true(end - to < (ptrdiff_t)SOCKADDR_TEXT_BYTES);
	*end = '\0';
	free(own);
	return to;
}

#define TEXT(BYTES) text(BYTES, sizeof(BYTES) - 1)

/* As strace(1) shows them: tests/kern/call_addresses.py compares. */
static void test_families(void **state)
{
	(void)state;
	assert_string_equal(TEXT("\2\0\0\x50\x7f\0\0\1\0\0\0\0\0\0\0\0"),
			    "{sa_family=AF_INET, sin_port=htons(80), "
			    "sin_addr=inet_addr(\"127.0.0.1\")}");
	assert_string_equal(
		TEXT("\x0a\0\x1f\x90\0\0\0\5\x20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\1\7\0\0\0"),
		"{sa_family=AF_INET6, sin6_port=htons(8080), sin6_flowinfo=htonl(5), "
		"inet_pton(AF_INET6, \"2001::1\", &sin6_addr), sin6_scope_id=7}");
	assert_string_equal(TEXT("\x0a\0\x1f\x90\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"),
			    "{sa_family=AF_INET6, sin6_port=htons(8080), sin6_flowinfo=htonl(0), "
			    "inet_pton(AF_INET6, \"::1\", &sin6_addr)}");
	assert_string_equal(TEXT("\1\0/tmp/x"), "{sa_family=AF_UNIX, sun_path=\"/tmp/x\"}");
	assert_string_equal(TEXT("\1\0/tmp/x\0yy"), "{sa_family=AF_UNIX, sun_path=\"/tmp/x\"}");
	assert_string_equal(TEXT("\1\0\0abs"), "{sa_family=AF_UNIX, sun_path=@\"abs\"}");
	assert_string_equal(TEXT("\1\0\0"), "{sa_family=AF_UNIX, sun_path=@\"\"}");
	assert_string_equal(TEXT("\1\0"), "{sa_family=AF_UNIX}");
	assert_string_equal(TEXT("\x10\0\0\0\xd2\4\0\0\5\0\0\0"),
			    "{sa_family=AF_NETLINK, nl_pid=1234, nl_groups=0x000005}");
	assert_string_equal(TEXT("\x10\0\0\0\0\0\0\0\0\0\0\0"),
			    "{sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}");
	assert_string_equal(TEXT("\x10\0\2\0\0\0\0\0\0\0\0\0"),
			    "{sa_family=AF_NETLINK, nl_pad=0x2, nl_pid=0, nl_groups=00000000}");
	assert_string_equal(TEXT("\x11\0\0\3\1\0\0\0\4\3\0\6\1\2\3\4\5\6\7\x8"),
			    "{sa_family=AF_PACKET, sll_protocol=htons(ETH_P_ALL), sll_ifindex=1, "
			    "sll_hatype=ARPHRD_LOOPBACK, sll_pkttype=PACKET_HOST, sll_halen=6, "
			    "sll_addr=[0x1, 0x2, 0x3, 0x4, 0x5, 0x6]}");
	assert_string_equal(TEXT("\x1f\0ab"), "{sa_family=AF_BLUETOOTH, sa_data=\"ab\"}");
	assert_string_equal(TEXT("\x4d\0ab"), "{sa_family=0x4d, sa_data=\"ab\"}");
}

static void test_big_endian(void **state)
{
	char to[SOCKADDR_TEXT_BYTES + EMIT_SLACK_BYTES];

	(void)state;
	*sockaddr_write(to, (const uint8_t *)"\0\1/x", 4, true) = '\0';
	assert_string_equal(to, "{sa_family=AF_UNIX, sun_path=\"/x\"}");
}

/* Too short for its family; nothing at all; more than there can be; bytes that a terminal might obey. */
static void test_hostile(void **state)
{
	uint8_t bytes[300];

	(void)state;
	assert_string_equal(TEXT(""), "{}");
	assert_string_equal(TEXT("\2"), "{}");
	assert_string_equal(TEXT("\2\0"), "{sa_family=AF_INET}");
	assert_string_equal(TEXT("\2\0ab"), "{sa_family=AF_INET, sa_data=\"ab\"}");
	assert_string_equal(TEXT("\1\0\x1b[2J\"\xff"),
			    "{sa_family=AF_UNIX, sun_path=\"\\x1b[2J\\\"\\xff\"}");
	for (unsigned int family = 0; family < 256; family++) {
		memset(bytes, 0xff, sizeof(bytes));
		bytes[0] = (uint8_t)family;
		bytes[1] = 0;
		for (size_t len = 0; len <= sizeof(bytes); len++)
			assert_int_equal(text(bytes, len)[0], '{');
		memset(bytes + 2, 0, sizeof(bytes) - 2);
		for (size_t len = 0; len <= sizeof(bytes); len++)
			assert_int_equal(text(bytes, len)[0], '{');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_big_endian),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
