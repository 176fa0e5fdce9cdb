// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define STRANGER 65534u

static char dir[32];

/* In a child, as there is no way back: @act says in which line it failed; 0 = nowhere. */
static void run_confined(const struct confine *to, int (*act)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(confine(to) ? 255 : act());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status))
		fail_msg("failed at step %d", WEXITSTATUS(status));
}

/* Whether what returned @got was refused. */
static bool is_refused(long got)
{
	return got < 0 && errno == EPERM;
}

static const char *in(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int act_as_reader(void)
{
	char *const argv[] = {(char *)"/bin/true", NULL};
	char byte = '\n';
	int fd = open("/proc/self/status", O_RDONLY);

	if (fd < 0 || read(fd, &byte, 1) != 1)
		return 1;
	if (!is_refused(open(in("new"), O_WRONLY | O_CREAT, 0600)))
		return 2;
	if (!is_refused(open(in("old"), O_RDWR)))
		return 3;
	if (!is_refused(unlink(in("old"))) || !is_refused(mkdir(in("folder"), 0700)) ||
	    !is_refused(rename(in("old"), "/tmp/new")) || !is_refused(chmod(in("old"), 0666)))
		return 4;
	/* Nameless files are for what a relay sends. */
	fd = open(dir, O_TMPFILE | O_RDWR, 0600);
	if (fd < 0 || write(fd, &byte, 1) != 1)
		return 5;
	if (!is_refused(execv(argv[0], argv)) ||
	    !is_refused(syscall(SYS_execveat, fd, "", argv, NULL, AT_EMPTY_PATH)))
		return 6;
	if (!is_refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 7;
	if (!is_refused(syscall(SYS_bpf, 0, NULL, 0)) || !is_refused(kill(getppid(), 0)))
		return 8;
	if (!is_refused(setuid(0)) || !is_refused(syscall(SYS_unshare, 0x10000000)))
		return 9;
	if (!is_refused(ioctl(0, TIOCSTI, &byte)))
		return 10;
	if (confine_capabilities() || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 11;
	if (syscall(SYS_openat2, AT_FDCWD, dir, NULL, 0) != -1 || errno != ENOSYS)
		return 12;
	return 0;
}

static void test_a_reader_changes_nothing(void **state)
{
	const struct confine to = {.allow = 0};

	(void)state;
	run_confined(&to, act_as_reader);
}

static int act_as_server(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return 1;
	if (!is_refused(open(in("new"), O_WRONLY | O_CREAT, 0600)))
		return 2;
	return confine_capabilities() ? 3 : 0;
}

static void test_a_server_has_sockets(void **state)
{
	const struct confine to = {.allow = CONFINE_NETWORK};

	(void)state;
	run_confined(&to, act_as_server);
}

static int act_as_writer(void)
{
	struct confine_support support;
	int fd = open(in("new"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int at = open(dir, O_RDONLY | O_DIRECTORY);

	confine_support(&support);
	if (fd < 0 || mkdir(in("folder"), 0700) || renameat(at, "new", at, "newer") ||
	    unlink(in("newer")) || rmdir(in("folder")))
		return 1;
	if (open("/dev/null", O_WRONLY) < 0)
		return 2;
	if (!support.landlock)
		return 0;
	if (open("/tmp/sonde-confine-outside", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES)
		return 3;
	if (open(in("../sonde-confine-outside"), O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES)
		return 4;
	return 0;
}

static void test_a_writer_writes_in_its_place(void **state)
{
	const struct confine to = {.allow = CONFINE_FILES, .writable = {dir}};

	(void)state;
	run_confined(&to, act_as_writer);
}

static int act_with_kept(void)
{
	return confine_capabilities() == 1ull << CAP_BPF ? 0 : 1;
}

static void test_capabilities_are_kept(void **state)
{
	const struct confine to = {.capabilities = 1ull << CAP_BPF};

	(void)state;
	if (!(confine_capabilities() >> CAP_BPF & 1))
		skip();
	run_confined(&to, act_with_kept);
}

static void test_knows_what_takes_capabilities(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_true(confine_can_read(dir));
	assert_true(confine_can_read(in("old")));
	assert_true(confine_can_read(in("no such")));
	assert_true(confine_can_write(dir));
	assert_int_equal(chown(in("old"), STRANGER, STRANGER), 0);
	assert_false(confine_can_read(in("old")));
	assert_false(confine_can_write(in("old")));
	assert_false(confine_can_read(dir));
	assert_int_not_equal(confine_capabilities(), 0);
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(dir, "/tmp/sonde-confine-XXXXXX");
	assert_non_null(mkdtemp(dir));
	fd = open(in("old"), O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)unlink(in("old"));
	(void)rmdir(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_reader_changes_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_server_has_sockets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_writer_writes_in_its_place, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_capabilities_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_knows_what_takes_capabilities, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
