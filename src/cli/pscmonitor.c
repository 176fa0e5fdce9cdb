// SPDX-License-Identifier: BSD-2-Clause
/*
 * pscmonitor: the state of this host's TCP connections at what happens to them, as a .pm file: what
 * PSC's tool did with the table in its kernel.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/options.h"
#include "cli/confinement.h"
#include "cli/convert_out.h"
#include "cli/permissions.h"
#include "cli/verb.h"
#include "record/feed.h"
#include "record/filter.h"
#include "record/recording.h"
#include "record/tcp_poll.h"
#include "record_format/pm/pm_writer.h"
#include "schema/lost.h"
#include "schema/source.h"

#define PATTERNS_MAX 32

enum monitor_option {
	MONITOR_OUTPUT = 'o',
	MONITOR_DURATION = 'd',
	MONITOR_PORT = 'p',
	MONITOR_EVENT = 'e',
	MONITOR_QUIET = 'q',
	MONITOR_BUFFER = 'b',
	MONITOR_PERIOD = 'i',
	MONITOR_ADDR = 'a',
	MONITOR_NETNS = 'n',
	MONITOR_FORCE = 'f',
};

static const struct option_spec options[] = {
	{MONITOR_OUTPUT, "output", "FILE", "the file to write; - for stdout", "@file"},
	{MONITOR_DURATION, "duration", "TIME", "end after this time: 500ms, 10s, 2m", NULL},
	{MONITOR_PORT, "port", "PORT", "only connections with this local or remote port", NULL},
	{MONITOR_ADDR, "addr", "ADDR[/BITS]", "only connections with this local or remote address",
	 NULL},
	{MONITOR_NETNS, "netns", "NAME", "only this network namespace: name, file, inode, or self",
	 NULL},
	{MONITOR_EVENT, "event", "PATTERN",
	 "what takes a snapshot: names or globs of 'sonde list tcp'; default: all of them but\n"
	 "tcp.poll",
	 "@measurements"},
	{MONITOR_PERIOD, "interval", "TIME",
	 "take a snapshot of every connection so often, too (tcp.poll): 10ms to 24h", NULL},
	{MONITOR_BUFFER, "buffer", "SIZE", "of the table, for each CPU: 64K to 64M, default 16M",
	 NULL},
	{MONITOR_FORCE, "force", NULL, "write over a FILE that is there", NULL},
	{MONITOR_QUIET, "quiet", NULL, "no summary", NULL},
	{0},
};

static const struct verb_spec spec = {
	.name = "pscmonitor",
	.classic = true,
	.synopsis = "[OPTIONS] FILE",
	.summary = "Record snapshots of TCP connections into a .pm file.",
	.notes =
		"Records until TIME has passed or Ctrl-C, of all network namespaces, in the format "
		"of the PSC TCP kernel monitor: sonde-pm(5). Values of one option add up. Where "
		"the table ran over before it was read, numbers of snapshots are missing: pmgraph -D "
		"shows where.\n\n"
		"Exit status: 0 complete; 1 error; 2 usage; 3 snapshots were lost; 4 no measurement "
		"matches; 5 not permitted, or the kernel lacks it.",
	.examples = "pscmonitor -d 10s -p 5050 na.pm\n"
		    "pmgraph na.pm -p 1055.5050 -c -H",
	.options = options,
	.operand = "@file",
};

/* Each event after which a connection's state is worth a look. */
static const char *const usual[] = {
	"tcp.ack",  "tcp.cwnd", "tcp.retransmit", "tcp.loss",  "tcp.state",
	"tcp.send", "tcp.recv", "tcp.rcvbuf",	  "tcp.reset", "tcp.close",
};

struct monitor {
	const char *path;
	bool force;
	bool quiet;
	struct filter filter;
	const char *patterns[PATTERNS_MAX];
	struct feed_config feed;
	struct convert_out file;
	struct output out;
	struct pm_writer *writer;
	uint64_t snapshots;
	uint64_t lost;
	uint64_t start_ns;
};

static int add_pattern(struct monitor *mon, const char *pattern, struct diag *diag)
{
	if (mon->feed.pattern_count == PATTERNS_MAX)
		return diag_set(diag, -E2BIG, "at most %d patterns", PATTERNS_MAX);
	mon->patterns[mon->feed.pattern_count++] = pattern;
	return 0;
}

