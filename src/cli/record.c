// SPDX-License-Identifier: BSD-2-Clause

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/io.h"
#include "cli/record_coverage.h"
#include "cli/record_options.h"
#include "cli/record_report.h"
#include "cli/record_request.h"
#include "cli/record_serve.h"
#include "cli/record_triggers.h"
#include "cli/verb.h"
#include "live/access/credentials.h"
#include "live/push/push.h"
#include "probe/permit.h"
#include "probe/stacks.h"
#include "probe/warden.h"
#include "record/budget.h"
#include "record/command.h"
#include "record/loop.h"
#include "record/privileges.h"
#include "record/recording.h"
#include "record/remote.h"
#include "record/rx_poll.h"
#include "record/tcp_poll.h"
#include "wire/measure.h"

/*
 * What `sonde record --push` adds to a recording: a relay that gets it as well, or instead
 * of a directory.
 */

struct record_push {
	const struct record_request *req;
	struct credentials credentials;
	struct push *push;
	char host[65]; /* this one's name */
};

static void say(void *ctx, const char *text)
{
	const struct record_request *req = ctx;

	verb_note("sonde record: --push %s: %s", req->push, text);
}

static int open_push(struct record_push *rp, struct diag *diag)
{
	const struct record_request *req = rp->req;
	struct push_config config = {
		.url = req->push_url,
		.credentials = &rp->credentials,
		.host = rp->host,
		.name = req->name,
		.period_ns = req->flush_ns / 2,
		.buffer_bytes = req->push_bytes,
		.stall_ns = req->push_patience_ns,
		.say = say,
		.ctx = (void *)(uintptr_t)req,
	};

	return credentials_load(TLS_CLIENT, &req->rights.files, &rp->credentials, diag) ?:
		       push_open(&config, &rp->push, diag);
}

/* NULL is fine. */
static void record_push_close(struct record_push *rp)
{
	if (!rp)
		return;
	push_close(rp->push);
	credentials_fini(&rp->credentials);
	free(rp);
}

/* *@ret stays NULL if the user has not asked for it. Borrows @req. 0, or -errno with the diag. */
static int record_push_open(const struct record_request *req, struct record_push **ret,
			    struct diag *diag)
{
	struct record_push *rp;
	int err;

	if (!req->push)
		return 0;
	rp = calloc(1, sizeof(*rp));
	if (!rp)
		return diag_set(diag, -ENOMEM, "no memory");
	rp->req = req;
	if (gethostname(rp->host, sizeof(rp->host) - 1) || !*rp->host)
		strcpy(rp->host, "localhost");
	err = open_push(rp, diag);
	if (err) {
		record_push_close(rp);
		return err;
	}
	*ret = rp;
	return 0;
}

/* Borrowed. */
static struct packet_sink *record_push_sink(struct record_push *rp)
{
	return push_sink(rp->push);
}

/* Waits until the relay has it all, or does not take any more; whether something was lost. NULL is fine. */
static bool record_push_finish(struct record_push *rp)
{
	const struct record_request *req;
	struct push_totals totals;
	char size[32], count[32];

	if (!rp)
		return false;
	req = rp->req;
	push_finish(rp->push);
	push_totals(rp->push, &totals);
	if (!req->quiet)
		verb_note("%s packets, %s pushed to %s",
			  count_format(count, sizeof(count), totals.packets),
			  size_format(size, sizeof(size), totals.bytes), req->push);
	if (totals.lost_packets)
		fprintf(stderr,
			"sonde record: %s packets, %s LOST on the way to %s: the relay was not "
			"there, or too slow: more --push-buffer\n",
			count_format(count, sizeof(count), totals.lost_packets),
			size_format(size, sizeof(size), totals.lost_bytes), req->push);
	return totals.lost_packets;
}

static int fail(int err, const struct diag *diag)
{
	bool permission = err == -EPERM || err == -EACCES || err == -ENOENT;

	return verb_fail(&record_spec, permission ? STATUS_NOT_PERMITTED : STATUS_ERROR, diag);
}

/* Marks what the patterns want; the number of measurements that can run, or -ENOENT. */
static int choose(struct catalogue *cat, const struct record_request *req, bool *wanted,
		  struct diag *diag)
{
	int err = record_request_choose(req, cat, wanted, diag), usable = 0;

	for (size_t i = 0; !err && i < cat->count; i++)
		usable += wanted[i] && measurement_usable(&cat->items[i]);
	return err ?: usable;
}

/* Names each requested measurement that cannot run, with its reason: otherwise users would look in the
 * trace for events that cannot be there. */
