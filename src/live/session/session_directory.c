// SPDX-License-Identifier: BSD-2-Clause
#include "live/session/session_directory.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/session/index_maker.h"
#include "live/session/session.h"
#include "live/session/session_trace_dir.h"
#include "trace/directory.h"

#define PERIOD_NS 1000000000u /* of a recorder, by default */
#define LOOK_US 100000 /* between two looks, whatever is noticed */
#define NOTICE_US 1000 /* from what is noticed to a look: much comes at once */

/* First its traces are found and their metadata is read (by a thread, if session_directory_begin made it), then the event
 * loop opens their streams, some at a time, then it is published. */
struct session_directory {
	struct session_directory_config config;
	struct event_base *base;
	struct session_list *list;
	struct session *session;
	bool published;
	size_t prepared; /* of the traces */
	bool reads; /* the thread has what is above, and the next two; until it is joined */
	pthread_t thread;
	int err;
	struct diag diag;
	struct event *read; /* it has ended */
	int read_fd;
	struct event *prepare; /* more streams */
	struct session_trace_dir **traces;
	size_t count;
	struct event *timer; /* to the next look */
	struct event *notice; /* something has changed in one of the directories */
	int notice_fd;
	struct index_maker *maker; /* of indexes that are missing */
	struct event *made; /* it has one */
	struct event *told; /* the recorder has said how far it is */
	int told_fd;
	uint64_t complete; /* what it said; atomic */
};

static void problem(void *ctx, const char *text)
{
	const struct session_directory *dir = ctx;
	struct diag diag;

	(void)diag_set(&diag, 0, "%s: %s", dir->config.path, text);
	if (dir->config.log)
		dir->config.log(dir->config.ctx, diag.text);
}

/* The trace open as @fd, which it takes. */
static int add_trace(void *ctx, int fd, const char *path, struct diag *diag)
{
	struct session_directory *dir = ctx;
	struct session_trace_dir **traces =
		reallocarray(dir->traces, dir->count + 1, sizeof(struct session_trace_dir *));
	const struct session_trace_dir_config config = {
		.name = dir->config.path,
		.maker = dir->maker,
		.files = dir->config.files,
		.problem = problem,
		.ctx = dir,
	};
	int err;

	if (!traces) {
		(void)fd_close(fd);
		return diag_set(diag, -ENOMEM, "no memory");
	}
	dir->traces = traces;
	err = session_trace_dir_open(dir->session, &config, fd, path, &traces[dir->count], diag);
	if (err)
		return *path ? diag_prefix(diag, err, "%s", path) : err;
	dir->count++;
	return 0;
}

static bool grows(const struct session_directory *dir)
{
	for (size_t i = 0; i < dir->count; i++) {
		if (session_trace_dir_grows(dir->traces[i]))
			return true;
	}
	return false;
}

static bool is_over(const struct session_directory *dir)
{
	for (size_t i = 0; i < dir->count; i++) {
		if (!session_trace_dir_is_over(dir->traces[i]))
			return false;
	}
	return true;
}

static void end(struct session_directory *dir)
{
	session_end(dir->session);
	(void)event_del(dir->timer);
	if (dir->notice)
		(void)event_del(dir->notice);
	(void)event_del(dir->told);
	(void)event_del(dir->made);
}

static void look_in(struct session_directory *dir, uint32_t us)
{
	const struct timeval delay = {.tv_usec = us};

	(void)event_add(dir->timer, &delay);
}

static void look(evutil_socket_t fd, short what, void *ctx)
{
	struct session_directory *dir = ctx;
	uint64_t complete = __atomic_load_n(&dir->complete, __ATOMIC_ACQUIRE);
	struct diag diag;
	bool more = false;
	int err;

	(void)fd;
	(void)what;
	for (size_t i = 0; i < dir->count; i++) {
		if (session_trace_dir_is_over(dir->traces[i]))
			continue;
		err = session_trace_dir_look(dir->traces[i], complete, &diag);
		if (err < 0) {
			problem(dir, diag.text);
			end(dir);
			return;
		}
		more = more || err;
	}
	err = index_maker_run(dir->maker);
	if (err) {
		(void)diag_set(&diag, err, "no thread for the missing indexes: %s", strerror(-err));
		problem(dir, diag.text);
		end(dir);
	} else if (more || grows(dir)) {
		look_in(dir, more ? 0 : LOOK_US);
	} else if (is_over(dir)) {
		end(dir);
	}
}

/* What was written says nothing that the next look does not see. */
static void noticed(evutil_socket_t fd, short what, void *ctx)
{
	struct session_directory *dir = ctx;
	char events[4096] __attribute__((aligned(8)));

	(void)what;
	while (read(fd, events, sizeof(events)) > 0)
		;
	look_in(dir, NOTICE_US);
}

