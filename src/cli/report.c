// SPDX-License-Identifier: BSD-2-Clause
/*
 * report: facts derived from a SOURCE: how long system calls took, how long tasks waited for a CPU,
 * how long requests waited for a disk, what TCP connections did, how long packets spent in each
 * layer, which were dropped, what the CPUs were at, how Rx servers were.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/way_sample.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/nearest.h"
#include "base/options.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "output/report.h"
#include "output/report_kind.h"
#include "schema/event.h"

#define DEFAULT_ROWS 10u
#define TEXT_BYTES 512u
#define LISTS_MAX 32u /* options that name fields */

enum report_option {
	REPORT_AS_JSON = READING_OPTION_END,
	REPORT_FORM,
	REPORT_PACKETS,
	REPORT_FOLDED,
	REPORT_ROWS,
	REPORT_BY,
	REPORT_SORT,
	REPORT_TOP,
	REPORT_COUNT,
	REPORT_SUM,
	REPORT_AVG,
	REPORT_MIN,
	REPORT_MAX,
	REPORT_HIST,
	REPORT_HISTOGRAMS = 'H',
};

static const struct option_spec report_options[] = {
	{REPORT_HISTOGRAMS, "histograms", NULL, "a histogram for each row too", NULL},
	{REPORT_BY, "by", "FIELD[,FIELD...]",
	 "one table with a row for each combination of values of these fields; of several traces, "
	 "hostname, procname or vpid alone: reports for each by itself",
	 NULL},
	{REPORT_SORT, "sort", "COLUMN",
	 "sort the rows by this column, the largest first, texts from A to Z; -COLUMN: the other "
	 "way round",
	 NULL},
	{REPORT_TOP, "top", "N", "the same as --rows", NULL},
	{REPORT_COUNT, "count", NULL, "events: count them; this is so in any case", NULL},
	{REPORT_SUM, "sum", "FIELD[,FIELD...]", "events: the sum of these fields in each row",
	 NULL},
	{REPORT_AVG, "avg", "FIELD[,FIELD...]", "events: the mean", NULL},
	{REPORT_MIN, "min", "FIELD[,FIELD...]", "events: the least", NULL},
	{REPORT_MAX, "max", "FIELD[,FIELD...]", "events: the largest", NULL},
	{REPORT_HIST, "hist", "FIELD[,FIELD...]",
	 "events: percentiles, and a histogram for each row, in powers of two", NULL},
	{REPORT_FOLDED, "folded", NULL,
	 "the stacks of cpu, a line each, for flame graphs; nothing else", NULL},
	{REPORT_FORM, "format", "FORMAT",
	 "tables for people, one JSON object, or the tables as comma-separated values",
	 "text json csv"},
	{REPORT_AS_JSON, "json", NULL, "the same as --format json", NULL},
	{REPORT_PACKETS, "packets", "N", "show the ways of the N slowest packets; 0 = none", NULL},
	{REPORT_ROWS, "rows", "N", READING_ROWS_TEXT, NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-n", "rows"},
	{0},
};

static const struct verb_spec report_spec = {
	.old = old_options,
	.name = "report",
	.synopsis =
		"[OPTIONS] SOURCE... [syscalls|sched|disk|tcp|layers|drops|cpu|rx|offcpu|wakers|files|events]...",
	.summary = "Show derived facts of a trace: times of calls, waits, packets, CPUs.",
	.operands =
		"Reports; without one, all for which there are events:\n"
		"  syscalls  time from sys.enter to sys.exit of the same task\n"
		"  sched     time from wakeup, or preemption, to running; time on a CPU\n"
		"  disk      time of requests in the queue of a disk, and at the disk\n"
		"  tcp       each connection: bytes, round trips, losses, what it waited for\n"
		"  layers    time of packets in each layer of the network stack, and which were lost\n"
		"  drops     packets that the kernel dropped: why, where, how many\n"
		"  cpu       where the CPUs were when sampled: state, process, function\n"
		"  rx        Rx servers (AFS): calls that waited, silence, the busiest peers\n"
		"  offcpu    what tasks waited for while they had no CPU: locks, disks, timers, peers\n"
		"  wakers    which tasks ended these waits\n"
		"  files     what system calls did with each file: bytes, time, the page cache\n"
		"  events    any events, counted and added up by any fields: --by, --sum, --hist",
	.common = "by sort top format histograms folded json packets rows event where from follow",
	.notes = READING_SOURCE_TEXT
	"Reports that are named must have their events in the SOURCE; without a name, "
	"those show that have. Files of other formats are reported on as far as they "
	"tell of the same.\n\n"
	"Counts, totals and the longest are exact. Percentiles (p50: half of them took no "
	"longer) are never too small, and too large by at most 6.25 %. Durations whose "
	"start or end was lost, or is outside of the trace, are counted and not timed.\n\n"
	"Exit status: 0 complete; 1 an error, Ctrl-C, or parts of the trace could not be read "
	"(the rest is counted); 2 usage; 3 complete, but events were lost while "
	"recording; 4 no events for a report.",
	.examples = "sonde report T\n"
		    "sonde report T sched --rows 3\n"
		    "sonde report --packets 1 T layers\n"
		    "sonde report --by comm,nr --sort dur.p99 --top 5 T syscalls\n"
		    "sonde report T events -e disk.complete --by comm,op --sum bytes --hist total\n"
		    "sonde report --by hostname web1 web2 sched\n"
		    "sonde report --format csv T drops >drops.csv\n"
		    "sonde report --folded T cpu | flamegraph.pl >cpu.svg\n"
		    "sonde report --json T syscalls | jq '.reports.syscalls.by_call[0].p99_ns'",
	.options = report_options,
	.shared = reading_options,
	.operand = "@file",
};

struct report_settings {
	struct report_options report;
	bool rows_given;
	const struct event_sink *sink; /* borrowed, once it is there */
	/* What --by and --sum and the others name; all borrow from `lists`. */
	const char *by[REPORT_KEYS_MAX];
	struct report_measure measured[REPORT_MEASURES_MAX];
	struct report_measures measures;
	char *lists[LISTS_MAX]; /* owned */
	size_t list_count;
};

static int parse_packets(struct report_options *options, const char *arg, struct diag *diag)
{
	char *end;
	unsigned long packets = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || packets > WAY_SAMPLE_SLOWEST)
		return diag_set(diag, -EINVAL, "--packets: '%s' is not a number up to %u", arg,
				WAY_SAMPLE_SLOWEST);
	options->packets = packets;
	options->packets_given = true;
	return 0;
}

