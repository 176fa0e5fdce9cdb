// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include "record/feed.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/io.h"
#include "probe/catalogue.h"
#include "probe/choice.h"
#include "probe/permit.h"
#include "probe/sampler.h"
#include "probe/warden.h"
#include "record/control_dir.h"
#include "record/filter.h"
#include "record/loop.h"
#include "record/privileges.h"
#include "record/recording.h"
#include "record/remote.h"
#include "record/rx_poll.h"
#include "record/tcp_poll.h"
#include "schema/source.h"
#include "schema/trace_info.h"
#include "trace/directory.h"
#include "trace/reader.h"

struct feed {
	struct event_source source; /* first: the vtable's functions get this */
	struct event_source *reader;
	struct problem_list problems; /* met before it began */
	char *failure; /* of the recorder, once it has ended; NULL = none */
	struct filter filter;
	struct catalogue *catalogue;
	struct warden *warden;
	bool *wanted;
	bool *later;
	struct recording *rec; /* the thread's, as soon as that runs */
	struct remote *remote; /* likewise; NULL = it cannot be reached */
	uint64_t duration_ns;
	uint64_t period_ns;
	int dir_fd; /* of the control sockets */
	char path[64]; /* of the trace */
	int stop_fd; /* an eventfd: readable once the recording should end */
	pthread_t thread;
	bool runs;
};

/* The trace is read by its name only as long as the process has the directory open. */
static void format_path(char *path, size_t room, int dir_fd, const char *name)
{
	snprintf(path, room, "/proc/self/fd/%d/%s", dir_fd, name);
}

/* What processes that were killed have left behind. */
static void sweep(int dir_fd)
{
	struct dirent **entries = NULL;
	int count = scandirat(dir_fd, ".", &entries, NULL, NULL);

	for (int i = 0; i < count; i++) {
		char path[320];
		int pid, end = 0;

		if (sscanf(entries[i]->d_name, "feed.%d%n", &pid, &end) == 1 &&
		    !entries[i]->d_name[end] && pid > 0 && kill(pid, 0) && errno == ESRCH) {
			format_path(path, sizeof(path), dir_fd, entries[i]->d_name);
			(void)directory_remove(path, NULL);
		}
		free(entries[i]);
	}
	free(entries);
}

/* While there is one thread. */
static int open_warden(struct feed *feed, struct diag *diag)
{
	const struct warden_config config = {.command_fd = -1, .begin = loop_raise_priority};
	int err = warden_open(&config, &feed->warden);

	if (err)
		diag_set(diag, err, "a process for what takes privileges: %s", strerror(-err));
	return err;
}

static int open_dir(struct feed *feed, struct diag *diag)
{
	char name[32];
	int err = control_dir_open(&feed->dir_fd, diag);

	if (err)
		return err;
	sweep(feed->dir_fd);
	snprintf(name, sizeof(name), "feed.%d", (int)getpid());
	format_path(feed->path, sizeof(feed->path), feed->dir_fd, name);
	return 0;
}

static int mark(struct catalogue *cat, const char *const *patterns, size_t count, bool *which,
		struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = choice_mark(cat, patterns[i], which, diag);
	return err;
}

static void report_lesser(struct feed *feed, const struct measurement *m)
{
	const char *reason = "";
	const struct hook *hook = measurement_lesser(m, &reason);

	if (hook)
		problem_list_add(&feed->problems, "%s is measured in part: %s misses %s (%s)",
				 m->name, hook->section, hook->misses, reason);
}

/* Whether any wanted measurement can run, now or later; those wanted now that cannot run, or only in part, are
 * reported. */
static bool any_usable(struct feed *feed)
{
	bool any = false;

	for (size_t i = 0; i < feed->catalogue->count; i++) {
		const struct measurement *m = &feed->catalogue->items[i];

		if (!feed->wanted[i] && !feed->later[i])
			continue;
		any |= measurement_usable(m);
		if (!feed->wanted[i])
			continue;
		if (measurement_usable(m))
			report_lesser(feed, m);
		else
			problem_list_add(&feed->problems, "%s is unavailable: %s", m->name,
					 measurement_reason(m));
	}
	return any;
}

static int choose(struct feed *feed, const struct feed_config *config, struct diag *diag)
{
	int err = catalogue_open(&feed->catalogue, diag);

	if (err)
		return err;
	err = permit_require(feed->catalogue->kernel, diag);
	if (err)
		return err;
	tcp_poll_limit(feed->catalogue, &feed->filter.config, false);
	rx_poll_limit(feed->catalogue, 0, false);
	feed->wanted = calloc(feed->catalogue->room, sizeof(*feed->wanted));
	feed->later = calloc(feed->catalogue->room, sizeof(*feed->later));
	if (!feed->wanted || !feed->later)
		return diag_set(diag, -ENOMEM, "no memory");
	err = mark(feed->catalogue, config->patterns, config->pattern_count, feed->wanted, diag) ?:
		      mark(feed->catalogue, config->later, config->later_count, feed->later, diag);
	if (!err && !any_usable(feed))
		err = diag_set(diag, -ENODEV, "nothing of what is recorded can run here: %s",
			       problem_list_get(&feed->problems, 0) ?: "nothing is asked for");
	return err;
}