/* The recorder has said how far it is, or an index is made: either is an eventfd. */
static void was_told(evutil_socket_t fd, short what, void *ctx)
{
	uint64_t times;

	(void)!read(fd, &times, sizeof(times));
	look(-1, what, ctx);
}

/* Without, it looks every LOOK_US all the same. */
static void watch(struct session_directory *dir, struct event_base *base)
{
	char path[64];

	dir->notice_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (dir->notice_fd < 0)
		return;
	for (size_t i = 0; i < dir->count; i++) {
		int fd = session_trace_dir_fd(dir->traces[i]);

		snprintf(path, sizeof(path), "/proc/self/fd/%d/index", fd);
		(void)inotify_add_watch(dir->notice_fd, path, IN_MODIFY | IN_CREATE);
	}
	dir->notice = event_new(base, dir->notice_fd, EV_READ | EV_PERSIST, noticed, dir);
	if (dir->notice)
		(void)event_add(dir->notice, NULL);
}

static int follow(struct session_directory *dir, struct event_base *base)
{
	dir->told_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (dir->told_fd < 0)
		return -errno;
	dir->timer = evtimer_new(base, look, dir);
	dir->told = event_new(base, dir->told_fd, EV_READ | EV_PERSIST, was_told, dir);
	dir->made =
		event_new(base, index_maker_fd(dir->maker), EV_READ | EV_PERSIST, was_told, dir);
	if (!dir->timer || !dir->told || !dir->made || event_add(dir->told, NULL) ||
	    event_add(dir->made, NULL))
		return -ENOMEM;
	watch(dir, base);
	look_in(dir, 0);
	return 0;
}

/* "/a/b/" is called b, and what has no name of its own by where it is. */
static const char *name_of(const char *path, char *real)
{
	const char *name;

	if (!realpath(path, real))
		return path;
	name = strrchr(real, '/');
	return name && name[1] ? name + 1 : "trace";
}

static int make_session(struct session_directory *dir, struct diag *diag)
{
	const struct session_directory_config *config = &dir->config;
	uint64_t period_ns = config->period_ns ?: PERIOD_NS;
	char real[PATH_MAX];
	const struct session_config session = {
		.name = config->name ?: name_of(config->path, real),
		.live_timer_us = (uint32_t)(period_ns / NS_PER_US),
		.from_beginning = config->from_beginning,
	};
	int err = session_new(&session, &dir->session);

	return err ? diag_set(diag, err, "no memory") : 0;
}