static void say_unusable(const struct catalogue *cat, const bool *wanted)
{
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (wanted[i] && !measurement_usable(m) && !measurement_forbidden(m))
			fprintf(stderr, "sonde record: %s is unavailable: %s\n", m->name,
				measurement_reason(m));
	}
}

/* What needs no program is recorded all the same: @why, once for all the others. */
static void say_forbidden(const struct catalogue *cat, const bool *wanted, const char *why)
{
	int count = 0;

	for (size_t i = 0; i < cat->count; i++)
		count += wanted[i] && measurement_forbidden(&cat->items[i]);
	if (!count)
		return;
	fprintf(stderr, "sonde record: %d of the measurements: %s\n", count, why);
	fputs("sonde record: not measured:", stderr);
	for (size_t i = 0; i < cat->count; i++) {
		if (wanted[i] && measurement_forbidden(&cat->items[i]))
			fprintf(stderr, " %s%s", cat->items[i].name, --count ? "," : "\n");
	}
}

/* What --stack names and cannot have any. */
static void say_stackless(const struct catalogue *cat, const struct record_request *req,
			  const bool *wanted)
{
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];
		const char *reason = stacks_reason(m);

		for (int k = 0; k < req->stack_count; k++) {
			if (!wanted[i] || !measurement_usable(m) ||
			    !measurement_matches(m, req->stacks[k].pattern))
				continue;
			if (reason)
				fprintf(stderr, "sonde record: %s is recorded without stacks: %s\n",
					m->name, reason);
			break;
		}
	}
}

static int dry_run(const struct catalogue *cat, const bool *wanted)
{
	for (size_t i = 0; i < cat->count; i++) {
		const struct measurement *m = &cat->items[i];

		if (!wanted[i])
			continue;
		for (size_t j = 0; j < m->hook_count; j++) {
			if (measurement_hook(m, m->hooks[j].part) == &m->hooks[j])
				printf("%-17s %s\n", m->name, m->hooks[j].section);
		}
		if (!measurement_usable(m))
			printf("%-17s unavailable: %s\n", m->name, measurement_reason(m));
	}
	return STATUS_COMPLETE;
}

/* From attached to detached. 0, or -errno with the diag. */
static int run(struct recording *rec, const struct record_request *req, struct command *cmd,
	       const struct remote *remote, struct record_serve *serve,
	       struct record_report *report, struct diag *diag)
{
	struct loop_config loop = {
		.duration_ns = req->duration_ns,
		.period_ns = req->period_ns,
		.command_fd = cmd->pid ? cmd->pid_fd : -1,
		.control = remote_control(remote),
		.tick = record_report_tick,
		.ctx = report,
	};
	int err = record_serve_start(serve, req, diag) ?: recording_start(rec, diag);

	say_unusable(report->catalogue, report->wanted);
	if (err)
		return err;
	if (cmd->pid) {
		err = command_start(cmd);
		if (err)
			return diag_set(diag, err == -ENOENT ? -EINVAL : err, "%s: %s",
					req->command[0], strerror(-err));
	} else if (report->terminal) {
		fprintf(stderr, "Recording to %s. Ctrl-C ends it.\n",
			*req->path ? req->path : req->push);
	}
	err = privileges_drop(*req->path ? req->path : NULL, cmd->pid);
	if (err)
		return diag_set(diag, err, "privileges cannot be dropped: %s", strerror(-err));
	err = loop_run(rec, &loop);
	record_report_clear(report);
	record_report_switches(report, rec);
	if (err < 0)
		return diag_set(diag, err, "waiting for events: %s", strerror(-err));
	err = recording_stop(rec);
	if (err) /* never as if it was not permitted to record */
		return diag_set(diag, -EIO, "%s: writing fails: %s; the trace so far is readable",
				*req->path ? req->path : req->push, strerror(-err));
	return 0;
}

static void say_command(const struct record_request *req, const struct command *cmd)
{
	if (WIFSIGNALED(cmd->status))
		fprintf(stderr, "%s ended by signal %d (%s)\n", req->command[0],
			WTERMSIG(cmd->status), strsignal(WTERMSIG(cmd->status)));
	else if (WEXITSTATUS(cmd->status))
		fprintf(stderr, "%s ended with status %d\n", req->command[0],
			WEXITSTATUS(cmd->status));
}

/* Without a socket it records all the same, and says so. */
static struct remote *open_remote(struct recording *rec, const struct record_request *req,
				  struct catalogue *cat, const struct triggers *triggers)
{
	const struct remote_config config = {
		.name = req->name,
		.path = *req->path ? req->path : NULL,
		.push = req->push,
		.overwrite = req->overwrite,
		.rec = rec,
		.catalogue = cat,
		.triggers = triggers,
	};
	struct remote *remote = NULL;
	struct diag diag = {0};

