// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/compress_level.h"
#include "cli/record_request.h"
#include "live/push/push.h"
#include "probe/sampler.h"
#include "record/preset_files.h"
#include "record/recording.h"
#include "record/tcp_poll.h"
#include "wire/stack.h"

enum {
	OPT_PID = 256,
	OPT_COMM,
	OPT_UID,
	OPT_CGROUP,
	OPT_CONTAINER,
	OPT_NETNS,
	OPT_PORT,
	OPT_ADDR,
	OPT_DEV,
	OPT_SYSCALL,
	OPT_MODE,
	OPT_BUFFER,
	OPT_DETAIL,
	OPT_NO_TEXT,
	OPT_PERIOD,
	OPT_RATE,
	OPT_STACK,
	OPT_STACK_DEPTH,
	OPT_NAME,
	OPT_BUDGET,
	OPT_DRY_RUN,
	OPT_PERMISSIONS,
	OPT_GROUP,
	OPT_COMPRESS,
	OPT_FLUSH,
	OPT_SERVE,
	OPT_SNAPSHOT_ON,
	OPT_SNAPSHOT_GAP,
	OPT_STOP_ON,
	OPT_PUSH,
	OPT_PUSH_BUFFER,
	OPT_PUSH_PATIENCE,
	OPT_RX,
	OPT_RX_PERIOD,
	OPT_RX_RATE,
	OPT_RX_ALL,
	OPT_RX_ANY_ADDRESS,
	OPT_END_COMMAND,
};

