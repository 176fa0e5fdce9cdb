// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "record/command.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "probe/warden.h"

#define PATIENCE_MS 3000 /* between SIGTERM and SIGKILL */

static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) || S_ISDIR(st.st_mode))
		return -ENOENT;
	return access(path, X_OK) ? -EACCES : 0;
}

/* As execvp looks for it, into @path; a program without permission in one place may be found in the next. */
static int find_file(const char *program, char path[PATH_MAX])
{
	const char *at = getenv("PATH") ?: "/bin:/usr/bin";
	int err = -ENOENT;

	if (strchr(program, '/')) {
		if (snprintf(path, PATH_MAX, "%s", program) >= PATH_MAX)
			return -ENAMETOOLONG;
		return check_file(path);
	}
	while (*program) {
		size_t len = strcspn(at, ":");
		int found = snprintf(path, PATH_MAX, "%.*s/%s", len ? (int)len : 1, len ? at : ".",
				     program);

		found = found < PATH_MAX ? check_file(path) : -ENOENT;
		if (!found)
			return 0;
		if (found == -EACCES)
			err = found;
		if (!at[len])
			break;
		at += len + 1;
	}
	return err;
}

int command_check(const char *program)
{
	char path[PATH_MAX];

	return find_file(program, path);
}

/*
 * In the child: waits for a byte, then becomes the program; else its errno goes back. The program is looked for before
 * that, so that a trace does not begin with a failed call for each folder in PATH.
 */
static void child_run(int gate, char *const argv[])
{
	char path[PATH_MAX], go;
	bool found = !find_file(argv[0], path);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (read(gate, &go, 1) != 1)
		_exit(127);
	execvp(found ? path : argv[0], argv);
	if (write(gate, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

/* One socket pair does both ways: "go" to the child, errno of exec back; exec closes its end. */
int command_prepare(struct command *cmd, char *const argv[])
{
	int pair[2];

	*cmd = (struct command){.gate = -1, .pid_fd = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	cmd->pid = fork();
	if (cmd->pid < 0) {
		int err = -errno;

		cmd->pid = 0;
		close(pair[0]);
		close(pair[1]);
		return err;
	}
	if (!cmd->pid) {
		close(pair[0]);
		child_run(pair[1], argv);
	}
	close(pair[1]);
	cmd->gate = pair[0];
	cmd->pid_fd = (int)syscall(SYS_pidfd_open, cmd->pid, 0);
	return cmd->pid_fd < 0 ? -errno : 0;
}

int command_start(struct command *cmd)
{
	ssize_t got;

	/* It may have been killed while it waited: no SIGPIPE for that. */
	if (send(cmd->gate, "g", 1, MSG_NOSIGNAL) != 1)
		return -errno;
	do {
		got = read(cmd->gate, &cmd->exec_errno, sizeof(cmd->exec_errno));
	} while (got < 0 && errno == EINTR);
	fd_close(cmd->gate);
	cmd->gate = -1;
	return got == sizeof(cmd->exec_errno) ? -cmd->exec_errno : 0;
}

/* A program that is another user's by now takes a privilege. */
static void send_signal(const struct command *cmd, int number)
{
	if (kill(cmd->pid, number) && errno == EPERM && cmd->warden)
		(void)warden_end_command(cmd->warden, number);
}

static void wait_or_kill(struct command *cmd)
{
	struct pollfd end = {.fd = cmd->pid_fd, .events = POLLIN};

	send_signal(cmd, SIGTERM);
	if (cmd->pid_fd < 0 || poll(&end, 1, PATIENCE_MS) < 1)
		send_signal(cmd, SIGKILL);
}

int command_wait(const struct command *cmd)
{
	struct pollfd wait[2] = {{.fd = cmd->pid_fd, .events = POLLIN}, {.events = POLLIN}};
	sigset_t set;
	int err = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	wait[1].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (wait[1].fd < 0)
		return -errno;
	while (!err && !(wait[0].revents & POLLIN)) {
		if (poll(wait, 2, -1) < 0 && errno != EINTR)
			err = -errno;
		else if (wait[1].revents & POLLIN)
			err = -EINTR;
	}
	fd_close(wait[1].fd);
	return err;
}

void command_finish(struct command *cmd)
{
	if (!cmd->pid)
		return;
	fd_close(cmd->gate); /* a child that still waits ends by itself */
	if (!waitpid(cmd->pid, &cmd->status, WNOHANG)) {
		wait_or_kill(cmd);
		waitpid(cmd->pid, &cmd->status, 0);
	}
	fd_close(cmd->pid_fd);
	*cmd = (struct command){.gate = -1, .pid_fd = -1, .status = cmd->status};
}
