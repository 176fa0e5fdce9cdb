// SPDX-License-Identifier: BSD-2-Clause
/*
 * iscan: collects records of the measurements that msmod has turned on: HP-UX's iscan.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/options.h"
#include "base/place.h"
#include "cli/confinement.h"
#include "cli/permissions.h"
#include "cli/verb.h"
#include "output/view.h"
#include "probe/sampler.h"
#include "record/control_dir.h"
#include "record/feed.h"
#include "record_format/meas/meas_form.h"
#include "record_format/meas/meas_history.h"
#include "record_format/meas/meas_sink.h"
#include "record_format/meas/meas_switch.h"
#include "schema/lost.h"

/* A recording has something on. This one costs nothing, and makes no record by itself. */
#define IDLE_NEED "disk.requeue"

/* HP-UX's sampler looked at every 4th tick of 10 ms. */
#define SAMPLER_TICKS_HZ 25u

enum iscan_option { ISCAN_OUTPUT = 'o', ISCAN_TIME = 'd', ISCAN_RELEASE = 256, ISCAN_RATE };

static const struct option_spec iscan_options[] = {
	{ISCAN_OUTPUT, "output", "FILE", "where to write the records. Default: stdout", "@file"},
	{ISCAN_TIME, "duration", "TIME", "stop after this time: 500ms, 10s, 2m, 1h", NULL},
	{ISCAN_RELEASE, "release", "RELEASE",
	 "records as 1.0, 1.1, 2.0 or 3.0 (the default) has them", "1.0 1.1 2.0 3.0"},
	{ISCAN_RATE, "rate", "HZ",
	 "samples of each CPU in a second (sampler); default: 25, every 4th tick of 10 ms", NULL},
	{0},
};

static const struct verb_spec iscan_spec = {
	.name = "iscan",
	.classic = true,
	.synopsis = "[-o FILE] [-d TIME] [--release RELEASE] [--rate HZ]",
	.summary = "Collect records of the measurements that msmod has turned on.",
	.notes =
		"Until the time is over, or Ctrl-C. Changes by msmod during that time are followed. "
		"The records are binary: translate prints them, and so do 'sonde print' and the other "
		"verbs, in their ways.\n\n"
		"Exit status: 0 all collected; 1 an error, or something cannot be measured here; 2 "
		"usage; 3 records were lost; 5 not permitted.",
	.examples =
		"msmod swtch setrq remrq\niscan -d 10s | translate\niscan -o x.meas --release 1.0",
	.options = iscan_options,
};

struct iscan {
	const char *path; /* NULL: stdout */
	uint64_t duration_ns;
	uint16_t release;
	uint32_t sample_hz; /* 0: the default */
	int dir; /* where msmod's file is */
	struct meas_history history;
	struct event_source *source;
	struct event_sink *sink;
	struct view view;
	struct select select;
	struct output out;
	uint64_t lost;
};

/* What happens from here on is recorded so. */
static void obey(struct iscan *iscan)
{
	const bool *on = meas_history_on(&iscan->history);
	const struct meas_entry *entry;

	for (size_t i = 0; (entry = meas_entry_get(i)); i++)
		meas_sink_switch(iscan->sink, entry->id,
				 on[entry->id] && meas_entry_in(entry, iscan->release));
}

static int take(struct iscan *iscan, const struct event *events, size_t count)
{
	size_t done = 0, part;
	int err = 0;

	while (!err && done < count) {
		part = meas_history_span(&iscan->history, events + done, count - done);
		if (part)
			err = iscan->sink->ops->batch(iscan->sink, events + done, part);
		else
			obey(iscan);
		done += part;
	}
	return err;
}

static int load(struct iscan *iscan, struct diag *diag)
{
	int err = meas_history_init(&iscan->history, iscan->dir);

	return err ? diag_set(diag, err, MEAS_SWITCH_FILE ": %s", strerror(-err)) : 0;
}

/* Less where the kernel permits no more. */
static uint32_t default_hz(void)
{
	uint32_t most = sampler_hz_max();

	return most && most < SAMPLER_TICKS_HZ ? most : SAMPLER_TICKS_HZ;
}