const struct option_spec record_options[] = {
	{'e', "event", "PATTERN",
	 "measurements to record: a name, a glob ('tcp.*') or a group (tcp); repeatable, or "
	 "separated by commas. Any tracepoint of the kernel is kernel:GROUP:EVENT, globs too. "
	 "Default: sched, tcp",
	 "@measurements"},
	{'p', "preset", "NAME",
	 "what to record, by a name: all, disk, drops, latency, net, offcpu, sched, tcp, or your own "
	 "('sonde list --presets' shows them); repeatable, or separated by commas",
	 "@presets"},
	{'o', "output", "DIR", "trace directory to make; default sonde-DATE-TIME", "@dir"},
	{OPT_PERMISSIONS, "permissions", "OCTAL", PERMISSIONS_TEXT, NULL},
	{OPT_GROUP, "group", "NAME", PERMISSIONS_GROUP_TEXT, NULL},
	{'d', "duration", "TIME", "stop after this time: 500ms, 10s, 2m, 1h", NULL},
	{'a', "all", NULL, "everything, also where a COMMAND is given", NULL},
	{OPT_PID, "pid", "PID", "only these processes", NULL},
	{OPT_COMM, "comm", "NAME", "only tasks of this name; a star at its end is a wildcard",
	 NULL},
	{OPT_UID, "uid", "USER", "only tasks and sockets of this user, by number or name", NULL},
	{OPT_CGROUP, "cgroup", "PATH", "only this cgroup (version 2) and those below it", "@dir"},
	{OPT_CONTAINER, "container", "NAME", "only this running container (name, glob or id)",
	 NULL},
	{OPT_NETNS, "netns", "NAME", "only this network namespace: name, file, inode, or self",
	 NULL},
	{OPT_PORT, "port", "PORT", "only connections with this local or remote port", NULL},
	{OPT_ADDR, "addr", "ADDR[/BITS]", "only connections with this local or remote address",
	 NULL},
	{OPT_DEV, "dev", "DISK", "only this disk or partition: vda, /dev/sda1, 254:0", NULL},
	{OPT_SYSCALL, "syscall", "NAME", "only these system calls, by name or number", NULL},
	{OPT_MODE, "mode", "MODE",
	 "discard: write everything, lose new events where the disk is too slow (default);\n"
	 "overwrite: keep the newest in memory, write on SIGUSR2 and at the end",
	 "discard overwrite"},
	{OPT_SNAPSHOT_ON, "snapshot-on", "EXPR",
	 "of a flight recorder: write what is in memory when an event comes for which EXPR holds "
	 "(sonde-expressions(7)): tcp.retransmit, 'disk.complete && service > 100ms'; repeatable",
	 NULL},
	{OPT_SNAPSHOT_GAP, "snapshot-gap", "TIME",
	 "between such snapshots at least; events in between only count. Default: 1s", NULL},
	{OPT_STOP_ON, "stop-on", "EXPR", "end when such an event comes; repeatable", NULL},
	{OPT_BUFFER, "buffer", "SIZE", "memory for each CPU: 64K to 64M, default 16M", NULL},
	{OPT_DETAIL, "detail", "LEVEL",
	 "brief, or full: the fields too that sonde list -v marks so; 'brief' implies --no-text",
	 "brief full"},
	{OPT_NO_TEXT, "no-text", NULL,
	 "do not record texts that arguments of system calls point to, such as paths, nor addresses of "
	 "sockets: they may hold secrets",
	 NULL},
	{OPT_COMPRESS, "compress", "[LEVEL]", COMPRESS_LEVEL_TEXT, NULL},
	{OPT_FLUSH, "flush", "TIME",
	 "the longest that an event waits in memory before it is written: 10ms to 1s, default 1s",
	 NULL},
	{OPT_SERVE, "serve", "[ADDR:PORT]",
	 "show the trace to live viewers while it is recorded ('sonde help serve'); default: at "
	 "127.0.0.1:5344. At the end it stays until they have seen all of it",
	 NULL},
	{OPT_PERIOD, "period", "TIME",
	 "how often tcp.poll looks at all connections: 10ms to 24h, default 1s", NULL},
	{OPT_RATE, "rate", "HZ", "samples of each CPU in a second (cpu.sample), default 99", NULL},
	{OPT_STACK, "stack", "PATTERN[=SIDE]",
	 "with events that match PATTERN, as -e, record the stack of the task that runs; SIDE: kernel, user "
	 "or both (default); repeatable, or separated by commas",
	 "@measurements"},
	{OPT_STACK_DEPTH, "stack-depth", "N",
	 "frames of each side of such a stack: 1 to 112, default 64", NULL},
	{OPT_NAME, "name", "NAME",
	 "what 'sonde status' and the like call this recorder; default: the end of -o's DIR", NULL},
	{OPT_BUDGET, "budget", "PERCENT",
	 "turn off what takes more of the machine's CPU time than this (2%), and try again later",
	 NULL},
	{OPT_PUSH, "push", "URL",
	 "stream it to a relay, lttng-relayd or 'sonde serve': net://HOST[:CONTROL_PORT[:DATA_PORT]]; "
	 "with -o, to DIR as well",
	 NULL},
	{OPT_PUSH_BUFFER, "push-buffer", "SIZE",
	 "memory for what waits for the relay: 2M to 16G, default 64M", NULL},
	{OPT_PUSH_PATIENCE, "push-patience", "TIME",
	 "leave a relay that takes or answers nothing for so long, and try again: 100ms to 1h, default "
	 "30s",
	 NULL},
	{OPT_RX, "rx", "SERVER",
	 "an Rx server (AFS) to ask for its state, for rx: HOST[:PORT] (default: 7000, a file "
	 "server's port), or @FILE with names; repeatable",
	 NULL},
	{OPT_RX_PERIOD, "rx-period", "TIME",
	 "how often each server of --rx is asked: 100ms to 24h, default 1s", NULL},
	{OPT_RX_RATE, "rx-rate", "N",
	 "connections and peers that a server is asked for in a second, one by one, default 20",
	 NULL},
	{OPT_RX_ALL, "rx-all", NULL,
	 "all connections of servers (rx.conn), not only those with something under way", NULL},
	{OPT_RX_ANY_ADDRESS, "rx-any-address", NULL,
	 "take answers from another address of the server's too, if the port is right", NULL},
	{OPT_END_COMMAND, "end-command", NULL,
	 "if an error such as a full disk ends the recording, end COMMAND too. Default: COMMAND continues",
	 NULL},
	{OPT_DRY_RUN, "dry-run", NULL, "show what would attach, and attach nothing", NULL},
	{'q', "quiet", NULL, "no progress and no summary", NULL},
	{0},
};

