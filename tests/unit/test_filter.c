// SPDX-License-Identifier: BSD-2-Clause
#include "record/filter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "schema/syscalls.h"

typedef int (*add_fn)(struct filter *filter, const char *text, struct diag *diag);

static int set_up(void **state)
{
	static struct filter filter;

	filter_init(&filter);
	*state = &filter;
	return 0;
}

/* @add refuses @text with @err and a sentence that has @words in it. */
static void expect_refused(struct filter *filter, add_fn add, const char *text, int err,
			   const char *words)
{
	struct diag diag = {.text = ""};

	assert_int_equal(add(filter, text, &diag), err);
	if (!strstr(diag.text, words))
		fail_msg("'%s' is not in '%s'", words, diag.text);
}

static void expect_comm(const struct filter *filter, size_t i, const char *text, size_t masked)
{
	unsigned char wanted[16] = {0}, mask[16] = {0};

	memcpy(wanted, text, strlen(text));
	memset(mask, 0xff, masked);
	assert_memory_equal(filter->config.comm[i], wanted, 16);
	assert_memory_equal(filter->config.comm_mask[i], mask, 16);
}

static void a_new_filter_wants_all_but_the_recorder(void **state)
{
	static const struct filter_config none;
	struct filter *filter = *state;

	assert_int_equal(filter->config.self, getpid());
	filter->config.self = 0;
	assert_memory_equal(&filter->config, &none, sizeof(none));
	assert_int_equal(filter->pid_count, 0);
}

static void pids_are_a_list(void **state)
{
	struct filter *filter = *state;
	char text[64];

	(void)snprintf(text, sizeof(text), "1,%d", (int)getpid());
	assert_int_equal(filter_add_pid(filter, text, NULL), 0);
	assert_int_equal(filter->pid_count, 2);
	assert_int_equal(filter->pids[0], 1);
	assert_int_equal(filter->pids[1], getpid());
	assert_true(filter->config.by_pid);
	assert_true(filter->config.tasks);
}

static void what_is_no_pid_is_refused(void **state)
{
	expect_refused(*state, filter_add_pid, "abc", -EINVAL, "--pid: 'abc'");
	expect_refused(*state, filter_add_pid, "0", -EINVAL, "'0'");
	expect_refused(*state, filter_add_pid, "-1", -EINVAL, "'-1'");
	expect_refused(*state, filter_add_pid, "1,1x", -EINVAL, "'1x'");
	expect_refused(*state, filter_add_pid, "4194304", -EINVAL, "4194304");
	expect_refused(*state, filter_add_pid, "4194303", -ENOENT, "no process 4194303");
}

static void too_many_pids_are_refused(void **state)
{
	struct filter *filter = *state;

	for (int i = 0; i < FILTER_PIDS_MAX; i++)
		assert_int_equal(filter_add_pid(filter, "1", NULL), 0);
	expect_refused(filter, filter_add_pid, "1", -E2BIG, "at most 256");
}

static void an_empty_list_is_refused(void **state)
{
	expect_refused(*state, filter_add_pid, "", -EINVAL, "--pid");
	expect_refused(*state, filter_add_comm, ",", -EINVAL, "--comm");
	expect_refused(*state, filter_add_uid, "", -EINVAL, "--uid");
	expect_refused(*state, filter_add_netns, "", -EINVAL, "--netns");
	expect_refused(*state, filter_add_port, ",,", -EINVAL, "--port");
	expect_refused(*state, filter_add_address, "", -EINVAL, "--addr");
	expect_refused(*state, filter_add_syscall, "", -EINVAL, "--syscall");
}

static void a_name_is_compared_with_its_end(void **state)
{
	struct filter *filter = *state;

	assert_int_equal(filter_add_comm(filter, "nginx,fifteen_letters", NULL), 0);
	assert_int_equal(filter->config.comm_count, 2);
	assert_true(filter->config.tasks);
	expect_comm(filter, 0, "nginx", 6);
	expect_comm(filter, 1, "fifteen_letters", 16);
}

static void a_star_compares_the_beginning_only(void **state)
{
	struct filter *filter = *state;

	assert_int_equal(filter_add_comm(filter, "kworker*,fifteen_letters*", NULL), 0);
	expect_comm(filter, 0, "kworker", 7);
	expect_comm(filter, 1, "fifteen_letters", 15);
}