static int open_feed(struct iscan *iscan, struct diag *diag)
{
	const char *needs[MEAS_NEEDS_MAX], *later[MEAS_NEEDS_MAX];
	const bool *on = meas_history_on(&iscan->history);
	bool all[MEAS_SWITCHES];
	struct feed_config config = {
		.patterns = needs,
		.pattern_count = meas_switch_needs(on, needs),
		.later = later,
		.name = "iscan",
		.detail = on[MEAS_SLEEP],
		.duration_ns = iscan->duration_ns,
		.sample_hz = iscan->sample_hz ?: default_hz(),
	};

	if (!config.pattern_count)
		needs[config.pattern_count++] = IDLE_NEED;
	memset(all, true, sizeof(all));
	config.later_count = meas_switch_needs(all, later);
	return feed_open(&config, &iscan->source, diag);
}

static bool goes_to_stdout(const struct iscan *iscan)
{
	return !iscan->path || !strcmp(iscan->path, "-");
}

static int check_output(const struct iscan *iscan, struct diag *diag)
{
	if (!goes_to_stdout(iscan) || !isatty(STDOUT_FILENO))
		return 0;
	return diag_set(diag, -EINVAL, "records are binary: give -o FILE, or '| translate'");
}

/* Once it is known that there will be something to write: a file that is there is emptied. */
static int open_output(struct iscan *iscan, struct diag *diag)
{
	int fd = STDOUT_FILENO;

	if (!goes_to_stdout(iscan)) {
		permissions_apply(NULL);
		fd = place_file(iscan->path, O_WRONLY | O_TRUNC, diag);
	}
	if (fd < 0)
		return fd;
	/* Who follows the file sees by that that more is to come. */
	if (!goes_to_stdout(iscan))
		(void)flock(fd, LOCK_EX | LOCK_NB);
	output_init(&iscan->out, fd, true);
	return 0;
}

static int make_sink(struct iscan *iscan, struct diag *diag)
{
	const struct trace_info *info = iscan->source->info;
	int err = select_bind(&iscan->select, info, diag);

	if (err)
		return err;
	iscan->view = (struct view){
		.analysis.info = info,
		.analysis.select = &iscan->select,
		.analysis.names = task_names_new(info),
		.analysis.known = known_new(info),
		.out = &iscan->out,
	};
	if (iscan->view.analysis.names && iscan->view.analysis.known)
		iscan->sink = meas_sink_new(&iscan->view.analysis, &iscan->out, iscan->release);
	if (!iscan->sink)
		return diag_set(diag, -ENOMEM, "no memory");
	obey(iscan);
	return 0;
}

static void count_lost(struct iscan *iscan, const struct event *events, int count)
{
	for (int i = 0; i < count; i++) {
		if (events[i].class->role == EVENT_ROLE_LOST)
			iscan->lost += event_uint(&events[i], LOST_COUNT);
	}
}

/* From the kernel to the file until the end: 0 or -errno; @side says which of them failed. */
static int pump(struct iscan *iscan, const char **side)
{
	const struct event *events;
	int count, err = 0;

	*side = iscan->path ?: "standard output";
	while (!err) {
		count = iscan->source->ops->next(iscan->source, &events);
		if (!count)
			break;
		if (count < 0 && count != -EAGAIN) {
			*side = "the recording";
			return count;
		}
		(void)meas_history_look(&iscan->history);
		if (count > 0) {
			count_lost(iscan, events, count);
			err = take(iscan, events, (size_t)count);
		}
	}
	return err ?: iscan->sink->ops->finish(iscan->sink);
}

/* Whoever reads our output may have seen enough. */
static int conclude(struct iscan *iscan, int err, const char *side)
{
	int status = iscan->lost ? STATUS_LOST : STATUS_COMPLETE;
	struct diag diag = {0};
	const char *problem;

	for (size_t i = 0; (problem = iscan->source->ops->problem(iscan->source, i)); i++) {
		(void)diag_set(&diag, 0, "%s", problem);
		status = verb_fail(&iscan_spec, STATUS_ERROR, &diag);
	}
	if (iscan->lost) {
		(void)diag_set(&diag, 0, "%llu events were lost", (unsigned long long)iscan->lost);
		(void)verb_fail(&iscan_spec, 0, &diag);
	}
	if (!err || err == -EPIPE)
		return status;
	(void)diag_set(&diag, err, "%s: %s", side, strerror(-err));
	return verb_fail(&iscan_spec, STATUS_ERROR, &diag);
}