static int parse_form(struct report_options *options, const char *arg, struct diag *diag)
{
	static const char *const names[] = {
		[REPORT_TEXT] = "text",
		[REPORT_JSON] = "json",
		[REPORT_CSV] = "csv",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(arg, names[i])) {
			options->form = (enum report_form)i;
			return 0;
		}
	}
	return diag_set(diag, -EINVAL, "--format: '%s' is not text, json or csv", arg);
}

/* The names of a list with commas, one after the other: -EINVAL where one is empty. @rest is the list, and cut. */
static int next_name(const char *option, char **rest, const char **ret, struct diag *diag)
{
	*ret = strsep(rest, ",");
	if (!**ret)
		return diag_set(diag, -EINVAL, "%s: a name of a field is missing", option);
	return event_values_check(option, *ret, diag);
}

/* A copy of @arg that stays. NULL, with the diag: no memory, or too many. */
static char *keep_list(struct report_settings *settings, const char *option, const char *arg,
		       struct diag *diag)
{
	char *list;

	if (settings->list_count == LISTS_MAX) {
		(void)diag_set(diag, -E2BIG, "%s: more than %u options that name fields", option,
			       LISTS_MAX);
		return NULL;
	}
	list = strdup(arg);
	if (!list)
		(void)diag_set(diag, -ENOMEM, "no memory");
	else
		settings->lists[settings->list_count++] = list;
	return list;
}

