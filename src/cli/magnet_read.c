// SPDX-License-Identifier: BSD-2-Clause
/*
 * magnet-read: MAGNeT's tool that fills a file with what packets do on this host, through the file's
 * mapping, until it is full, a signal comes or the time is over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/confinement.h"
#include "cli/magnet_status.h"
#include "cli/verb.h"
#include "record/control_dir.h"
#include "record/feed.h"
#include "record/filter.h"
#include "record_format/magnet/magnet_file.h"
#include "record_format/magnet/magnet_record.h"
#include "schema/source.h"

#define PATTERNS_MAX 64u
#define STATUS_EVERY_NS (200 * NS_PER_MS)

enum magnet_read_option {
	READ_PID = 256,
	READ_NETNS,
	READ_COMM,
};

static const struct option_spec options[] = {
	{'e', "event", "PATTERN",
	 "which crossings, as net.tcp_send or 'net.dev_*'; may be repeated. Default: all of "
	 "the group net",
	 "@measurements"},
	{'d', "duration", "TIME", "stop after so long: 10s, 5m", NULL},
	{'p', "port", "PORT", "only packets from or to this port", NULL},
	{'a', "addr", "ADDRESS", "only packets from or to this address or network", NULL},
	{READ_PID, "pid", "PID", "only those of sockets that this process uses", NULL},
	{READ_COMM, "comm", "GLOB", "only those of sockets that tasks called so use", NULL},
	{READ_NETNS, "netns", "NETNS", "only those in this network namespace", NULL},
	{'q', "quiet", NULL, "say nothing at the end but what went wrong", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "magnet-read",
	.classic = true,
	.synopsis = "[-q] [-d TIME] [-e PATTERN]... [FILTER]... FILE",
	.summary =
		"Fill a MAGNeT file, which mkmagnet has made, with what packets do on this host.",
	.notes =
		"Goes on behind what is in the file already. It ends when the file is full, at "
		"SIGINT, SIGTERM or SIGHUP, or when the time is over. Protocol state is recorded "
		"where the file has the data field. 'sonde status --magnet' shows how far it is.\n\n"
		"Exit status: 0; 1 error; 2 usage; 3 events were lost; 4 a pattern matches nothing; 5 "
		"not permitted, or the kernel lacks it.",
	.examples = "mkmagnet -s 256M net.magnet && magnet-read -d 1m net.magnet\n"
		    "magnet-read -e net.tcp_send -e net.app_recv --port 5201 net.magnet",
	.options = options,
	.operand = "@file",
};

struct request {
	const char *name;
	const char *patterns[PATTERNS_MAX];
	size_t pattern_count;
	uint64_t duration_ns;
	struct filter filter;
	bool quiet;
};

/* One run of the tool. */
struct run {
	const struct request *req;
	struct magnet_file *file;
	struct event_source *source;
	struct magnet_fill fill;
	struct magnet_names names;
	size_t unavailable; /* problems at the start: measurements that cannot run here */
	int dir; /* of the status; -1 = it cannot be written */
	struct magnet_status status;
	uint64_t told_ns;
};

static const char default_pattern[] = "net";

static int take_option(struct request *req, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case 'e':
		if (req->pattern_count == PATTERNS_MAX)
			return diag_set(diag, -E2BIG, "-e: at most %u of them", PATTERNS_MAX);
		req->patterns[req->pattern_count++] = arg;
		return 0;
	case 'd':
		if (duration_parse(arg, &req->duration_ns) || !req->duration_ns)
			return diag_set(diag, -EINVAL,
					"-d: '%s' is not a time: give one as 500ms or 10s", arg);
		return 0;
	case 'p':
		return filter_add_port(&req->filter, arg, diag);
	case 'a':
		return filter_add_address(&req->filter, arg, diag);
	case READ_PID:
		return filter_add_pid(&req->filter, arg, diag);
	case READ_COMM:
		return filter_add_comm(&req->filter, arg, diag);
	case READ_NETNS:
		return filter_add_netns(&req->filter, arg, diag);
	default: /* 'q' */
		req->quiet = true;
		return 0;
	}
}

static int parse(struct request *req, struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	filter_init(&req->filter);
	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if (take_option(req, id, arg, diag))
			return -EINVAL;
	}
	err = err ?: options_operand(opts, "FILE", &req->name, diag);
	if (!req->pattern_count)
		req->patterns[req->pattern_count++] = default_pattern;
	return err;
}

static void describe(struct run *run)
{
	const struct request *req = run->req;
	struct magnet_status *status = &run->status;
	char *path = realpath(req->name, NULL);
	size_t len = 0;

	*status = (struct magnet_status){
		.pid = getpid(),
		.since_ns = clock_realtime_ns(),
		.room = magnet_file_room(run->file),
	};
	snprintf(status->file, sizeof(status->file), "%s", path ?: req->name);
	magnet_layout_format(magnet_file_layout(run->file), status->layout);
	for (size_t i = 0; i < req->pattern_count && len < sizeof(status->events); i++)
		len += (size_t)snprintf(status->events + len, sizeof(status->events) - len, "%s%s",
					i ? " " : "", req->patterns[i]);
	free(path);
}

