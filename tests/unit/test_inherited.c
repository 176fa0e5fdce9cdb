// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/inherited.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void offer(const char *count, const char *names)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", count, 1);
	if (names)
		setenv("LISTEN_FDNAMES", names, 1);
	else
		unsetenv("LISTEN_FDNAMES");
}

static void names_go_with_their_sockets(void **state)
{
	struct inherited got;

	(void)state;
	offer("3", "live::control");
	inherited_take(&got);
	assert_int_equal(got.count, 3);
	assert_int_equal(got.sockets[0].fd, 3);
	assert_string_equal(got.sockets[0].name, "live");
	assert_string_equal(got.sockets[1].name, "");
	assert_int_equal(got.sockets[2].fd, 5);
	assert_string_equal(got.sockets[2].name, "control");
	inherited_take(&got);
	assert_int_equal(got.count, 0);
}

static void sockets_may_have_no_names(void **state)
{
	struct inherited got;

	(void)state;
	offer("2", NULL);
	inherited_take(&got);
	assert_int_equal(got.count, 2);
	assert_string_equal(got.sockets[1].name, "");
	offer("2", "a");
	inherited_take(&got);
	assert_string_equal(got.sockets[0].name, "a");
	assert_string_equal(got.sockets[1].name, "");
}

static void those_of_others_are_left(void **state)
{
	struct inherited got;

	(void)state;
	offer("2", "a:b");
	setenv("LISTEN_PID", "1", 1);
	inherited_take(&got);
	assert_int_equal(got.count, 0);
	offer("-1", "a:b");
	inherited_take(&got);
	assert_int_equal(got.count, 0);
	offer("999999999", NULL);
	inherited_take(&got);
	assert_int_equal(got.count, INHERITED_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_go_with_their_sockets),
		cmocka_unit_test(sockets_may_have_no_names),
		cmocka_unit_test(those_of_others_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