static int open_all(struct session_directory *dir, struct diag *diag)
{
	int fd = open(dir->config.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return diag_set(diag, -errno, "%s", strerror(errno));
	err = trace_find(fd, add_trace, dir, diag);
	if (err)
		return err;
	if (!dir->count)
		return diag_set(diag, -EBADMSG, "no trace in it: no file named metadata");
	session_name_host(dir->session, dir->session->traces[0]->metadata.host);
	return 0;
}

/* 1 = there is more to do; 0 = all streams are open; -errno with the diag. */
static int prepare_some(struct session_directory *dir, struct diag *diag)
{
	int err = session_trace_dir_prepare(dir->traces[dir->prepared], diag);

	if (err)
		return err;
	return ++dir->prepared < dir->count;
}

int session_directory_publish(struct session_directory *dir, struct diag *diag)
{
	int err = 0;

	if (!grows(dir)) /* no more data will come */
		dir->session->from_beginning = true;
	if (!is_over(dir))
		err = follow(dir, dir->base);
	else
		session_end(dir->session);
	err = err ?: session_list_add(dir->list, dir->session);
	if (err)
		return diag_set(diag, err, "%s: %s", dir->config.path, strerror(-err));
	dir->published = true;
	return 0;
}

static int make(struct event_base *base, struct session_list *list,
		const struct session_directory_config *config, struct session_directory **ret,
		struct diag *diag)
{
	struct session_directory *dir = calloc(1, sizeof(*dir));
	int err;

	if (!dir)
		return diag_set(diag, -ENOMEM, "no memory");
	*dir = (struct session_directory){.config = *config,
					  .base = base,
					  .list = list,
					  .notice_fd = -1,
					  .told_fd = -1,
					  .read_fd = -1};
	err = index_maker_new(&dir->maker);
	err = err ? diag_set(diag, err, "%s", strerror(-err)) : make_session(dir, diag);
	if (err) {
		(void)diag_prefix(diag, err, "%s", config->path);
		session_directory_close(dir);
		return err;
	}
	*ret = dir;
	return 0;
}

int session_directory_open(struct event_base *base, struct session_list *list,
			   const struct session_directory_config *config,
			   struct session_directory **ret, struct diag *diag)
{
	struct session_directory *dir = NULL;
	int more = 1, err = make(base, list, config, &dir, diag);

	if (err)
		return err;
	err = open_all(dir, diag);
	while (!err && more > 0)
		more = prepare_some(dir, diag);
	err = err ?: more;
	if (err)
		(void)diag_prefix(diag, err, "%s", config->path);
	err = err ?: session_directory_publish(dir, diag);
	if (err)
		session_directory_close(dir);
	else
		*ret = dir;
	return err;
}

static void opened(struct session_directory *dir, int err, struct diag *diag)
{
	if (err)
		(void)diag_prefix(diag, err, "%s", dir->config.path);
	dir->config.opened(dir->config.ctx, err, diag);
}

static void prepare(evutil_socket_t fd, short what, void *ctx)
{
	static const struct timeval now = {0};
	struct session_directory *dir = ctx;
	struct diag diag = {0};
	int err = prepare_some(dir, &diag);

	(void)fd;
	(void)what;
	if (err > 0 && event_add(dir->prepare, &now))
		err = diag_set(&diag, -ENOMEM, "no memory");
	if (err <= 0)
		opened(dir, err, &diag);
}

static void end_thread(struct session_directory *dir)
{
	if (dir->reads)
		(void)pthread_join(dir->thread, NULL);
	dir->reads = false;
	if (dir->read)
		event_free(dir->read);
	dir->read = NULL;
	(void)fd_close(dir->read_fd);
	dir->read_fd = -1;
}

static void has_read(evutil_socket_t fd, short what, void *ctx)
{
	struct session_directory *dir = ctx;

	(void)fd;
	end_thread(dir);
	if (dir->err)
		opened(dir, dir->err, &dir->diag);
	else
		prepare(-1, what, dir);
}

static void *read_all(void *ctx)
{
	struct session_directory *dir = ctx;
	uint64_t one = 1;

	dir->err = open_all(dir, &dir->diag);
	(void)!write(dir->read_fd, &one, sizeof(one));
	return NULL;
}

static int start_thread(struct session_directory *dir)
{
	sigset_t all, before;
	int err;

	dir->read_fd = eventfd(0, EFD_CLOEXEC);
	if (dir->read_fd < 0)
		return -errno;
	dir->read = event_new(dir->base, dir->read_fd, EV_READ, has_read, dir);
	dir->prepare = evtimer_new(dir->base, prepare, dir);
	if (!dir->read || !dir->prepare || event_add(dir->read, NULL))
		return -ENOMEM;
	sigfillset(&all); /* signals are for the event loop */
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&dir->thread, NULL, read_all, dir);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	dir->reads = !err;
	return err;
}

int session_directory_begin(struct event_base *base, struct session_list *list,
			    const struct session_directory_config *config,
			    struct session_directory **ret, struct diag *diag)
{
	struct session_directory *dir = NULL;
	int err = make(base, list, config, &dir, diag);

	if (err)
		return err;
	err = start_thread(dir);
	if (err) {
		session_directory_close(dir);
		return diag_set(diag, err, "%s: no thread to read it: %s", config->path,
				strerror(-err));
	}
	*ret = dir;
	return 0;
}

void session_directory_close(struct session_directory *dir)
{
	if (!dir)
		return;
	end_thread(dir);
	if (dir->prepare)
		event_free(dir->prepare);
	if (dir->timer)
		event_free(dir->timer);
	if (dir->notice)
		event_free(dir->notice);
	if (dir->told)
		event_free(dir->told);
	if (dir->made)
		event_free(dir->made);
	index_maker_free(dir->maker);
	if (dir->session) {
		session_end(dir->session);
		session_list_remove(dir->list, dir->session);
	}
	for (size_t i = 0; i < dir->count; i++)
		session_trace_dir_close(dir->traces[i]);
	session_unref(dir->session);
	(void)fd_close(dir->notice_fd);
	(void)fd_close(dir->told_fd);
	free(dir->traces);
	free(dir);
}

bool session_directory_is_reading(const struct session_directory *dir)
{
	return dir->reads;
}

bool session_directory_is_ready(const struct session_directory *dir)
{
	return !dir->reads && dir->count && dir->prepared == dir->count && !dir->published;
}

bool session_directory_is_published(const struct session_directory *dir)
{
	return dir->published;
}

struct session *session_directory_session(const struct session_directory *dir)
{
	return dir->session;
}

void session_directory_complete(struct session_directory *dir, uint64_t time_ns)
{
	uint64_t one = 1;

	__atomic_store_n(&dir->complete, time_ns, __ATOMIC_RELEASE);
	if (dir->told_fd >= 0)
		(void)!write(dir->told_fd, &one, sizeof(one));
}