/* A few times a second. A failure to write the status does not stop the work. */
static void tell(struct run *run)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (run->dir < 0 || now_ns - run->told_ns < STATUS_EVERY_NS)
		return;
	run->told_ns = now_ns;
	run->status.records = magnet_file_records(run->file);
	run->status.lost = run->fill.lost;
	(void)magnet_status_write(run->dir, &run->status);
}

static int fail(const char *name, const char *text)
{
	struct diag diag = {0};

	(void)diag_set(&diag, 0, "%s: %s", name, text);
	return verb_fail(&spec, STATUS_ERROR, &diag);
}

static void summarise(const struct run *run)
{
	const struct magnet_fill *fill = &run->fill;
	uint64_t room = magnet_file_room(run->file) - magnet_file_records(run->file);
	char added[48], left[48], lost[48];

	count_format(added, sizeof(added), fill->added);
	count_format(left, sizeof(left), room);
	count_format(lost, sizeof(lost), fill->lost);
	verb_note("magnet-read: %s: %s record%s, room for %s more, %s event%s lost%s",
		  run->req->name, added, fill->added == 1 ? "" : "s", left, lost,
		  fill->lost == 1 ? "" : "s", fill->full ? ": the file is full" : "");
}

/* From the @first on; how many there are by now. */
static size_t tell_problems(const struct run *run, size_t first)
{
	const char *problem;
	size_t i;

	for (i = first; (problem = run->source->ops->problem(run->source, i)); i++)
		(void)fail(run->req->name, problem);
	return i;
}

static int report(const struct run *run, int err)
{
	int status = run->fill.lost ? STATUS_LOST : STATUS_COMPLETE;

	if (tell_problems(run, run->unavailable) > run->unavailable)
		status = STATUS_ERROR;
	if (err == -ESTALE)
		return fail(run->req->name, "another program has made the file smaller");
	if (err)
		return fail(run->req->name, strerror(-err));
	if (!run->req->quiet || run->fill.lost)
		summarise(run);
	return status;
}

static int choose(struct run *run, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < run->req->pattern_count && !err; i++)
		err = magnet_names_add(&run->names, run->req->patterns[i], diag);
	return err ? diag_prefix(diag, err, "-e") : 0;
}

static int open_feed(struct run *run, struct diag *diag)
{
	const struct feed_config config = {
		.patterns = run->names.names,
		.pattern_count = run->names.count,
		.detail = magnet_file_layout(run->file)->data,
		.duration_ns = run->req->duration_ns,
		.filter = &run->req->filter,
	};
	int err = feed_open(&config, &run->source, diag);

	if (err)
		return err;
	err = magnet_fill_init(&run->fill, run->file, run->source);
	return err ? diag_set(diag, err, "no memory") : 0;
}

static int open_all(struct run *run, struct diag *diag)
{
	int err = magnet_file_open(run->req->name, &run->file, diag);

	if (err)
		return err;
	if (!magnet_fill_can(run->file))
		return diag_set(diag, -ENOSPC,
				"%s: the file is full; replace it with 'mkmagnet -f'",
				run->req->name);
	err = choose(run, diag);
	if (err)
		return err;
	if (control_dir_open(&run->dir, NULL))
		run->dir = -1;
	return open_feed(run, diag);
}

static int status_of(const struct run *run, int err)
{
	if (!run->file)
		return STATUS_ERROR;
	if (err == -EPERM || err == -EACCES || err == -ENODEV)
		return STATUS_NOT_PERMITTED;
	return err == -ENOENT ? STATUS_NO_MATCH : STATUS_ERROR;
}

static int fill_file(struct run *run)
{
	int more = 1, status = confinement_enter_beside_recorder(&spec, NULL);

	if (status)
		return status;
	run->unavailable = tell_problems(run, 0);
	describe(run);
	while (more > 0) {
		tell(run);
		more = magnet_fill_step(&run->fill);
	}
	if (!more)
		magnet_fill_finish(&run->fill);
	return report(run, more);
}

static int run_request(const struct request *req)
{
	struct run run = {.req = req, .dir = -1};
	struct diag diag = {0};
	int err = open_all(&run, &diag), status, close_err;

	status = err ? verb_fail(&spec, status_of(&run, err), &diag) : fill_file(&run);
	if (run.dir >= 0)
		magnet_status_remove(run.dir);
	if (run.source)
		run.source->ops->close(run.source);
	magnet_fill_fini(&run.fill);
	(void)fd_close(run.dir);
	close_err = magnet_file_close(run.file);
	return close_err ? fail(req->name, strerror(-close_err)) : status;
}

static int run_magnet_read(int argc, char **argv)
{
	struct options *opts = options_new(&spec, argc, argv);
	struct request *req = calloc(1, sizeof(*req));
	struct diag diag = {0};
	int err, status = STATUS_ERROR;

	if (opts && req) {
		err = parse(req, opts, &diag);
		status = err ? verb_usage(&spec, err, &diag) : run_request(req);
	}
	free(req);
	options_free(opts);
	return status;
}

const struct verb verb_magnet_read = {&spec, run_magnet_read};
