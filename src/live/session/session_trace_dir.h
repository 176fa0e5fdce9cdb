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
struct index_maker;
struct session;
struct session_trace_dir;

/*
 * The trace in the directory open as @fd, which it takes, as @path of @session. @maker, borrowed, makes the indexes of
 * streams that have none, once the trace does not grow. @problem gets a sentence for each stream that cannot be published. NULL for @ret's failure: the diag says why.
 */
int session_trace_dir_open(struct session *session, struct index_maker *maker, int fd,
			   const char *path, void (*problem)(void *ctx, const char *text),
			   void *ctx, struct session_trace_dir **ret, struct diag *diag);
void session_trace_dir_close(struct session_trace_dir *dir);

/* The directory, for inotify. */
int session_trace_dir_fd(const struct session_trace_dir *dir);
/* Whether a recorder wrote it at the last look. */
bool session_trace_dir_grows(const struct session_trace_dir *dir);
/* Nothing more comes: it does not grow, and no index is being made. */
bool session_trace_dir_is_over(const struct session_trace_dir *dir);
/*
 * Publishes what has come. @complete: the recorder has said that it had written all that begins before
 * (cycles), when this was called; 0 = it says nothing. 0, or -errno with the diag: it cannot go on.
 */
int session_trace_dir_look(struct session_trace_dir *dir, uint64_t complete, struct diag *diag);

#endif /* SONDE_LIVE_SESSION_SESSION_TRACE_DIR_H */