const struct verb_spec record_spec = {
	.name = "record",
	.synopsis = "[OPTIONS] [-- COMMAND [ARG...]]",
	.summary = "Record what the kernel does into a trace directory.",
	.common = "event preset output duration all pid comm mode snapshot-on serve push dry-run",
	.notes =
		"With a COMMAND, it and its children are recorded until it ends; else everything,\n"
		"until TIME has passed or Ctrl-C. Filters of one kind add up, different kinds must\n"
		"all match; --port and --addr concern the measurements that have a connection,\n"
		"--dev those that have a disk, --syscall those that have a system call. Twice Ctrl-C leaves at once.\n\n"
		"Exit status: 0 complete; 1 error; 2 usage; 3 events were lost, or --budget had something\n"
		"off for a time; 4 no measurement matches; 5 not permitted, or the kernel lacks it;\n"
		"6 something that was asked for could not be measured, or only in part: the summary says what.",
	.examples = "sonde record -e 'tcp.*' -d 10s -o T\n"
		    "sonde record -e sys -- ls -l\n"
		    "sonde record -e sched --mode overwrite --buffer 32M -o T\n"
		    "sonde record --mode overwrite --snapshot-on tcp.retransmit -o T\n"
		    "sonde record -e rx --rx fs1.example.org --rx db1.example.org:7003 -o T",
	.options = record_options,
	.shared = rights_server_options,
	.operand = "@command",
};

static int add_patterns(struct record_request *req, char *list, struct diag *diag)
{
	char *save = NULL;
	int err = 0;

	for (char *word = strtok_r(list, ",", &save); !err && word;
	     word = strtok_r(NULL, ",", &save))
		err = record_request_add_pattern(req, (struct record_pattern){.text = word}, diag);
	return err;
}

static int parse_choice(const char *option, const char *arg, const char *off, const char *on,
			bool *ret, struct diag *diag)
{
	if (strcmp(arg, on) && strcmp(arg, off))
		return diag_set(diag, -EINVAL, "--%s: '%s' is neither %s nor %s", option, arg, off,
				on);
	*ret = !strcmp(arg, on);
	return 0;
}

/* The default is brief, with texts: to ask for brief asks for no texts. */
static int parse_detail(struct record_request *req, const char *arg, struct diag *diag)
{
	int err = parse_choice("detail", arg, "brief", "full", &req->detail, diag);

	req->no_text |= !err && !req->detail;
	return err;
}

static int parse_duration(struct record_request *req, const char *arg, struct diag *diag)
{
	if (duration_parse(arg, &req->duration_ns) || !req->duration_ns)
		return diag_set(diag, -EINVAL,
				"-d: '%s' is not a time: give one as 500ms, 10s or 2m", arg);
	return 0;
}

static int parse_period(struct record_request *req, const char *arg, struct diag *diag)
{
	if (duration_parse(arg, &req->period_ns) || req->period_ns < TCP_POLL_PERIOD_MIN ||
	    req->period_ns > TCP_POLL_PERIOD_MAX)
		return diag_set(diag, -EINVAL, "--period: '%s' is not a time from 10ms to 24h",
				arg);
	return 0;
}

static int parse_flush(struct record_request *req, const char *arg, struct diag *diag)
{
	if (duration_parse(arg, &req->flush_ns) || req->flush_ns < RECORDING_FLUSH_MIN_NS ||
	    req->flush_ns > RECORDING_FLUSH_NS)
		return diag_set(diag, -EINVAL, "--flush: '%s' is not a time from 10ms to 1s", arg);
	return 0;
}

static int parse_buffer(struct record_request *req, const char *arg, struct diag *diag)
{
	if (size_parse(arg, &req->buffer_bytes) || req->buffer_bytes < RECORDING_BUFFER_MIN ||
	    req->buffer_bytes > RECORDING_BUFFER_MAX)
		return diag_set(diag, -EINVAL, "--buffer: '%s' is not a size from 64K to 64M", arg);
	return 0;
}