/* Without a socket it records all the same, and says so. */
static void open_remote(struct feed *feed, const char *name)
{
	const struct remote_config config = {
		.name = name,
		.path = feed->path,
		.rec = feed->rec,
		.catalogue = feed->catalogue,
	};
	struct diag diag = {0};

	if (name && remote_open(&config, &feed->remote, &diag))
		problem_list_add(&feed->problems, "it cannot be controlled: %s", diag.text);
}

static int start(struct feed *feed, const struct feed_config *config, struct diag *diag)
{
	const struct recording_config recording = {
		.catalogue = feed->catalogue,
		.wanted = feed->wanted,
		.later = feed->later,
		.path = feed->path,
		.buffer_bytes = config->buffer_bytes,
		.detail = config->detail,
		.sample_hz = config->sample_hz ?: sampler_hz_default(),
		.filter = &feed->filter.config,
		.warden = feed->warden,
		.pids = feed->filter.pids,
		.pid_count = feed->filter.pid_count,
	};
	int err = recording_open(&recording, &feed->rec, diag);

	if (err)
		return err;
	open_remote(feed, config->name);
	return recording_start(feed->rec, diag);
}

/* The recorder, from its first event on: only this thread touches the recording. */
static void *record(void *ctx)
{
	struct feed *feed = ctx;
	const struct loop_config config = {
		.duration_ns = feed->duration_ns,
		.period_ns = feed->period_ns,
		.command_fd = feed->stop_fd,
		.control = remote_control(feed->remote),
	};
	struct recording_totals totals;
	int err, end;

	loop_raise_priority();
	end = privileges_drop(feed->path, false) ?: loop_run(feed->rec, &config);
	err = recording_stop(feed->rec) ?: end < 0 ? end : 0;
	recording_totals(feed->rec, &totals);
	if (err && asprintf(&feed->failure, "recording fails: %s", strerror(-err)) < 0)
		feed->failure = NULL;
	remote_end(feed->remote, &totals, false, feed->failure);
	recording_close(feed->rec);
	remote_close(feed->remote);
	return NULL;
}

static int run(struct feed *feed, struct diag *diag)
{
	int err = 0;

	feed->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (feed->stop_fd < 0)
		return diag_set(diag, -errno, "eventfd: %s", strerror(errno));
	err = -pthread_create(&feed->thread, NULL, record, feed);
	if (err)
		return diag_set(diag, err, "a thread for the recorder: %s", strerror(-err));
	feed->runs = true;
	return reader_consume(feed->path, &feed->reader, diag);
}

static void stop(struct feed *feed)
{
	uint64_t one = 1;

	if (!feed->runs)
		return;
	(void)!write(feed->stop_fd, &one, sizeof(one));
	pthread_join(feed->thread, NULL);
	feed->runs = false;
	feed->rec = NULL;
	feed->remote = NULL;
}

static int feed_next(struct event_source *source, const struct event **ret)
{
	struct feed *feed = (struct feed *)source;
	int count = feed->reader->ops->next(feed->reader, ret);

	if (!count)
		stop(feed);
	return count;
}

static const char *feed_problem(const struct event_source *source, size_t i)
{
	const struct feed *feed = (const struct feed *)source;
	const char *problem;

	if (i < feed->problems.count)
		return problem_list_get(&feed->problems, i);
	i -= feed->problems.count;
	problem = feed->reader->ops->problem(feed->reader, i);
	if (problem || feed->runs)
		return problem;
	return !i || feed->reader->ops->problem(feed->reader, i - 1) ? feed->failure : NULL;
}

static void feed_close(struct event_source *source)
{
	struct feed *feed = (struct feed *)source;

	if (!feed)
		return;
	stop(feed);
	if (feed->reader)
		feed->reader->ops->close(feed->reader);
	recording_close(feed->rec);
	remote_close(feed->remote);
	if (*feed->path)
		(void)directory_remove(feed->path, NULL);
	(void)fd_close(feed->stop_fd);
	(void)fd_close(feed->dir_fd);
	warden_close(feed->warden);
	free(feed->wanted);
	free(feed->later);
	catalogue_close(feed->catalogue);
	problem_list_fini(&feed->problems);
	free(feed->failure);
	free(feed);
}

static const struct source_ops feed_ops = {
	.next = feed_next,
	.problem = feed_problem,
	.close = feed_close,
};

int feed_open(const struct feed_config *config, struct event_source **ret, struct diag *diag)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	int err;

	if (!feed)
		return diag_set(diag, -ENOMEM, "no memory");
	feed->source.ops = &feed_ops;
	feed->dir_fd = -1;
	feed->stop_fd = -1;
	feed->duration_ns = config->duration_ns;
	feed->period_ns = config->period_ns ?: TCP_POLL_PERIOD_NS;
	problem_list_init(&feed->problems);
	filter_init(&feed->filter);
	if (config->filter)
		feed->filter = *config->filter;
	loop_block_signals();
	err = choose(feed, config, diag)	?:
		      open_warden(feed, diag)	?:
		      open_dir(feed, diag)	?:
		      start(feed, config, diag) ?:
						  run(feed, diag);
	if (err) {
		feed_close(&feed->source);
		return err;
	}
	feed->source.info = feed->reader->info;
	*ret = &feed->source;
	return 0;
}
