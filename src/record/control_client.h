/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * control_client: the other end of the control socket: which recorders and relays run, and a question to
 * one of them.
 */
#ifndef SONDE_RECORD_CONTROL_CLIENT_H
#define SONDE_RECORD_CONTROL_CLIENT_H

#include <stddef.h>
#include <sys/types.h>

#include "record/control_dir.h"

struct buffer;

#define RECORDERS_MAX 64
#define CONTROL_ANSWER_MAX 65536 /* bytes */

struct recorder {
	enum control_kind kind;
	char name[RECORDER_NAME_BYTES];
	pid_t pid;
	char file[CONTROL_FILE_BYTES];
};

/* For recorder_list. */
#define RECORDER_LIST_RECORDERS (1u << CONTROL_RECORDER)
#define RECORDER_LIST_RELAYS (1u << CONTROL_RELAY)

/* Those of these @kinds in the directory @dir, by pid: how many, or -errno. Removes what dead ones have left. */
int recorder_list(int dir, unsigned int kinds, struct recorder list[RECORDERS_MAX]);
/*
 * One line, without its newline, and the line that comes back, with a NUL behind it. Waits at most
 * @timeout_ms for it (-1 = forever): -ETIMEDOUT. -ECONNREFUSED, -ENOENT: it has ended; -EPIPE: it
 * ended, or sent the client away, without an answer.
 */
int recorder_ask(int dir, const struct recorder *recorder, const char *request, int timeout_ms,
		 struct buffer *answer);
/* Waits until the process @pid_fd is of (pidfd_open) is gone. */
void recorder_wait(int pid_fd, int timeout_ms);

#endif /* SONDE_RECORD_CONTROL_CLIENT_H */