static int add_patterns(struct monitor *mon, char *list, struct diag *diag)
{
	char *save = NULL;
	int err = 0;

	for (char *word = strtok_r(list, ",", &save); !err && word;
	     word = strtok_r(NULL, ",", &save))
		err = add_pattern(mon, word, diag);
	return err;
}

static int parse_period(struct monitor *mon, const char *arg, struct diag *diag)
{
	if (duration_parse(arg, &mon->feed.period_ns) ||
	    mon->feed.period_ns < TCP_POLL_PERIOD_MIN || mon->feed.period_ns > TCP_POLL_PERIOD_MAX)
		return diag_set(diag, -EINVAL, "-i: '%s' is not a time from 10ms to 24h", arg);
	return 0;
}

static int take_option(struct monitor *mon, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case MONITOR_OUTPUT:
		mon->path = arg;
		return *arg ? 0 : diag_set(diag, -EINVAL, "-o: an empty name");
	case MONITOR_DURATION:
		if (duration_parse(arg, &mon->feed.duration_ns) || !mon->feed.duration_ns)
			return diag_set(diag, -EINVAL,
					"-d: '%s' is not a time: give one as 500ms, 10s or 2m",
					arg);
		return 0;
	case MONITOR_PORT:
		return filter_add_port(&mon->filter, arg, diag);
	case MONITOR_ADDR:
		return filter_add_address(&mon->filter, arg, diag);
	case MONITOR_NETNS:
		return filter_add_netns(&mon->filter, arg, diag);
	case MONITOR_EVENT:
		return add_patterns(mon, (char *)arg, diag); /* argv's, which is ours */
	case MONITOR_PERIOD:
		return parse_period(mon, arg, diag);
	case MONITOR_BUFFER:
		if (size_parse(arg, &mon->feed.buffer_bytes) ||
		    mon->feed.buffer_bytes < RECORDING_BUFFER_MIN ||
		    mon->feed.buffer_bytes > RECORDING_BUFFER_MAX)
			return diag_set(diag, -EINVAL, "-b: '%s' is not a size from 64K to 64M",
					arg);
		return 0;
	case MONITOR_FORCE:
		mon->force = true;
		return 0;
	default: /* MONITOR_QUIET */
		mon->quiet = true;
		return 0;
	}
}

/* The one operand is the file, unless -o named it. */
static int take_operands(struct monitor *mon, struct options *opts, struct diag *diag)
{
	int count;
	char **rest = options_rest(opts, &count);

	if (count > !mon->path)
		return diag_set(diag, -EINVAL, "unexpected operand '%s'", rest[!mon->path]);
	mon->path = mon->path ? mon->path : rest[0];
	return mon->path ? 0 : diag_set(diag, -EINVAL, "no FILE given");
}

static int add_usual(struct monitor *mon, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(usual) / sizeof(usual[0]); i++)
		err = add_pattern(mon, usual[i], diag);
	return err;
}

static int parse(struct monitor *mon, struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		err = take_option(mon, id, arg, diag);
		if (err)
			return err;
	}
	err = err ? err : take_operands(mon, opts, diag);
	if (!mon->feed.pattern_count)
		err = err ? err : add_usual(mon, diag);
	if (mon->feed.period_ns)
		err = err ? err : add_pattern(mon, "tcp.poll", diag);
	return err;
}

/* Problems from the @from-th on; how many there are by then. */
static size_t tell_problems(const struct event_source *source, size_t from)
{
	const char *problem;

	while ((problem = source->ops->problem(source, from))) {
		struct diag diag = {0};

		(void)diag_set(&diag, 0, "%s", problem);
		(void)verb_fail(&spec, STATUS_ERROR, &diag);
		from++;
	}
	return from;
}

static int write_batch(struct monitor *mon, const struct event *events, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct event *event = &events[i];

		if (!pm_writer_takes(mon->writer, event->class))
			continue;
		if (event->class->role == EVENT_ROLE_LOST)
			mon->lost += event_uint(event, LOST_COUNT);
		else
			mon->snapshots++;
		pm_writer_event(mon->writer, event, &mon->out.buf);
		err = output_end_line(&mon->out);
	}
	return err;
}