static int parse_push(struct record_request *req, const char *arg, struct diag *diag)
{
	req->push = arg;
	return push_url_parse(arg, &req->push_url, diag) ? diag_prefix(diag, -EINVAL, "--push") : 0;
}

static int parse_push_buffer(struct record_request *req, const char *arg, struct diag *diag)
{
	if (size_parse(arg, &req->push_bytes) || req->push_bytes < PUSH_BUFFER_MIN ||
	    req->push_bytes > PUSH_BUFFER_MAX)
		return diag_set(diag, -EINVAL, "--push-buffer: '%s' is not a size from 2M to 16G",
				arg);
	return 0;
}

static int parse_push_patience(struct record_request *req, const char *arg, struct diag *diag)
{
	if (duration_parse(arg, &req->push_patience_ns) ||
	    req->push_patience_ns < PUSH_STALL_MIN_NS || req->push_patience_ns > PUSH_STALL_MAX_NS)
		return diag_set(diag, -EINVAL,
				"--push-patience: '%s' is not a time from 100ms to 1h", arg);
	return 0;
}

static int parse_sides(const char *arg, unsigned int *ret, struct diag *diag)
{
	static const char *const names[] = {"kernel", "user", "both"};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(arg, names[i])) {
			*ret = i + 1;
			return 0;
		}
	}
	return diag_set(diag, -EINVAL, "--stack: '%s' is neither kernel, user nor both", arg);
}

/* "sched.switch=kernel" of @len bytes. */
static int add_stack(struct record_request *req, const char *arg, size_t len, struct diag *diag)
{
	struct record_stack *stack = &req->stacks[req->stack_count];
	char *side;
	int err = 0;

	if (req->stack_count == RECORD_STACK_MAX)
		return diag_set(diag, -E2BIG, "at most %d of --stack", RECORD_STACK_MAX);
	if (!len || len >= sizeof(stack->pattern))
		return diag_set(diag, -EINVAL, "--stack: a pattern is empty or too long");
	memcpy(stack->pattern, arg, len);
	stack->pattern[len] = 0;
	stack->sides = STACK_BOTH;
	side = strchr(stack->pattern, '=');
	if (side) {
		*side++ = 0;
		err = parse_sides(side, &stack->sides, diag);
	}
	req->stack_count += !err;
	return err;
}

static int add_stacks(struct record_request *req, const char *list, struct diag *diag)
{
	int err = 0;

	for (;;) {
		size_t len = strcspn(list, ",");

		err = add_stack(req, list, len, diag);
		if (err || !list[len])
			return err;
		list += len + 1;
	}
}

static int parse_stack_depth(struct record_request *req, const char *arg, struct diag *diag)
{
	char *end;
	unsigned long depth = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || !depth || depth > STACK_FRAMES_MAX)
		return diag_set(diag, -EINVAL, "--stack-depth: '%s' is not a number from 1 to %u",
				arg, STACK_FRAMES_MAX);
	req->stack_frames = (uint32_t)depth;
	return 0;
}

static int add_trigger(struct record_request *req, enum trigger_action action, const char *text,
		       struct diag *diag)
{
	if (req->trigger_count == TRIGGERS_MAX)
		return diag_set(diag, -E2BIG, "at most %u of --snapshot-on and --stop-on",
				TRIGGERS_MAX);
	req->triggers[req->trigger_count].action = action;
	req->triggers[req->trigger_count++].text = text;
	return 0;
}

static int parse_gap(struct record_request *req, const char *arg, struct diag *diag)
{
	if (duration_parse(arg, &req->gap_ns))
		return diag_set(diag, -EINVAL,
				"--snapshot-gap: '%s' is not a time: give one as 100ms or 10s",
				arg);
	return 0;
}

static int parse_path(struct record_request *req, const char *arg, struct diag *diag)
{
	if (strlen(arg) >= sizeof(req->path) || !*arg)
		return diag_set(diag, -EINVAL, "-o: the name is empty or too long");
	strcpy(req->path, arg);
	return 0;
}