	if (remote_open(&config, &remote, &diag))
		fprintf(stderr, "sonde record: it cannot be controlled: %s\n", diag.text);
	return remote;
}

/* From load to close; clients that asked for the end by the socket get their reply last. */
static int record(struct record_request *req, struct catalogue *cat, const bool *wanted,
		  struct triggers *triggers, struct command *cmd, struct warden *warden)
{
	struct packet_sink *sinks[3] = {NULL};
	size_t sink_count = 0;
	struct recording_config config = {
		.catalogue = cat,
		.wanted = wanted,
		.path = *req->path ? req->path : NULL,
		.sinks = sinks,
		.buffer_bytes = req->buffer_bytes,
		.overwrite = req->overwrite,
		.group = req->permissions.group,
		.compress = req->compress,
		.level = req->level,
		.flush_ns = req->flush_ns,
		.detail = req->detail,
		.texts = !req->no_text,
		.sample_hz = req->sample_hz,
		.stack_frames = req->stack_frames,
		.budget = req->budget,
		.filter = &req->filter.config,
		.warden = warden,
		.pids = req->filter.pids,
		.pid_count = req->filter.pid_count,
		.triggers = triggers,
		.rx = record_rx_config(&req->rx),
	};
	struct record_report report = {.req = req,
				       .catalogue = cat,
				       .wanted = wanted,
				       .triggers = triggers,
				       .warden = warden,
				       .terminal = !req->quiet && isatty(STDERR_FILENO)};
	struct recording_totals totals;
	struct recording *rec = NULL;
	struct remote *remote = NULL;
	struct record_serve *serve = NULL;
	struct record_push *push = NULL;
	struct diag diag = {0};
	uint64_t start_ns, elapsed_ns;
	bool kept_back, partial, goes_on;
	int err, status;

	/* Each tracepoint of the kernel's own takes up to five. The command has been made: its limit
	 * stays. */
	file_limit_raise();
	if (record_push_open(req, &push, &diag))
		return verb_fail(&record_spec, STATUS_ERROR, &diag);
	err = record_serve_open(req, &serve, &diag);
	if (push)
		sinks[sink_count++] = record_push_sink(push);
	if (serve)
		sinks[sink_count++] = record_serve_sink(serve);
	err = err ?: recording_open(&config, &rec, &diag);
	if (err) {
		record_serve_close(serve);
		record_push_close(push);
		return fail(err, &diag);
	}
	if (recording_is_uncounted(rec))
		fputs("sonde record: events of kernel:* can be lost here without being counted: Linux "
		      "counts them since 6.7\n",
		      stderr);
	loop_raise_priority();
	if (cmd->pid && req->filter.config.follow)
		recording_want_pid(rec, (uint32_t)cmd->pid);
	start_ns = clock_monotonic_ns();
	remote = open_remote(rec, req, cat, triggers);
	err = run(rec, req, cmd, remote, serve, &report, &diag);
	status = err ? fail(err, &diag) : STATUS_COMPLETE;
	/* A full disk ends the recording; the command has work to do. */
	goes_on = recording_stop(rec) && cmd->pid && !req->end_command;
	if (!goes_on)
		command_finish(cmd);
	elapsed_ns = clock_monotonic_ns() - start_ns;
	report.push_lost = record_push_finish(push);
	record_report_place(&report, rec, req->quiet);
	recording_totals(rec, &totals);
	partial = record_report_is_partial(&report, &totals);
	remote_end(remote, &totals, partial, err ? diag.text : NULL);
	if (!req->quiet && (!status || totals.packets)) {
		if (req->command && !goes_on)
			say_command(req, cmd);
		record_report_summary(&report, rec, &totals, elapsed_ns);
		record_triggers_summary(triggers, &totals);
	}
	kept_back = recording_budget(rec) && budget_was_exceeded(recording_budget(rec));
	recording_close(rec);
	record_push_close(push);
	free(report.held);
	remote_close(remote);
	record_serve_close(serve);
	if (!status && (report.place != WRITER_IN_PLACE || kept_back || report.push_lost ||
			recording_totals_lost(&totals)))
		status = STATUS_LOST;
	if (!status && partial)
		status = STATUS_PARTIAL;
	return status;
}

/* The command is made before anything else is open: it should inherit nothing. */
static int prepare_and_record(struct record_request *req, struct catalogue *cat, const bool *wanted,
			      struct triggers *triggers)
{
	struct command cmd = {.gate = -1, .pid_fd = -1};
	struct warden_config config = {.begin = loop_raise_priority};
	struct warden *warden = NULL;
	struct diag diag = {0};
	int err = 0, status;

