// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "record/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/confine.h"

static char dir[32], trace[40], sockets[40];

static const char *in(const char *where, const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/%s", where, name);
	return path;
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return unlink(path) ? -errno : 0;
}

/* In which step a recorder's thread is not as it should be; 0 = in none. */
static int act_as_recorder(bool command)
{
	const uint64_t most = 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_NET_ADMIN;
	struct confine_support support;
	int ns = open("/proc/self/ns/net", O_RDONLY);

	confine_support(&support);
	if (privileges_drop(trace, command))
		return 1;
	if (confine_capabilities() & ~most)
		return 2;
	if (create(in(trace, "stream")) || create(in(sockets, "name.1.sock")))
		return 3;
	if (support.landlock && create(in(dir, "outside")) != -EACCES)
		return 4;
	if (!setns(ns, CLONE_NEWNET) || errno != EPERM)
		return 5;
	if (!kill(getpid(), 0) != command)
		return 6;
	return open("/proc/1/environ", O_RDONLY) >= 0 ? 7 : 0;
}

static void run(bool command)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(act_as_recorder(command));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status))
		fail_msg("failed at step %d", WEXITSTATUS(status));
}

static void a_recorder_writes_its_trace_and_nothing_else(void **state)
{
	(void)state;
	run(false);
}

static void a_recorder_may_end_its_command(void **state)
{
	(void)state;
	run(true);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/sonde-privileges-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(trace, sizeof(trace), "%s/T", dir);
	snprintf(sockets, sizeof(sockets), "%s/run", dir);
	setenv("SONDE_RUNTIME_DIR", sockets, 1);
	return mkdir(trace, 0700) || mkdir(sockets, 0700) ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)unlink(in(dir, "outside"));
	return rmdir(trace) || rmdir(sockets) || rmdir(dir) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_recorder_writes_its_trace_and_nothing_else,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_recorder_may_end_its_command, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