static int parse_name(struct record_request *req, const char *arg, struct diag *diag)
{
	if (!recorder_name_is_good(arg))
		return diag_set(
			diag, -EINVAL,
			"--name: '%s': 1 to 40 letters, digits, '-', '_' and '.', no dot first",
			arg);
	strcpy(req->name, arg);
	return 0;
}

/* "2%", "0.5"; more than nothing, and at most all of it. */
static int parse_budget(struct record_request *req, const char *arg, struct diag *diag)
{
	char *end;
	double percent = strtod(arg, &end);

	if (*end == '%')
		end++;
	if (end == arg || *end || !(percent > 0 && percent <= 100))
		return diag_set(diag, -EINVAL,
				"--budget: '%s' is not a share of the machine: give one as 2%%",
				arg);
	req->budget = percent / 100;
	return 0;
}

static int apply_filter(struct record_request *req, int id, const char *arg, struct diag *diag)
{
	switch (id) {
	case OPT_PID:
		return filter_add_pid(&req->filter, arg, diag);
	case OPT_COMM:
		return filter_add_comm(&req->filter, arg, diag);
	case OPT_UID:
		return filter_add_uid(&req->filter, arg, diag);
	case OPT_CGROUP:
		return filter_add_cgroup(&req->filter, arg, diag);
	case OPT_CONTAINER:
		return filter_add_container(&req->filter, arg, diag);
	case OPT_NETNS:
		return filter_add_netns(&req->filter, arg, diag);
	case OPT_PORT:
		return filter_add_port(&req->filter, arg, diag);
	case OPT_ADDR:
		return filter_add_address(&req->filter, arg, diag);
	case OPT_DEV:
		return filter_add_device(&req->filter, arg, diag);
	default:
		return filter_add_syscall(&req->filter, arg, diag);
	}
}

/* Puts what option @id says into @req, which borrows @arg, and may write into that of -e; not for -p, and not
 * for other options. 0, or -EINVAL and the like with the diag. */
static int take(struct record_request *req, int id, const char *arg, struct diag *diag)
{
	if (rights_option_is(id))
		return rights_take_option(&req->rights, id, arg, diag);
	switch (id) {
	case 'e':
		return add_patterns(req, (char *)arg, diag);
	case 'o':
		return parse_path(req, arg, diag);
	case 'd':
		return parse_duration(req, arg, diag);
	case OPT_NAME:
		return parse_name(req, arg, diag);
	case OPT_PERIOD:
		return parse_period(req, arg, diag);
	case OPT_RX:
		return record_rx_add(&req->rx, arg, diag);
	case OPT_RX_PERIOD:
		return record_rx_parse_period(&req->rx, arg, diag);
	case OPT_RX_RATE:
		return record_rx_parse_rate(&req->rx, arg, diag);
	case OPT_RX_ALL:
		req->rx.config.all_conns = true;
		return 0;
	case OPT_END_COMMAND:
		req->end_command = true;
		return 0;
	case OPT_RX_ANY_ADDRESS:
		req->rx.config.any_address = true;
		return 0;
	case OPT_FLUSH:
		return parse_flush(req, arg, diag);
	case OPT_SERVE:
		req->serve = true;
		req->serve_at = arg;
		return 0;
	case OPT_BUDGET:
		return parse_budget(req, arg, diag);
	case OPT_BUFFER:
		return parse_buffer(req, arg, diag);
	case OPT_MODE:
		return parse_choice("mode", arg, "discard", "overwrite", &req->overwrite, diag);
	case OPT_DETAIL:
		return parse_detail(req, arg, diag);
	case OPT_NO_TEXT:
		req->no_text = true;
		return 0;
	case OPT_STACK:
		return add_stacks(req, arg, diag);
	case OPT_STACK_DEPTH:
		return parse_stack_depth(req, arg, diag);
	case OPT_RATE:
		return sampler_hz_parse(arg, &req->sample_hz, diag);
	case 'a':
		req->everybody = true;
		return 0;
	case OPT_SNAPSHOT_ON:
		return add_trigger(req, TRIGGER_SNAPSHOT, arg, diag);
	case OPT_SNAPSHOT_GAP:
		return parse_gap(req, arg, diag);
	case OPT_STOP_ON:
		return add_trigger(req, TRIGGER_STOP, arg, diag);
	case OPT_COMPRESS:
		req->compress = true;
		return compress_level_parse(arg, &req->level, diag);
	case OPT_PUSH:
		return parse_push(req, arg, diag);
	case OPT_PUSH_BUFFER:
		return parse_push_buffer(req, arg, diag);
	case OPT_PUSH_PATIENCE:
		return parse_push_patience(req, arg, diag);
	case OPT_PERMISSIONS:
		return permissions_parse(arg, &req->permissions, diag);
	case OPT_GROUP:
		return permissions_parse_group(arg, &req->permissions, diag);
	case OPT_DRY_RUN:
		req->dry_run = true;
		return 0;
	case 'q':
		req->quiet = true;
		return 0;
	default:
		return apply_filter(req, id, arg, diag);
	}
}