	if (req->command)
		err = command_check(req->command[0]) ?: command_prepare(&cmd, req->command);
	if (err) {
		diag_set(&diag, err, "%s: %s", req->command[0], strerror(-err));
		return verb_fail(&record_spec, STATUS_ERROR, &diag);
	}
	loop_block_signals();
	permissions_apply(&req->permissions);
	config.command_fd = cmd.pid ? cmd.pid_fd : -1;
	err = warden_open(&config, &warden);
	if (err) {
		command_finish(&cmd);
		diag_set(&diag, err, "a process for what takes privileges: %s", strerror(-err));
		return verb_fail(&record_spec, STATUS_ERROR, &diag);
	}
	cmd.warden = warden;
	status = record(req, cat, wanted, triggers, &cmd, warden);
	if (cmd.pid) {
		fprintf(stderr, "sonde record: %s continues, and is not recorded any more\n",
			req->command[0]);
		(void)command_wait(&cmd);
		command_finish(&cmd);
		say_command(req, &cmd);
	}
	warden_close(warden);
	return status;
}

/* Fails for lack of privileges, and names the measurements that need none. */
static int fail_forbidden(const struct catalogue *cat, const struct diag *why)
{
	bool usable = measurement_usable(catalogue_get(cat, TCP_POLL));
	struct diag diag = {0};

	diag_set(&diag, -EPERM, "%s%s", why->text,
		 usable ? "; only '-e tcp.poll' needs none of that, and --rx" :
			  "; only --rx needs none of that");
	return verb_fail(&record_spec, STATUS_NOT_PERMITTED, &diag);
}

/* Of what was asked for: nothing is recorded. */
static int refuse(int err, const struct diag *diag)
{
	if (err == -ENOENT)
		return verb_fail(&record_spec, STATUS_NO_MATCH, diag);
	return verb_fail(&record_spec,
			 err == -EACCES || err == -ENODEV ? STATUS_NOT_PERMITTED : STATUS_ERROR,
			 diag);
}

static int choose_and_record(struct record_request *req)
{
	struct catalogue *cat = NULL;
	struct diag diag = {0}, why = {0};
	struct triggers *triggers = NULL;
	bool *wanted = NULL;
	bool forbidden;
	int usable, status = -1;

	if (catalogue_open(&cat, &diag))
		return verb_fail(&record_spec, STATUS_ERROR, &diag);
	forbidden = permit_require(cat->kernel, &why);
	if (forbidden)
		catalogue_forbid(cat);
	tcp_poll_limit(cat, &req->filter.config, req->overwrite);
	rx_poll_limit(cat, req->rx.config.count, req->overwrite);
	wanted = calloc(cat->room, sizeof(*wanted));
	usable = wanted ? choose(cat, req, wanted, &diag) : diag_set(&diag, -ENOMEM, "no memory");
	if (usable >= 0 && record_rx_check(&req->rx, cat, wanted, &diag))
		status = verb_usage(&record_spec, -EINVAL, &diag);
	else if (usable >= 0 && record_request_choose_stacks(req, cat, wanted, &diag))
		status = verb_usage(&record_spec, -EINVAL, &diag);
	else if (usable >= 0)
		status = record_triggers_open(req, cat, wanted, &triggers);
	if (status >= 0) {
		/* why was said */
	} else if (usable < 0) {
		status = refuse(usable, &diag);
	} else if (req->dry_run) {
		status = dry_run(cat, wanted);
	} else if (forbidden && (usable <= 0 || req->by_default)) {
		status = fail_forbidden(cat, &why);
	} else if (usable <= 0) {
		say_unusable(cat, wanted);
		diag_set(&diag, 0, "nothing of what was asked for can run here");
		status = verb_fail(&record_spec, STATUS_NOT_PERMITTED, &diag);
	} else {
		say_forbidden(cat, wanted, why.text);
		(void)record_coverage_blinded(cat, wanted, &req->filter.config, true);
		(void)record_coverage_lesser(cat, wanted, true);
		say_stackless(cat, req, wanted);
		status = record_triggers_usable(triggers, cat, wanted);
		if (status < 0)
			status = prepare_and_record(req, cat, wanted, triggers);
	}
	triggers_free(triggers);
	free(wanted);
	catalogue_close(cat);
	return status;
}

static int run_record(int argc, char **argv)
{
	struct options *opts = verb_options(&record_spec, argc, argv);
	struct record_request req;
	int status;

	if (!opts)
		return STATUS_ERROR;
	status = record_options_parse(opts, &req);
	if (status < 0)
		status = choose_and_record(&req);
	record_request_fini(&req);
	options_free(opts);
	return status;
}

const struct verb verb_record = {&record_spec, run_record};