static void what_no_name_can_be_is_refused(void **state)
{
	expect_refused(*state, filter_add_comm, "*", -EINVAL, "'*'");
	expect_refused(*state, filter_add_comm, "a*b", -EINVAL, "'a*b'");
	expect_refused(*state, filter_add_comm, "sixteen__letters", -EINVAL, "1 to 15");
	expect_refused(*state, filter_add_comm, "1,2,3,4,5,6,7,8,9", -E2BIG, "at most 8");
}

static void users_are_numbers_or_names(void **state)
{
	struct filter *filter = *state;

	assert_int_equal(filter_add_uid(filter, "1000,root,4294967295", NULL), 0);
	assert_int_equal(filter->config.uid_count, 3);
	assert_int_equal(filter->config.uid[0], 1000);
	assert_int_equal(filter->config.uid[1], 0);
	assert_int_equal(filter->config.uid[2], 4294967295);
	expect_refused(filter, filter_add_uid, "no-such-user", -ENOENT, "'no-such-user'");
	expect_refused(filter, filter_add_uid, "4294967296", -ENOENT, "4294967296");
	expect_refused(filter, filter_add_uid, "1,2,3,4,5,6", -E2BIG, "at most 8");
}

static void devices_are_names_or_numbers(void **state)
{
	struct filter *filter = *state;

	assert_int_equal(filter_add_device(filter, "8:1,254:1048575", NULL), 0);
	assert_int_equal(filter->config.dev_count, 2);
	assert_int_equal(filter->config.dev[0], 8 << 20 | 1);
	assert_int_equal(filter->config.dev[1], 254u << 20 | 0xfffff);
	assert_int_equal(filter->config.tasks, 0);
	expect_refused(filter, filter_add_device, "no-such-disk", -ENOENT, "no-such-disk");
	expect_refused(filter, filter_add_device, "../../../etc/passwd", -ENOENT, "no disk");
	expect_refused(filter, filter_add_device, "8:1x", -ENOENT, "8:1x");
	expect_refused(filter, filter_add_device, "4096:1", -ENOENT, "4096:1");
	expect_refused(filter, filter_add_device, "8:1048576", -ENOENT, "8:1048576");
}

static void ports_are_numbers(void **state)
{
	struct filter *filter = *state;

	assert_int_equal(filter_add_port(filter, "80,65535", NULL), 0);
	assert_int_equal(filter->config.port_count, 2);
	assert_int_equal(filter->config.port[0], 80);
	assert_int_equal(filter->config.port[1], 65535);
	assert_false(filter->config.tasks);
	expect_refused(filter, filter_add_port, "0", -EINVAL, "'0'");
	expect_refused(filter, filter_add_port, "65536", -EINVAL, "'65536'");
	expect_refused(filter, filter_add_port, "http", -EINVAL, "'http'");
	expect_refused(filter, filter_add_port, "1,2,3,4,5,6,7", -E2BIG, "at most 8");
}

static void ipv4_networks_are_mapped_and_masked(void **state)
{
	static const uint8_t address[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 0, 0};
	static const uint8_t mask[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc0, 0};
	struct filter *filter = *state;

	assert_int_equal(filter_add_address(filter, "10.1.2.3/18", NULL), 0);
	assert_int_equal(filter->config.address_count, 1);
	assert_memory_equal(filter->config.address[0], address, 16);
	assert_memory_equal(filter->config.address_mask[0], mask, 16);
}

static void ipv6_networks_are_masked(void **state)
{
	static const uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8, 0xab, 0xcc};
	static const uint8_t mask[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xfe};
	struct filter *filter = *state;

	assert_int_equal(filter_add_address(filter, "2001:db8:abcd:1::5/47", NULL), 0);
	assert_memory_equal(filter->config.address[0], address, 16);
	assert_memory_equal(filter->config.address_mask[0], mask, 16);
}

static void addresses_alone_are_compared_whole(void **state)
{
	struct filter *filter = *state;
	uint8_t mask[16];

	memset(mask, 0xff, sizeof(mask));
	assert_int_equal(filter_add_address(filter, "127.0.0.1,::1", NULL), 0);
	assert_int_equal(filter->config.address_count, 2);
	assert_memory_equal(filter->config.address_mask[0], mask, 16);
	assert_memory_equal(filter->config.address_mask[1], mask, 16);
	assert_int_equal(((const uint8_t *)filter->config.address[1])[15], 1);
}

static void a_network_of_no_bits_is_its_family(void **state)
{
	struct filter *filter = *state;
	const uint8_t *mask = (const uint8_t *)filter->config.address_mask[0];

	assert_int_equal(filter_add_address(filter, "0.0.0.0/0,::/0", NULL), 0);
	assert_int_equal(mask[11], 0xff);
	assert_int_equal(mask[12], 0);
	assert_int_equal(mask[16], 0);
}

