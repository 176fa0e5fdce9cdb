// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sockstat.h"

#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void a_listener_is_in_use(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint64_t count = 0;

	(void)state;
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(sockstat_get("TCP", "inuse", &count), 0);
	assert_true(count > 0);
	close(fd);
}

static void memory_is_less_than_there_is(void **state)
{
	uint64_t pages = UINT64_MAX;

	(void)state;
	assert_int_equal(sockstat_get("TCP", "mem", &pages), 0);
	assert_true(pages < (uint64_t)sysconf(_SC_PHYS_PAGES));
}

static void what_is_not_there_is_no_data(void **state)
{
	uint64_t number = 7;

	(void)state;
	assert_int_equal(sockstat_get("TCP", "no such word", &number), -ENODATA);
	assert_int_equal(sockstat_get("TC", "inuse", &number), -ENODATA);
	assert_int_equal(sockstat_get("UDPLITE", "mem", &number), -ENODATA);
	assert_int_equal(number, 7);
}

static void version_6_has_a_file_of_its_own(void **state)
{
	uint64_t number;
	int err = sockstat_get("TCP6", "inuse", &number);

	(void)state;
	if (err == -ENOENT)
		skip(); /* a kernel without IPv6 */
	assert_int_equal(err, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_listener_is_in_use),
		cmocka_unit_test(memory_is_less_than_there_is),
		cmocka_unit_test(what_is_not_there_is_no_data),
		cmocka_unit_test(version_6_has_a_file_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
