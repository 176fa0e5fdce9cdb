// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/index_maker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/io.h"
#include "ctf/metadata.h"
#include "ctf/trace_class.h"
#include "live/session/session_index.h"

struct index_task {
	struct index_maker *maker;
	struct index_task *next;
	int dir;
	struct buffer metadata;
	char **names;
	struct index_made *made; /* `count`; the first `done` are not the thread's any more */
	size_t count;
	size_t done; /* under the lock */
	size_t taken;
};

struct index_maker {
	pthread_t thread;
	bool runs;
	int done_fd; /* counts streams */
	bool stop; /* atomic */
	pthread_mutex_t lock; /* of the rest, and of `done` of tasks */
	pthread_cond_t asked;
	struct index_task *first; /* all that were ever asked for */
	struct index_task *waiting; /* the first that the thread has not begun */
};

int index_maker_new(struct index_maker **ret)
{
	struct index_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return -ENOMEM;
	maker->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (maker->done_fd < 0) {
		int err = -errno;

		free(maker);
		return err;
	}
	(void)pthread_mutex_init(&maker->lock, NULL);
	(void)pthread_cond_init(&maker->asked, NULL);
	*ret = maker;
	return 0;
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

static void task_free(struct index_task *task)
{
	for (size_t i = task->taken; i < task->done; i++) {
		if (task->made[i].fd >= 0)
			(void)fd_close(task->made[i].fd);
	}
	free_names(task->names, task->count);
	free(task->made);
	buffer_fini(&task->metadata);
	(void)fd_close(task->dir);
	free(task);
}

void index_maker_free(struct index_maker *maker)
{
	struct index_task *next;

	if (!maker)
		return;
	if (maker->runs) {
		(void)pthread_mutex_lock(&maker->lock);
		__atomic_store_n(&maker->stop, true, __ATOMIC_RELEASE);
		(void)pthread_cond_signal(&maker->asked);
		(void)pthread_mutex_unlock(&maker->lock);
		(void)pthread_join(maker->thread, NULL);
	}
	for (struct index_task *task = maker->first; task; task = next) {
		next = task->next;
		task_free(task);
	}
	(void)fd_close(maker->done_fd);
	(void)pthread_cond_destroy(&maker->asked);
	(void)pthread_mutex_destroy(&maker->lock);
	free(maker);
}

int index_maker_fd(const struct index_maker *maker)
{
	return maker->done_fd;
}

static void add(struct index_maker *maker, struct index_task *task)
{
	struct index_task **end = &maker->first;

	(void)pthread_mutex_lock(&maker->lock);
	while (*end)
		end = &(*end)->next;
	*end = task;
	if (!maker->waiting)
		maker->waiting = task;
	(void)pthread_cond_signal(&maker->asked);
	(void)pthread_mutex_unlock(&maker->lock);
}

int index_maker_ask(struct index_maker *maker, int dir, const struct buffer *metadata, char **names,
		    size_t count, struct index_task **ret)
{
	struct index_task *task = calloc(1, sizeof(*task));
	int err;

	if (!task) {
		free_names(names, count);
		return -ENOMEM;
	}
	*task = (struct index_task){.maker = maker, .names = names, .count = count};
	task->made = calloc(count, sizeof(*task->made));
	task->dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	err = task->dir < 0 ? -errno : 0;
	buffer_init(&task->metadata);
	buffer_append(&task->metadata, metadata->data, metadata->len);
	err = err ?: buffer_error(&task->metadata);
	if (!task->made)
		err = -ENOMEM;
	if (err) {
		task_free(task);
		return err;
	}
	add(maker, task);
	*ret = task;
	return 0;
}

static void give(struct index_task *task, const struct index_made *made)
{
	struct index_maker *maker = task->maker;
	uint64_t one = 1;

	(void)pthread_mutex_lock(&maker->lock);
	task->made[task->done++] = *made;
	(void)pthread_mutex_unlock(&maker->lock);
	(void)!write(maker->done_fd, &one, sizeof(one));
}

static bool is_stopped(const struct index_maker *maker)
{
	return __atomic_load_n(&maker->stop, __ATOMIC_ACQUIRE);
}

static void do_task(struct index_task *task)
{
	const struct index_maker *maker = task->maker;
	struct ctf_trace_class *class = NULL;
	struct diag why = {0};
	int err = metadata_read(task->metadata.data, task->metadata.len, &class, &why);

	for (size_t i = 0; i < task->count && !is_stopped(maker); i++) {
		struct index_made made = {.name = task->names[i], .fd = -1};
		int failure = err   ?:
				      session_index_make(task->dir, made.name, class, &maker->stop,
							 &made.fd, &made.diag);

		if (failure)
			made.fd = failure;
		give(task, &made);
	}
	ctf_trace_class_free(class);
}

static struct index_task *wait_for_task(struct index_maker *maker)
{
	struct index_task *task;

	(void)pthread_mutex_lock(&maker->lock);
	while (!maker->waiting && !is_stopped(maker))
		(void)pthread_cond_wait(&maker->asked, &maker->lock);
	task = maker->waiting;
	if (task)
		maker->waiting = task->next;
	(void)pthread_mutex_unlock(&maker->lock);
	return task;
}

static void *run(void *ctx)
{
	struct index_maker *maker = ctx;

	while (!is_stopped(maker)) {
		struct index_task *task = wait_for_task(maker);

		if (task)
			do_task(task);
	}
	return NULL;
}

int index_maker_run(struct index_maker *maker)
{
	sigset_t all, before;
	int err;

	if (maker->runs || !maker->waiting)
		return 0;
	sigfillset(&all); /* signals are for the event loop */
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&maker->thread, NULL, run, maker);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	maker->runs = !err;
	return err;
}

bool index_task_next(struct index_task *task, struct index_made *ret)
{
	struct index_maker *maker = task->maker;
	bool any;

	(void)pthread_mutex_lock(&maker->lock);
	any = task->taken < task->done;
	if (any)
		*ret = task->made[task->taken++];
	(void)pthread_mutex_unlock(&maker->lock);
	return any;
}

bool index_task_is_over(const struct index_task *task)
{
	return task->taken == task->count;
}