/* The origin of traces alone keeps the reports of each apart; anything else groups their rows. */
static bool take_origin(struct report_options *options, const char *arg)
{
	for (int part = 0; part < ORIGIN_PART_COUNT; part++) {
		if (strcmp(arg, origin_names[part]) != 0)
			continue;
		options->is_by = true;
		options->by = (enum origin_part)part;
		return true;
	}
	return false;
}

static int parse_by(struct report_settings *settings, const char *arg, struct diag *diag)
{
	struct report_options *options = &settings->report;
	char *rest;
	int err;

	if (take_origin(options, arg))
		return 0;
	rest = keep_list(settings, "--by", arg, diag);
	if (!rest)
		return -EINVAL;
	while (rest) {
		if (options->group_count == REPORT_KEYS_MAX)
			return diag_set(diag, -E2BIG, "--by: more than %u fields", REPORT_KEYS_MAX);
		err = next_name("--by", &rest, &settings->by[options->group_count], diag);
		if (err)
			return err;
		options->group_count++;
	}
	options->group_by = settings->by;
	return 0;
}

/* The measure of a field, or a new one; NULL: too many. */
static struct report_measure *measure_of(struct report_settings *settings, const char *field)
{
	struct report_measure *measure;

	for (size_t i = 0; i < settings->measures.count; i++) {
		measure = &settings->measured[i];
		if (!strcmp(measure->field, field))
			return measure;
	}
	if (settings->measures.count == REPORT_MEASURES_MAX)
		return NULL;
	measure = &settings->measured[settings->measures.count++];
	*measure = (struct report_measure){.name = field, .field = field};
	return measure;
}

static int parse_measures(struct report_settings *settings, const char *option, uint32_t shows,
			  const char *arg, struct diag *diag)
{
	char *rest = keep_list(settings, option, arg, diag);
	struct report_measure *measure;
	const char *field;
	int err;

	if (!rest)
		return -EINVAL;
	while (rest) {
		err = next_name(option, &rest, &field, diag);
		if (err)
			return err;
		measure = measure_of(settings, field);
		if (!measure)
			return diag_set(diag, -E2BIG, "%s: more than %u fields", option,
					REPORT_MEASURES_MAX);
		measure->shows |= shows;
	}
	return 0;
}

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct report_settings *settings = ctx;

	(void)reading;
	switch (id) {
	case REPORT_AS_JSON:
		settings->report.form = REPORT_JSON;
		return 0;
	case REPORT_FORM:
		return parse_form(&settings->report, arg, diag);
	case REPORT_PACKETS:
		return parse_packets(&settings->report, arg, diag);
	case REPORT_BY:
		return parse_by(settings, arg, diag);
	case REPORT_SORT:
		settings->report.sort = arg;
		return 0;
	case REPORT_COUNT:
		settings->measures.counts = "events";
		return 0;
	case REPORT_SUM:
		return parse_measures(settings, "--sum", MEASURE_SUM, arg, diag);
	case REPORT_AVG:
		return parse_measures(settings, "--avg", MEASURE_AVG, arg, diag);
	case REPORT_MIN:
		return parse_measures(settings, "--min", MEASURE_MIN, arg, diag);
	case REPORT_MAX:
		return parse_measures(settings, "--max", MEASURE_MAX, arg, diag);
	case REPORT_HIST:
		return parse_measures(settings, "--hist",
				      MEASURE_SPREAD | MEASURE_HIST | MEASURE_MAX, arg, diag);
	case REPORT_FOLDED:
		settings->report.folded = true;
		return 0;
	case REPORT_HISTOGRAMS:
		settings->report.histograms = true;
		return 0;
	default: /* REPORT_ROWS, REPORT_TOP */
		settings->rows_given = true;
		return reading_parse_rows(arg, &settings->report.rows, diag);
	}
}

