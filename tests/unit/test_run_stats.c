// SPDX-License-Identifier: BSD-2-Clause
#include "probe/run_stats.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/io.h"

static void it_is_granted_or_refused(void **state)
{
	int fd = -1, err = run_stats_open(&fd);

	(void)state;
	if (err) {
		assert_true(err == -EPERM || err == -ENOSYS);
		assert_int_equal(fd, -1);
	}
	assert_int_equal(fd_close(fd), 0);
}

/* A reading of a clock; nothing where nobody may count. */
static void the_bias_is_some_nanoseconds(void **state)
{
	double ns = run_stats_bias_ns();

	(void)state;
	assert_true(ns >= 0 && ns < 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_granted_or_refused),
		cmocka_unit_test(the_bias_is_some_nanoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
