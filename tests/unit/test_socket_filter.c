// SPDX-License-Identifier: BSD-2-Clause
#include "record/tcp_poll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/map.h"
#include "probe/inet_diag.h"
#include "record/filter.h"

/* 10.1.2.3:80 <- 10.9.9.9:40000, of user 33. */
static const struct inet_socket server = {
	.lport = 80,
	.rport = 40000,
	.saddr = {[10] = 0xff, 0xff, 10, 1, 2, 3},
	.daddr = {[10] = 0xff, 0xff, 10, 9, 9, 9},
	.uid = 33,
	.inode = 4711,
};

typedef int (*add_fn)(struct filter *filter, const char *text, struct diag *diag);

static bool wanted_with(add_fn add, const char *text)
{
	struct filter filter;
	struct diag diag;

	filter_init(&filter);
	assert_int_equal(add(&filter, text, &diag), 0);
	return socket_filter_wants(&filter.config, NULL, &server);
}

static void without_a_filter_all_are_wanted(void **state)
{
	struct filter filter;

	(void)state;
	filter_init(&filter);
	assert_true(socket_filter_wants(&filter.config, NULL, &server));
}

static void either_port_will_do(void **state)
{
	(void)state;
	assert_true(wanted_with(filter_add_port, "80"));
	assert_true(wanted_with(filter_add_port, "443,40000"));
	assert_false(wanted_with(filter_add_port, "443,8080"));
}

static void either_address_will_do(void **state)
{
	(void)state;
	assert_true(wanted_with(filter_add_address, "10.1.2.3"));
	assert_true(wanted_with(filter_add_address, "10.9.0.0/16"));
	assert_true(wanted_with(filter_add_address, "::1,10.9.9.9"));
	assert_false(wanted_with(filter_add_address, "10.1.2.4"));
	assert_false(wanted_with(filter_add_address, "8000::/1,::1"));
}

static void the_user_is_the_sockets(void **state)
{
	(void)state;
	assert_true(wanted_with(filter_add_uid, "33"));
	assert_false(wanted_with(filter_add_uid, "0,34"));
}

static void filters_of_two_kinds_must_both_match(void **state)
{
	struct filter filter;
	struct diag diag;

	(void)state;
	filter_init(&filter);
	assert_int_equal(filter_add_port(&filter, "80", &diag), 0);
	assert_int_equal(filter_add_uid(&filter, "34", &diag), 0);
	assert_false(socket_filter_wants(&filter.config, NULL, &server));
}

static void an_owner_must_have_it_open(void **state)
{
	struct inet_socket orphan = server;
	struct filter filter;
	struct map owned;

	(void)state;
	filter_init(&filter);
	map_init(&owned, sizeof(uint32_t), sizeof(uint8_t), 0);
	assert_false(socket_filter_wants(&filter.config, &owned, &server));
	assert_non_null(map_at(&owned, &server.inode));
	assert_true(socket_filter_wants(&filter.config, &owned, &server));
	orphan.inode = 0;
	assert_non_null(map_at(&owned, &orphan.inode));
	assert_false(socket_filter_wants(&filter.config, &owned, &orphan));
	map_fini(&owned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_filter_all_are_wanted),
		cmocka_unit_test(either_port_will_do),
		cmocka_unit_test(either_address_will_do),
		cmocka_unit_test(the_user_is_the_sockets),
		cmocka_unit_test(filters_of_two_kinds_must_both_match),
		cmocka_unit_test(an_owner_must_have_it_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