static void tell_nothing_on(const struct iscan *iscan)
{
	struct diag diag = {0};

	for (size_t i = 0; i < MEAS_SWITCHES; i++) {
		if (meas_history_on(&iscan->history)[i])
			return;
	}
	(void)diag_set(&diag, 0, "no measurement is on: msmod turns them on, now as well");
	(void)verb_fail(&iscan_spec, 0, &diag);
}

static int scan(struct iscan *iscan)
{
	struct diag diag = {0};
	const char *side;
	int err, status;

	err = check_output(iscan, &diag)		   ?:
		      control_dir_open(&iscan->dir, &diag) ?:
							     load(iscan, &diag);
	if (!err) {
		tell_nothing_on(iscan);
		err = open_feed(iscan, &diag)		?:
			      open_output(iscan, &diag) ?:
							  make_sink(iscan, &diag);
	}
	if (err)
		return verb_fail(&iscan_spec,
				 err == -EPERM || err == -EACCES || err == -ENODEV ?
					 STATUS_NOT_PERMITTED :
					 STATUS_ERROR,
				 &diag);
	status = confinement_enter_beside_recorder(&iscan_spec, NULL);
	if (status)
		return status;
	err = pump(iscan, &side);
	return conclude(iscan, err, side);
}

static void fini(struct iscan *iscan)
{
	if (iscan->sink)
		iscan->sink->ops->free(iscan->sink);
	task_names_free(iscan->view.analysis.names);
	known_free(iscan->view.analysis.known);
	if (iscan->source)
		iscan->source->ops->close(iscan->source);
	select_fini(&iscan->select);
	if (iscan->out.fd > STDERR_FILENO)
		(void)fd_close(iscan->out.fd);
	output_fini(&iscan->out);
	fd_close(iscan->dir);
}

static int take_option(struct iscan *iscan, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case ISCAN_OUTPUT:
		iscan->path = arg;
		return *arg ? 0 : diag_set(diag, -EINVAL, "--output: an empty name");
	case ISCAN_TIME:
		if (!duration_parse(arg, &iscan->duration_ns) && iscan->duration_ns)
			return 0;
		return diag_set(diag, -EINVAL,
				"--duration: '%s' is not a time: give one as 500ms or 10s", arg);
	case ISCAN_RATE:
		return sampler_hz_parse(arg, &iscan->sample_hz, diag);
	default: /* ISCAN_RELEASE */
		iscan->release = meas_release_parse(arg);
		return iscan->release ?
			       0 :
			       diag_set(diag, -EINVAL,
					"--release: '%s' is not one of 1.0, 1.1, 2.0, 3.0", arg);
	}
}

static int parse(struct iscan *iscan, struct options *opts, struct diag *diag)
{
	const char *arg;
	char **rest;
	int id, err, count;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if (take_option(iscan, id, arg, diag))
			return -EINVAL;
	}
	if (err)
		return err;
	rest = options_rest(opts, &count);
	return count ? diag_set(diag, -EINVAL,
				"unexpected operand '%s': msmod says what is measured", rest[0]) :
		       0;
}

static int run_iscan(int argc, char **argv)
{
	struct options *opts = options_new(&iscan_spec, argc, argv);
	struct iscan *iscan = calloc(1, sizeof(*iscan));
	struct diag diag = {0};
	int err, status = STATUS_ERROR;

	if (opts && iscan) {
		*iscan = (struct iscan){
			.release = MEAS_RELEASE_3_0,
			.dir = -1,
		};
		select_init(&iscan->select);
		output_init(&iscan->out, -1, true);
		(void)signal(SIGPIPE, SIG_IGN); /* a recording is to end in good order */
		err = parse(iscan, opts, &diag);
		status = err ? verb_usage(&iscan_spec, err, &diag) : scan(iscan);
		fini(iscan);
	}
	free(iscan);
	options_free(opts);
	return status;
}

const struct verb verb_iscan = {&iscan_spec, run_iscan};