/* What says where to record, or which preset, is not a preset's business. */
static bool is_setting(const struct option_spec *opt)
{
	static const char *const others[] = {"event", "preset",	  "output",
					     "name",  "duration", "push"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (!strcmp(opt->name, others[i]))
			return false;
	}
	return opt->arg && opt->arg[0] != '[';
}

void record_options_settings(const char *settings[RECORD_SETTING_MAX])
{
	size_t count = 0;

	for (const struct option_spec *opt = record_options; opt->name; opt++) {
		if (is_setting(opt) && count < RECORD_SETTING_MAX - 1)
			settings[count++] = opt->name;
	}
	settings[count] = NULL;
}

static int apply_setting(struct record_request *req, const struct preset_line *line,
			 struct diag *diag)
{
	const struct option_spec *opt = record_options;

	while (strcmp(opt->name, line->key)) /* the parser took it from this table */
		opt++;
	return take(req, opt->id, line->text, diag);
}

int record_options_add_preset(struct record_request *req, const struct preset *preset,
			      struct diag *diag)
{
	for (size_t i = 0; i < preset->line_count; i++) {
		const struct preset_line *line = &preset->lines[i];
		struct record_pattern pattern = {line->text, preset, line};
		int err = line->key ? apply_setting(req, line, diag) :
				      record_request_add_pattern(req, pattern, diag);

		if (err)
			return preset_blame(preset, line, err, diag);
	}
	return 0;
}

static int add_presets(struct record_request *req, char *list, struct diag *diag)
{
	const char *settings[RECORD_SETTING_MAX];
	char *save = NULL;

	record_options_settings(settings);
	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		struct preset **preset = &req->presets[req->preset_count];
		int err;

		if (req->preset_count == RECORD_PRESET_MAX)
			return diag_set(diag, -E2BIG, "-p: at most %d presets", RECORD_PRESET_MAX);
		err = preset_open(name, settings, preset, diag);
		if (err)
			return err;
		req->preset_count++;
		err = record_options_add_preset(req, *preset, diag);
		if (err)
			return err;
	}
	return 0;
}

/* One pass over the options: the presets, or everything else. What the command line says itself
 * counts more than a preset, wherever it stands. */
static int apply_all(struct options *opts, struct record_request *req, bool presets,
		     struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		if ((id == 'p') != presets)
			continue;
		err = presets ? add_presets(req, (char *)arg, diag) : take(req, id, arg, diag);
		if (err)
			return err;
	}
	return err;
}

int record_options_parse(struct options *opts, struct record_request *req)
{
	struct diag diag = {0};
	int count, err;
	char **rest;

	record_request_init(req);
	err = apply_all(opts, req, true, &diag);
	if (!err) {
		options_rewind(opts);
		err = apply_all(opts, req, false, &diag);
	}
	rest = err ? NULL : options_rest(opts, &count);
	req->command = rest && count ? rest : NULL;
	err = err ?: record_request_settle(req, &diag);
	return err ? verb_usage(&record_spec, err, &diag) : -1;
}
