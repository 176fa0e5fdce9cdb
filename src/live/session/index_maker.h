/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * index_maker: a thread that makes the indexes of stream files that have none (session_index). A large or hostile trace
 * can take long; the event loop of the relay answers its viewers in that time.
 *
 * session_directory has one for all its traces, session_trace_dir asks for the indexes of one trace. All calls come
 * from one thread; the maker's own thread takes a task when it is asked, and gives its streams back one by one.
 */
#ifndef SONDE_LIVE_SESSION_INDEX_MAKER_H
#define SONDE_LIVE_SESSION_INDEX_MAKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/diag.h"

struct index_maker;
struct index_task;

/* What became of one stream. */
struct index_made {
	const char *name; /* borrowed from the task */
	int fd; /* the index, the caller's; or -errno */
	struct diag diag; /* where and why the index ends early; "" if it does not */
};

int index_maker_new(struct index_maker **ret);
/* Ends the thread after the packet that it reads. Tasks, and indexes that were not taken, go. NULL is fine. */
void index_maker_free(struct index_maker *maker);
/* Readable when a stream is done. */
int index_maker_fd(const struct index_maker *maker);

/*
 * For the @count streams @names in directory @dir, whose metadata is @metadata. It takes the names, on failure too, and
 * copies the rest. *@ret belongs to the maker. Nothing begins before index_maker_run.
 */
int index_maker_ask(struct index_maker *maker, int dir, const struct buffer *metadata, char **names,
		    size_t count, struct index_task **ret);
/* Starts the thread, with the privileges that the caller has by now, if there is a task for it. 0 or -errno. */
int index_maker_run(struct index_maker *maker);

/* The next stream that is done; false = none is. */
bool index_task_next(struct index_task *task, struct index_made *ret);
/* All streams were taken by index_task_next. */
bool index_task_is_over(const struct index_task *task);

#endif /* SONDE_LIVE_SESSION_INDEX_MAKER_H */
