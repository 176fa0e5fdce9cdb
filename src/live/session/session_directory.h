/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_directory: a directory on disk as a session of a relay: the trace that it is, or all traces in it,
 * finished or still being written. It lives in the relay's event loop; of the recorder it needs nothing but
 * what is in the files, and takes a word on how far they are complete.
 */
#ifndef SONDE_LIVE_SESSION_SESSION_DIRECTORY_H
#define SONDE_LIVE_SESSION_SESSION_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

struct diag;
struct event_base;
struct file_pool;
struct session;
struct session_directory;
struct session_list;

struct session_directory_config {
	const char *path;
	const char *name; /* of the session; NULL = the last part of the path */
	uint64_t period_ns; /* how often packets come of one that grows; 0 = not known */
	bool from_beginning; /* as struct session_config has it */
	struct file_pool *files; /* of its files, of the loop's thread; NULL: they stay open */
	void (*log)(void *ctx,
		    const char *text); /* a sentence on what cannot be served; may be NULL */
	/* Once, of one that was begun: it is ready, or why it cannot be: -errno, as session_directory_open. */
	void (*opened)(void *ctx, int err, const struct diag *diag);
	void *ctx;
};

/* -EBADMSG not a trace, or one that cannot be read; or -errno. @list gets the session. */
int session_directory_open(struct event_base *base, struct session_list *list,
			   const struct session_directory_config *config,
			   struct session_directory **ret, struct diag *diag);
/* The same for one that may take long, from the thread of @base: a thread of its own finds the traces and reads their metadata,
 * then the loop opens their streams, some at a time, then it calls config.opened. The caller publishes it. */
int session_directory_begin(struct event_base *base, struct session_list *list,
			    const struct session_directory_config *config,
			    struct session_directory **ret, struct diag *diag);
/* Its thread runs, and so session_directory_close waits. */
bool session_directory_is_reading(const struct session_directory *dir);
/* All of it is open, and it may be published. */
bool session_directory_is_ready(const struct session_directory *dir);
bool session_directory_is_published(const struct session_directory *dir);
int session_directory_publish(struct session_directory *dir, struct diag *diag);
/* The published sessions stay, for attached viewers, but do not grow. NULL is fine. */
void session_directory_close(struct session_directory *dir);

/* Borrowed. Until it is ready, only its name is known. */
struct session *session_directory_session(const struct session_directory *dir);
/*
 * From any thread, of a trace that grows: all that begins before @time_ns (by its clock, CLOCK_MONOTONIC) is
 * in the files. A recorder that has called this once must repeat it: viewers of idle streams depend on it.
 */
void session_directory_complete(struct session_directory *dir, uint64_t time_ns);

#endif /* SONDE_LIVE_SESSION_SESSION_DIRECTORY_H */
