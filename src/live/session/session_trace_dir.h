/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_trace_dir: one trace directory as a trace of a session: its metadata and stream files as they are,
 * and, as long as a recorder writes it, as they become.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_TRACE_DIR_H
#define SONDE_LIVE_SESSION_SESSION_TRACE_DIR_H

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct file_pool;
struct index_maker;
struct session;
struct session_trace_dir;

struct session_trace_dir_config {
	const char *name; /* of the directory that is published, for messages */
	struct index_maker
		*maker; /* of indexes that streams do not have, once the trace does not grow */
	struct file_pool *files; /* which its files belong to; NULL: they stay open */
	void (*problem)(void *ctx,
			const char *text); /* a sentence on a stream that cannot be published */
	void *ctx;
};

/* The trace in the directory open as @fd, which it takes, as @path of @session, with its metadata; by any thread, if
 * @session is not in a list. What @config names is borrowed. On failure the diag says why. */
int session_trace_dir_open(struct session *session, const struct session_trace_dir_config *config,
			   int fd, const char *path, struct session_trace_dir **ret,
			   struct diag *diag);
/* Opens some of the streams of a trace that was opened, and publishes them when all are open: 1 = it is to be called
 * again, 0 = they are open, or -errno with the diag. */
int session_trace_dir_prepare(struct session_trace_dir *dir, struct diag *diag);
void session_trace_dir_close(struct session_trace_dir *dir);

/* The directory, for inotify. */
int session_trace_dir_fd(const struct session_trace_dir *dir);
/* Whether a recorder wrote it at the last look. */
bool session_trace_dir_grows(const struct session_trace_dir *dir);
/* Nothing more comes: it does not grow, and no index is being made. */
bool session_trace_dir_is_over(const struct session_trace_dir *dir);
/*
 * Publishes what has come. @complete: the recorder has said that it had written all that begins before
 * (cycles), when this was called; 0 = it says nothing. 0; 1 = there is more already; or -errno with the diag: it cannot go
 * on.
 */
int session_trace_dir_look(struct session_trace_dir *dir, uint64_t complete, struct diag *diag);

#endif /* SONDE_LIVE_SESSION_SESSION_TRACE_DIR_H */
