// SPDX-License-Identifier: BSD-2-Clause
#include "base/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_names_globs_and_groups(void **state)
{
	(void)state;
	assert_true(pattern_matches("tcp", "tcp.ack"));
	assert_true(pattern_matches("tcp.*", "tcp.ack"));
	assert_true(pattern_matches("*.ack", "tcp.ack"));
	assert_true(pattern_matches("tcp.ack", "tcp.ack"));
	assert_false(pattern_matches("tc", "tcp.ack"));
	assert_false(pattern_matches("tcp.ac", "tcp.ack"));
	assert_false(pattern_matches("", "tcp.ack"));
}

static void test_groups_within_groups(void **state)
{
	static const char name[] = "kernel:sched:sched_switch";

	(void)state;
	assert_true(pattern_matches("kernel", name));
	assert_true(pattern_matches("kernel:sched", name));
	assert_true(pattern_matches("kernel:sched:*", name));
	assert_true(pattern_matches(name, name));
	assert_false(pattern_matches("kernel:sch", name));
	assert_false(pattern_matches("sched", name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_globs_and_groups),
		cmocka_unit_test(test_groups_within_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
