// SPDX-License-Identifier: BSD-2-Clause
#include "output/call_arg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/emit.h"
#include "schema/call_meaning.h"
#include "schema/calls.h"

/* The argument @arg of @call with @value, where the argument that decides is @by. */
static const char *text(const char *call, const char *arg, uint64_t by, uint64_t value)
{
	static char to[CALL_ARG_TEXT_BYTES + EMIT_SLACK_BYTES];
	const struct call_meaning *meaning = call_meaning_find(call, arg);

	assert_non_null(meaning);
	*call_arg_write(to, call_meaning_case(meaning, by), value) = '\0';
	return to;
}

/* As strace(1) 6.1 writes them: tests/kern/strace_lines.py compares many more. */
static void test_forms(void **state)
{
	static const struct {
		const char *call, *arg;
		uint64_t by, value;
		const char *text;
	} cases[] = {
		{"fcntl", "arg", 0, (uint64_t)-1, "-1"},
		{"fcntl", "arg", 2, 1, "FD_CLOEXEC"},
		{"fcntl", "arg", 2, 0, "0"},
		{"fcntl", "arg", 4, 04002, "O_RDWR|O_NONBLOCK"},
		{"fcntl", "arg", 5, 0, "NULL"},
		{"fcntl", "arg", 10, 10, "SIGUSR1"},
		{"kill", "sig", 0, 32, "SIGRTMIN"},
		{"kill", "sig", 0, 64, "SIGRT_32"},
		{"kill", "sig", 0, 65, "65"},
		{"kill", "sig", 0, 0, "0"},
		{"ioctl", "cmd", 0, 0x5401, "TCGETS"},
		{"ioctl", "cmd", 0, 0xdeadbeef, "_IOC(_IOC_READ|_IOC_WRITE, 0xbe, 0xef, 0x1ead)"},
		{"ioctl", "cmd", 0, 0x7a00, "_IOC(_IOC_NONE, 0x7a, 0, 0)"},
		{"futex", "op", 0, 0, "FUTEX_WAIT"},
		{"futex", "op", 0, 0x81, "FUTEX_WAKE_PRIVATE"},
		{"futex", "op", 0, 0x189, "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME"},
		{"futex", "op", 0, 0x101, "0x101"},
		{"futex", "val3", 9, 0xffffffff, "FUTEX_BITSET_MATCH_ANY"},
		{"futex", "val3", 5, 0x63, "FUTEX_OP_SET<<28|0<<12|FUTEX_OP_CMP_EQ<<24|0x63"},
		{"socket", "type", 0, 02000001, "SOCK_STREAM|SOCK_CLOEXEC"},
		{"socket", "type", 0, 02000000, "SOCK_CLOEXEC"},
		{"socket", "type", 0, 0x4d, "0x4d"},
		{"socket", "type", 0, 0, "0"},
		{"socket", "protocol", 2, 6, "IPPROTO_TCP"},
		{"socket", "protocol", 16, 0, "NETLINK_ROUTE"},
		{"socket", "protocol", 17, 0x300, "htons(ETH_P_ALL)"},
		{"setsockopt", "optname", 1, 2, "SO_REUSEADDR"},
		{"setsockopt", "optname", 6, 1, "TCP_NODELAY"},
		{"setsockopt", "optname", 41, 26, "IPV6_V6ONLY"},
		{"getsockopt", "optname", 1, 26, "SO_GET_FILTER"},
		{"setsockopt", "optname", 1, 26, "SO_ATTACH_FILTER"},
		{"mmap", "flags", 0, 0x22, "MAP_PRIVATE|MAP_ANONYMOUS"},
		{"mmap", "flags", 0, 0x20, "MAP_FILE|MAP_ANONYMOUS"},
		{"mmap", "flags", 0, 21 << 26 | 0x40022,
		 "MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB|21<<MAP_HUGE_SHIFT"},
		{"memfd_create", "flags", 0, 21u << 26, "21<<MFD_HUGE_SHIFT"},
		{"memfd_create", "flags", 0, 0, "0"},
		{"clone", "clone_flags", 0, 0x4111, "CLONE_VM|CLONE_VFORK|SIGCHLD"},
		{"clone", "clone_flags", 0, 17, "SIGCHLD"},
		{"clone", "clone_flags", 0, 0, "0"},
		{"mknod", "mode", 0, 0100644, "S_IFREG|0644"},
		{"mknod", "mode", 0, 0, "000"},
		{"mknod", "mode", 0, 07, "007"},
		{"mknod", "mode", 0, 0177777, "0177777"},
		{"mknod", "dev", 0020000, 0x103, "makedev(0x1, 0x3)"},
		{"mknod", "dev", 0060000, 0, "makedev(0, 0)"},
		{"shmctl", "cmd", 0, 0x102, "IPC_64|IPC_STAT"},
		{"semctl", "cmd", 0, 16, "SETVAL"},
		{"shmget", "shmflg", 0, 21 << 26 | 04600, "SHM_HUGETLB|21<<SHM_HUGE_SHIFT|0600"},
		{"msgget", "msgflg", 0, 01600, "IPC_CREAT|0600"},
		{"quotactl", "cmd", 0, 0x80000201, "QCMD(Q_QUOTAON, GRPQUOTA)"},
		{"keyctl", "arg2", 6, (uint32_t)-3, "KEY_SPEC_SESSION_KEYRING"},
		{"keyctl", "arg4", 19, 126, "ENOKEY"},
		{"ioprio_set", "ioprio", 0, 2 << 13 | 7, "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7)"},
		{"mbind", "mode", 0, 0x8002, "MPOL_BIND|MPOL_F_STATIC_NODES"},
		{"swapon", "swap_flags", 0, 0x8003, "SWAP_FLAG_PREFER|3"},
		{"prctl", "arg2", 23, 1, "CAP_DAC_OVERRIDE"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text(cases[i].call, cases[i].arg, cases[i].by, cases[i].value),
				    cases[i].text);
}

/* Whatever the bits, the text fits in the room that there is for it. */
static void test_room(void **state)
{
	static const uint64_t values[] = {UINT64_MAX, UINT32_MAX, INT64_MAX, 1ull << 63, 0};
	static char to[4096];

	(void)state;
	for (size_t i = 0; i < calls_count(); i++) {
		const struct call *call = calls_get(i);

		for (size_t a = 0; a < call->arg_count; a++) {
			const struct call_meaning *meaning =
				call_meaning_find(call->name, call->args[a].name);

			for (size_t c = 0; meaning && c < meaning->count; c++) {
				for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
					char *end =
						call_arg_write(to, &meaning->cases[c], values[v]);

					assert_in_range(end - to, 1, CALL_ARG_TEXT_BYTES);
				}
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