static int fail_unknown_kind(const char *name, struct diag *diag)
{
	const struct report_kind *kind;
	char known[256] = "";
	struct nearest near;
	size_t i, len = 0;

	nearest_init(&near, name);
	for (i = 0; (kind = report_kind_get(i)) && len < sizeof(known); i++) {
		nearest_offer(&near, kind->name);
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					kind->name);
	}
	if (near.name)
		return diag_set(diag, -EINVAL, "no report '%s': did you mean '%s'?", name,
				near.name);
	return diag_set(diag, -EINVAL, "no report '%s': besides the SOURCE there can be %s", name,
			known);
}

/* Its number, or -1. */
static int find_kind(const char *name)
{
	const struct report_kind *kind;
	int i;

	for (i = 0; (kind = report_kind_get((size_t)i)); i++) {
		if (!strcmp(kind->name, name))
			return i;
	}
	return -1;
}

static bool knows_operand(const char *name)
{
	return find_kind(name) >= 0;
}

/* The names of reports besides the SOURCE. */
static int take_operand(void *ctx, const char *name, struct diag *diag)
{
	struct report_settings *settings = ctx;
	int kind = find_kind(name);

	if (kind < 0)
		return fail_unknown_kind(name, diag);
	settings->report.kinds |= 1u << kind;
	return 0;
}

/* One of the traces has to say of which host or process it is. */
static int check_origin(const struct report_settings *settings, const struct read_session *session,
			struct diag *diag)
{
	const struct trace_info *info = read_session_info(session);

	for (size_t i = 0; i < info->class_count; i++) {
		if (origin_has(info->classes[i]->origin, settings->report.by))
			return 0;
	}
	return diag_set(diag, -ENOENT, "--by: no trace says its %s",
			origin_names[settings->report.by]);
}

static int check(void *ctx, const struct read_session *session, struct diag *diag)
{
	struct report_settings *settings = ctx;
	int err = settings->report.is_by ? check_origin(settings, session, diag) : 0;

	settings->measures.list = settings->measured;
	settings->report.measures = &settings->measures;
	return err ?: report_check(read_session_view(session), &settings->report, diag);
}

/* Whatever else was named: folded stacks are for another program, which knows nothing else. */
static void only_stacks(struct report_settings *settings)
{
	const struct report_kind *kind;

	settings->report.form = REPORT_TEXT;
	for (size_t i = 0; (kind = report_kind_get(i)); i++) {
		if (!strcmp(kind->name, "cpu"))
			settings->report.kinds = 1u << i;
	}
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	struct report_settings *settings = ctx;
	struct event_sink *sink;

	(void)diag;
	if (settings->report.folded)
		only_stacks(settings);
	if (!settings->rows_given && settings->report.form == REPORT_TEXT)
		settings->report.rows = DEFAULT_ROWS;
	settings->report.where = read_session_where(session);
	sink = report_new(read_session_view(session), &settings->report);
	settings->sink = sink;
	return sink;
}

/* What the source has instead, and which reports that allows. */
static void tell_instead(const struct report_settings *settings, char *text, size_t len)
{
	const struct report_kind *kind;
	struct buffer seen;
	size_t at, i;
	bool any = false, named;

	buffer_init(&seen);
	report_seen(settings->sink, &seen);
	named = !buffer_error(&seen) && seen.len > 1;
	at = named ? (size_t)snprintf(text, len, "; it has %s", seen.data) : 0;
	buffer_fini(&seen);
	for (i = 0; (kind = report_kind_get(i)) && at < len; i++) {
		if (!report_could(settings->sink, i))
			continue;
		at += (size_t)snprintf(text + at, len - at, "%s%s",
				       any   ? ", " :
				       named ? ", which allows: " :
					       "; it allows: ",
				       kind->name);
		any = true;
	}
	if (!any && at < len)
		(void)snprintf(text + at, len - at, "%s",
			       named ? ", of which no report is made" : "");
}