static void what_is_no_address_is_refused(void **state)
{
	expect_refused(*state, filter_add_address, "10.1.2", -EINVAL, "'10.1.2'");
	expect_refused(*state, filter_add_address, "10.1.2.3/33", -EINVAL, "'10.1.2.3/33'");
	expect_refused(*state, filter_add_address, "::1/129", -EINVAL, "'::1/129'");
	expect_refused(*state, filter_add_address, "::1/", -EINVAL, "'::1/'");
	expect_refused(*state, filter_add_address, "localhost", -EINVAL, "'localhost'");
	expect_refused(*state, filter_add_address,
		       "1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1,1.1.1.1",
		       -E2BIG, "at most 8");
}

static void system_calls_are_found_in_both_tables(void **state)
{
	struct syscalls *calls = syscalls_new(syscalls_native_text, syscalls_compat_text);
	struct filter *filter = *state;

	assert_int_equal(filter_add_syscall(filter, "read", NULL), 0);
	for (int compat = 0; compat < 2; compat++) {
		int nr = syscalls_number(calls, compat, "read");

		if (nr < 0)
			continue;
		for (int word = 0; word < FILTER_SYSCALLS / 64; word++)
			assert_int_equal(filter->config.syscalls[compat][word],
					 word == nr / 64 ? 1ull << (nr % 64) : 0);
	}
	assert_true(filter->config.by_syscall);
	assert_false(filter->config.tasks);
	syscalls_free(calls);
}

static void system_calls_may_be_numbers(void **state)
{
	struct filter *filter = *state;

	assert_int_equal(filter_add_syscall(filter, "3,511", NULL), 0);
	assert_int_equal(filter->config.syscalls[0][0], 8);
	assert_int_equal(filter->config.syscalls[1][0], 8);
	assert_int_equal(filter->config.syscalls[0][7], 1ull << 63);
	expect_refused(filter, filter_add_syscall, "512", -ENOENT, "'512'");
	expect_refused(filter, filter_add_syscall, "raed", -ENOENT, "'raed'");
}

static void network_namespaces_are_inode_numbers(void **state)
{
	struct filter *filter = *state;
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	assert_int_equal(filter_add_netns(filter, "self,/proc/self/ns/net,4026531840", NULL), 0);
	assert_int_equal(filter->config.netns_count, 3);
	assert_int_equal(filter->config.netns[0], st.st_ino);
	assert_int_equal(filter->config.netns[1], st.st_ino);
	assert_int_equal(filter->config.netns[2], 4026531840);
	assert_true(filter->config.tasks);
	expect_refused(filter, filter_add_netns, "no-such-netns", -ENOENT, "no-such-netns");
}

static void a_cgroup_that_is_not_there_is_told(void **state)
{
	struct filter *filter = *state;

	/* Also where no hierarchy is mounted. */
	expect_refused(filter, filter_add_cgroup, "/no/such/cgroup", -ENOENT, "--cgroup: ");
	assert_int_equal(filter->config.cgroup_count, 0);
}

#define FILTER_TEST(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILTER_TEST(a_new_filter_wants_all_but_the_recorder),
		FILTER_TEST(pids_are_a_list),
		FILTER_TEST(what_is_no_pid_is_refused),
		FILTER_TEST(too_many_pids_are_refused),
		FILTER_TEST(an_empty_list_is_refused),
		FILTER_TEST(a_name_is_compared_with_its_end),
		FILTER_TEST(a_star_compares_the_beginning_only),
		FILTER_TEST(what_no_name_can_be_is_refused),
		FILTER_TEST(users_are_numbers_or_names),
		FILTER_TEST(devices_are_names_or_numbers),
		FILTER_TEST(ports_are_numbers),
		FILTER_TEST(ipv4_networks_are_mapped_and_masked),
		FILTER_TEST(ipv6_networks_are_masked),
		FILTER_TEST(addresses_alone_are_compared_whole),
		FILTER_TEST(a_network_of_no_bits_is_its_family),
		FILTER_TEST(what_is_no_address_is_refused),
		FILTER_TEST(system_calls_are_found_in_both_tables),
		FILTER_TEST(system_calls_may_be_numbers),
		FILTER_TEST(network_namespaces_are_inode_numbers),
		FILTER_TEST(a_cgroup_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