/* Until the recording ends: 0 or what the file said. */
static int drain(struct monitor *mon, struct event_source *source, struct diag *diag)
{
	const struct event *events;
	int got = 1, err;

	pm_writer_head(mon->writer, &mon->out.buf);
	err = output_flush(&mon->out);
	while (!err && got) {
		got = source->ops->next(source, &events);
		if (got < 0 && got != -EAGAIN)
			return diag_set(diag, got, "%s", strerror(-got));
		err = got > 0 ? write_batch(mon, events, (size_t)got) : output_flush(&mon->out);
	}
	return err ? diag_set(diag, err, "%s: %s", mon->path, strerror(-err)) : 0;
}

static void tell_summary(const struct monitor *mon)
{
	char snapshots[48], lost[48], bytes[32], time[32];

	count_format(snapshots, sizeof(snapshots), mon->snapshots);
	count_format(lost, sizeof(lost), mon->lost);
	duration_format(time, sizeof(time), clock_monotonic_ns() - mon->start_ns);
	size_format(bytes, sizeof(bytes), convert_out_bytes(mon->path));
	verb_note("pscmonitor: %s: %s snapshot%s in %s, %s lost%s%s", mon->path, snapshots,
		  mon->snapshots == 1 ? "" : "s", time, lost, strcmp(mon->path, "-") ? ", " : "",
		  strcmp(mon->path, "-") ? bytes : "");
}

/* What is recorded goes to the file until it ends: an enum exit_status. */
static int record(struct monitor *mon, struct event_source *source)
{
	struct diag diag = {0};
	size_t known = tell_problems(source, 0); /* what cannot run here is not missing */
	int err;

	output_init(&mon->out, mon->file.fd, false);
	err = drain(mon, source, &diag);
	output_fini(&mon->out);
	if (err == -EPIPE) /* its reader has closed the pipe */
		return STATUS_COMPLETE;
	if (err)
		(void)verb_fail(&spec, STATUS_ERROR, &diag);
	if (tell_problems(source, known) > known || err)
		return STATUS_ERROR;
	return mon->lost ? STATUS_LOST : STATUS_COMPLETE;
}

static int fail_feed(int err, const struct diag *diag)
{
	if (err == -ENOENT)
		return verb_fail(&spec, STATUS_NO_MATCH, diag);
	return verb_fail(&spec,
			 err == -EPERM || err == -EACCES || err == -ENODEV ? STATUS_NOT_PERMITTED :
									     STATUS_ERROR,
			 diag);
}

static int write_file(struct monitor *mon, struct event_source *source)
{
	struct diag diag = {0};
	int status =
		confinement_enter_beside_recorder(&spec, strcmp(mon->path, "-") ? mon->path : NULL);

	if (status)
		return status;
	permissions_apply(NULL);
	if (convert_out_open(&mon->file, mon->path, false, mon->force, NULL, 0, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	status = record(mon, source);
	if (convert_out_close(&mon->file, true, &diag))
		return verb_fail(&spec, STATUS_ERROR, &diag);
	if (!mon->quiet && status != STATUS_ERROR)
		tell_summary(mon);
	return status;
}

/* The file is touched only once there is something to write. */
static int open_and_record(struct monitor *mon)
{
	const struct pm_sheet_config config = {
		.version = SONDE_VERSION,
		.cluster_bytes = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	struct event_source *source;
	struct diag diag = {0};
	int status, err;

	mon->feed.patterns = mon->patterns;
	mon->feed.filter = &mon->filter;
	err = feed_open(&mon->feed, &source, &diag);
	if (err)
		return fail_feed(err, &diag);
	mon->start_ns = clock_monotonic_ns();
	err = pm_writer_new(source->info, &config, &mon->writer, NULL, &diag);
	if (err)
		status = verb_fail(&spec, err == -ENOTSUP ? STATUS_NO_MATCH : STATUS_ERROR, &diag);
	else
		status = write_file(mon, source);
	pm_writer_free(mon->writer);
	source->ops->close(source);
	return status;
}

static int run(int argc, char **argv)
{
	struct options *opts = options_new(&spec, argc, argv);
	struct monitor mon = {.file = {.fd = -1}};
	struct diag diag = {0};
	int err, status;

	(void)signal(SIGPIPE, SIG_IGN); /* the recording has to be taken down */
	filter_init(&mon.filter);
	err = opts ? parse(&mon, opts, &diag) : diag_set(&diag, -EINVAL, "no memory");
	status = err ? verb_usage(&spec, err, &diag) : open_and_record(&mon);
	options_free(opts);
	return status;
}

const struct verb verb_pscmonitor = {&spec, run};
