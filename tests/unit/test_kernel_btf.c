// SPDX-License-Identifier: BSD-2-Clause
#include "probe/kernel_btf.h"

#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A kernel with one tracepoint, of two arguments, and one function; no way to be preempted. */
static int set_up(void **state)
{
	struct btf *btf = btf__new_empty();
	int data = btf__add_ptr(btf, 0), proto, pointer;

	proto = btf__add_func_proto(btf, 0);
	(void)btf__add_func_param(btf, "__data", data);
	(void)btf__add_func_param(btf, "a", data);
	(void)btf__add_func_param(btf, "b", data);
	pointer = btf__add_ptr(btf, proto);
	(void)btf__add_typedef(btf, "btf_trace_some_event", pointer);
	(void)btf__add_func(btf, "some_function", BTF_FUNC_GLOBAL, proto);
	(void)btf__add_func(btf, "bpf_iter_things", BTF_FUNC_GLOBAL, proto);
	(void)btf__add_func(btf, "bpf_preempt_disable", BTF_FUNC_GLOBAL, proto);
	*state = btf;
	return 0;
}

static int tear_down(void **state)
{
	btf__free(*state);
	return 0;
}

static void expect_lacking(const struct btf *btf, const char *section, const char *words)
{
	char reason[160] = "";

	assert_int_equal(kernel_btf_check(btf, section, reason, sizeof(reason)), -ENOENT);
	if (!strstr(reason, words))
		fail_msg("'%s' is not in '%s'", words, reason);
}

static void what_is_there_can_attach(void **state)
{
	char reason[160] = "";

	assert_int_equal(kernel_btf_check(*state, "tp_btf/some_event", reason, sizeof(reason)), 0);
	assert_int_equal(kernel_btf_check(*state, "fentry/some_function", reason, sizeof(reason)),
			 0);
	assert_int_equal(kernel_btf_check(*state, "iter/things", reason, sizeof(reason)), 0);
	assert_string_equal(reason, "");
}

static void what_is_not_there_is_named(void **state)
{
	expect_lacking(*state, "tp_btf/some_function", "no tracepoint some_function");
	expect_lacking(*state, "fentry/some_event", "no function some_event");
	expect_lacking(*state, "netfilter/ipv4/local_out", "no netfilter programs");
	expect_lacking(*state, "iter/some_function", "no iterator over some_function");
}

static void a_kernel_without_btf_has_nothing(void **state)
{
	(void)state;
	expect_lacking(NULL, "tp_btf/sys_enter", "CONFIG_DEBUG_INFO_BTF=y");
	assert_int_equal(kernel_btf_tracepoint_args(NULL, "sys_enter"), -1);
}

static void arguments_are_counted_without_the_hidden_one(void **state)
{
	assert_int_equal(kernel_btf_tracepoint_args(*state, "some_event"), 2);
	assert_int_equal(kernel_btf_tracepoint_args(*state, "no_event"), -1);
}

static void the_running_kernel_is_read(void **state)
{
	struct btf *btf = kernel_btf_load();

	(void)state;
	if (!btf)
		skip();
	assert_int_equal(kernel_btf_tracepoint_args(btf, "sys_enter"), 2);
	btf__free(btf);
}

#define BTF_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BTF_TEST(what_is_there_can_attach),
		BTF_TEST(what_is_not_there_is_named),
		BTF_TEST(a_kernel_without_btf_has_nothing),
		BTF_TEST(arguments_are_counted_without_the_hidden_one),
		BTF_TEST(the_running_kernel_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