/* Each report that was named must have something to say; without names, one of them. */
static int conclude(void *ctx, const struct reading *reading)
{
	const struct report_settings *settings = ctx;
	const struct report_kind *kind;
	int status = STATUS_COMPLETE;
	struct diag diag = {0};
	char instead[TEXT_BYTES];
	bool any = false;
	size_t i;

	tell_instead(settings, instead, sizeof(instead));
	for (i = 0; (kind = report_kind_get(i)); i++) {
		if (report_has(settings->sink, i)) {
			any = true;
		} else if (settings->report.rows_where && report_could(settings->sink, i) &&
			   settings->report.kinds >> i & 1) {
			(void)diag_set(&diag, 0, "%s: no row of %s matches --where '%s'",
				       reading->request.name, kind->name,
				       settings->report.rows_where);
			status = verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
		} else if (settings->report.kinds >> i & 1) {
			(void)diag_set(&diag, 0, "%s: nothing to report on %s: no event of %s%s",
				       reading->request.name, kind->name, kind->events, instead);
			status = verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
		}
	}
	if (any || settings->report.kinds)
		return status;
	(void)diag_set(&diag, 0,
		       "%s: nothing to report on: no events of system calls, scheduler, disks, "
		       "TCP, packets, CPUs or Rx servers%s",
		       reading->request.name, instead);
	return verb_fail(reading->spec, STATUS_NO_MATCH, &diag);
}

static bool is_asked(const struct report_settings *settings, const char *name)
{
	return settings->report.kinds >> find_kind(name) & 1;
}

/* --where is asked of events, or by reports whose rows are made of several, of their rows. */
static int settle_where(struct report_settings *settings, struct reading *reading,
			struct diag *diag)
{
	const struct report_kind *kind, *of_rows = NULL, *of_events = NULL;

	for (size_t i = 0; reading->request.where && (kind = report_kind_get(i)); i++) {
		if (settings->report.kinds >> i & 1)
			*(kind->asks_rows ? &of_rows : &of_events) = kind;
	}
	if (of_rows && of_events)
		return diag_set(
			diag, -EINVAL,
			"--where is asked of waits by %s, and of events by %s: make them one at a time",
			of_rows->name, of_events->name);
	if (of_rows) {
		settings->report.rows_where = reading->request.where;
		reading->request.where = NULL;
	}
	return 0;
}

/* Files of other formats make reports, too. */
static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	struct report_settings *settings = ctx;
	int err;

	if ((settings->report.is_by || settings->report.group_count) && settings->report.folded)
		return diag_set(diag, -EINVAL, "--by does not go with --folded");
	if (settings->report.is_by && settings->report.group_count)
		return diag_set(
			diag, -EINVAL,
			"--by: %s alone is the origin of traces; name all fields in one --by",
			origin_names[settings->report.by]);
	if (settings->measures.count && !is_asked(settings, "events"))
		return diag_set(diag, -EINVAL,
				"--sum, --avg, --min, --max and --hist are for the report events");
	if (settings->report.is_by && settings->report.form == REPORT_CSV)
		return diag_set(diag, -EINVAL, "--by does not go with --format csv");
	err = settle_where(settings, reading, diag);
	if (err)
		return err;
	reading->request.own_terms = true;
	reading->request.sink_asks = reading->request.where;
	return 0;
}

static const struct reading_verb report_verb = {
	.spec = &report_spec,
	.many = true,
	.take_option = take_option,
	.take_operand = take_operand,
	.settle = settle,
	.check = check,
	.knows_operand = knows_operand,
	.make_sink = make_sink,
	.conclude = conclude,
};

static int run_report(int argc, char **argv)
{
	struct report_settings settings = {0};

	int status = reading_main(&report_verb, &settings, argc, argv);

	for (size_t i = 0; i < settings.list_count; i++)
		free(settings.lists[i]);
	return status;
}

const struct verb verb_report = {&report_spec, run_report};
