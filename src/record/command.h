/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command: the program that `sonde record -- COMMAND` runs: made first, started when everything
 * is in place, so that its first instruction is recorded.
 */
#ifndef SONDE_RECORD_COMMAND_H
#define SONDE_RECORD_COMMAND_H

#include <sys/types.h>

struct warden;

struct command {
	pid_t pid; /* 0: none */
	int gate; /* closed unread = it is not started after all */
	int pid_fd; /* readable when it has ended */
	struct warden *warden; /* borrowed: may end one of another user; NULL = none */
	int exec_errno; /* why it could not be started; 0 */
	int status; /* as of waitpid, once it has ended */
};

/* Whether there is such a program, by its path or in PATH: 0, -ENOENT or -EACCES. */
int command_check(const char *program);
/* Forks; the child waits. 0 or -errno. */
int command_prepare(struct command *cmd, char *const argv[]);
/* Lets it go. -errno of its exec: ENOENT = no such program. */
int command_start(struct command *cmd);
/* Waits until it has ended by itself: 0. -EINTR: SIGINT, SIGTERM or SIGHUP came before that; the caller has blocked
 * them. */
int command_wait(const struct command *cmd);
/* Asks it to end where it has not, and waits for it. Safe on one that was never prepared. */
void command_finish(struct command *cmd);

#endif /* SONDE_RECORD_COMMAND_H */
