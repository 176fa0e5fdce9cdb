// SPDX-License-Identifier: BSD-2-Clause
#include "schema/syscalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <cmocka.h>

static void test_names_and_numbers(void **state)
{
	struct syscalls *calls = syscalls_new("0 read,1 write,1000 far", "0 restart_syscall");

	(void)state;
	assert_non_null(calls);
	assert_string_equal(syscalls_name(calls, false, 1), "write");
	assert_string_equal(syscalls_name(calls, false, 1000), "far");
	assert_string_equal(syscalls_name(calls, true, 0), "restart_syscall");
	assert_null(syscalls_name(calls, false, 2));
	assert_null(syscalls_name(calls, false, -1));
	assert_null(syscalls_name(calls, false, INT64_MAX));
	assert_null(syscalls_name(calls, true, 1));
	assert_int_equal(syscalls_number(calls, false, "far"), 1000);
	assert_int_equal(syscalls_number(calls, false, "fa"), -1);
	assert_int_equal(syscalls_number(calls, true, "read"), -1);
	syscalls_free(calls);
	syscalls_free(NULL);
}

static void test_what_does_not_parse_is_skipped(void **state)
{
	struct syscalls *calls =
		syscalls_new("x,1,2 ,-3 a,99999999999999999999 b,65536 c,4  d, 5 e,,6 good", NULL);
	int64_t i;

	(void)state;
	assert_non_null(calls);
	for (i = 0; i < 4; i++)
		assert_null(syscalls_name(calls, false, i));
	assert_string_equal(syscalls_name(calls, false, 6), "good");
	assert_int_equal(syscalls_number(calls, false, "c"), -1);
	assert_int_equal(syscalls_number(calls, false, "e"), -1);
	syscalls_free(calls);
}

static void test_no_tables(void **state)
{
	struct syscalls *calls = syscalls_new(NULL, "");

	(void)state;
	assert_non_null(calls);
	assert_null(syscalls_name(calls, false, 0));
	assert_null(syscalls_name(calls, true, 0));
	syscalls_free(calls);
}

static void test_this_host(void **state)
{
	struct syscalls *calls = syscalls_new(syscalls_native_text, syscalls_compat_text);

	(void)state;
	assert_non_null(calls);
	assert_string_equal(syscalls_name(calls, false, SYS_getppid), "getppid");
	assert_string_equal(syscalls_name(calls, false, SYS_bpf), "bpf");
	assert_int_equal(syscalls_number(calls, false, "read"), SYS_read);
#ifdef __x86_64__
	assert_int_equal(syscalls_number(calls, true, "read"), 3);
#endif
	syscalls_free(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_numbers),
		cmocka_unit_test(test_what_does_not_parse_is_skipped),
		cmocka_unit_test(test_no_tables),
		cmocka_unit_test(test_this_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
