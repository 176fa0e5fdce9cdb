// SPDX-License-Identifier: BSD-2-Clause
#include "rx/rx_client.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"

static union rx_address make(int family, const char *text)
{
	union rx_address address = {.any.sa_family = (sa_family_t)family};

	assert_int_equal(inet_pton(family, text,
				   family == AF_INET ? (void *)&address.in.sin_addr :
						       (void *)&address.in6.sin6_addr),
			 1);
	return address;
}

static void test_ports(void **state)
{
	union rx_address addresses[] = {make(AF_INET, "192.0.2.1"), make(AF_INET6, "2001:db8::1")};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		rx_address_set_port(&addresses[i], 7003);
		assert_int_equal(rx_address_port(&addresses[i]), 7003);
		assert_int_equal(ntohs(rx_address_mapped(&addresses[i]).sin6_port), 7003);
	}
	assert_int_equal(addresses[0].in.sin_addr.s_addr, htonl(0xc0000201));
}

/* IPv4 is the same host in both forms; ports do not matter. */
static void test_same_host(void **state)
{
	const union rx_address one = make(AF_INET, "192.0.2.1");
	const union rx_address mapped = make(AF_INET6, "::ffff:192.0.2.1");
	union rx_address other = make(AF_INET, "192.0.2.1");

	(void)state;
	rx_address_set_port(&other, 9);
	assert_true(rx_address_is_same_host(&one, &mapped));
	assert_true(rx_address_is_same_host(&one, &other));
	other = make(AF_INET, "192.0.2.2");
	assert_false(rx_address_is_same_host(&mapped, &other));
	other = make(AF_INET6, "::192.0.2.1");
	assert_false(rx_address_is_same_host(&one, &other));
}

static void test_text(void **state)
{
	static const struct {
		int family;
		const char *text;
	} cases[] = {{AF_INET, "192.0.2.1"}, {AF_INET6, "2001:db8::1"}};
	struct buffer out;

	(void)state;
	buffer_init(&out);
	for (size_t i = 0; i < 2; i++) {
		const union rx_address address = make(cases[i].family, cases[i].text);

		buffer_reset(&out);
		rx_address_host(&address, &out);
		buffer_char(&out, '\0');
		assert_string_equal(out.data, cases[i].text);
	}
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_same_host),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
