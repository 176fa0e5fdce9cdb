// SPDX-License-Identifier: BSD-2-Clause
#include "record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

#define PATIENCE_MS 60000

static void wait_for_end(const struct command *cmd)
{
	struct pollfd end = {.fd = cmd->pid_fd, .events = POLLIN};

	assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
}

static void it_runs_only_when_it_is_started(void **state)
{
	char script[64], byte = 0;
	char *argv[] = {"sh", "-c", script, NULL};
	struct command cmd;
	int pipe_fds[2];

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	(void)snprintf(script, sizeof(script), "printf x >&%d", pipe_fds[1]);
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_true(cmd.pid > 0);
	assert_int_equal(fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(pipe_fds[0], &byte, 1), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(command_start(&cmd), 0);
	wait_for_end(&cmd);
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	command_finish(&cmd);
	assert_int_equal(fd_close(pipe_fds[0]), 0);
	assert_int_equal(fd_close(pipe_fds[1]), 0);
}

static void its_status_is_kept(void **state)
{
	char *argv[] = {"sh", "-c", "exit 7", NULL};
	struct command cmd;

	(void)state;
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_int_equal(command_start(&cmd), 0);
	wait_for_end(&cmd);
	command_finish(&cmd);
	assert_true(WIFEXITED(cmd.status));
	assert_int_equal(WEXITSTATUS(cmd.status), 7);
	assert_int_equal(cmd.pid, 0);
}

static void a_program_that_is_not_there_is_told(void **state)
{
	char *argv[] = {"/no/such/program", NULL};
	struct command cmd;

	(void)state;
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_int_equal(command_start(&cmd), -ENOENT);
	assert_int_equal(cmd.exec_errno, ENOENT);
	command_finish(&cmd);
}

static void a_file_that_is_no_program_is_told(void **state)
{
	char *argv[] = {"/etc/passwd", NULL};
	struct command cmd;

	(void)state;
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_int_equal(command_start(&cmd), -EACCES);
	command_finish(&cmd);
}

static void it_starts_with_no_signal_blocked(void **state)
{
	char *argv[] = {"sh", "-c", "kill -USR2 $$; exit 3", NULL};
	struct command cmd;
	sigset_t set, before;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &before), 0);
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_int_equal(command_start(&cmd), 0);
	wait_for_end(&cmd);
	command_finish(&cmd);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	assert_true(WIFSIGNALED(cmd.status));
	assert_int_equal(WTERMSIG(cmd.status), SIGUSR2);
}

static void finish_ends_one_that_still_runs(void **state)
{
	char *argv[] = {"sleep", "1000", NULL};
	struct command cmd;
	pid_t pid;

	(void)state;
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_int_equal(command_start(&cmd), 0);
	pid = cmd.pid;
	command_finish(&cmd);
	assert_true(WIFSIGNALED(cmd.status));
	assert_int_equal(WTERMSIG(cmd.status), SIGTERM);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void finish_ends_one_that_was_never_started(void **state)
{
	char *argv[] = {"sh", "-c", "exit 0", NULL};
	struct command cmd;
	pid_t pid;

	(void)state;
	assert_int_equal(command_prepare(&cmd, argv), 0);
	pid = cmd.pid;
	command_finish(&cmd);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void one_that_was_killed_while_it_waited_is_told(void **state)
{
	char *argv[] = {"sh", "-c", "exit 0", NULL};
	struct command cmd;

	(void)state;
	assert_int_equal(command_prepare(&cmd, argv), 0);
	assert_int_equal(kill(cmd.pid, SIGKILL), 0);
	wait_for_end(&cmd);
	assert_int_equal(command_start(&cmd), -EPIPE);
	command_finish(&cmd);
	assert_true(WIFSIGNALED(cmd.status));
}

static void finish_is_safe_where_nothing_was_prepared(void **state)
{
	struct command cmd = {.gate = -1, .pid_fd = -1};

	(void)state;
	command_finish(&cmd);
	assert_int_equal(cmd.pid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_only_when_it_is_started),
		cmocka_unit_test(its_status_is_kept),
		cmocka_unit_test(a_program_that_is_not_there_is_told),
		cmocka_unit_test(a_file_that_is_no_program_is_told),
		cmocka_unit_test(it_starts_with_no_signal_blocked),
		cmocka_unit_test(finish_ends_one_that_still_runs),
		cmocka_unit_test(finish_ends_one_that_was_never_started),
		cmocka_unit_test(one_that_was_killed_while_it_waited_is_told),
		cmocka_unit_test(finish_is_safe_where_nothing_was_prepared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
