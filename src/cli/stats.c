// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats: totals of a SOURCE: events by class, losses, the busiest tasks, system calls and
 * connections.
 */
#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/options.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "output/stats.h"
#include "output/stats_tables.h"

#define DEFAULT_ROWS 10u

enum stats_option {
	STATS_JSON = READING_OPTION_END,
	STATS_FORMAT,
	STATS_ROWS,
	STATS_JOBS = 'j',
};

static const struct option_spec stats_options[] = {
	{STATS_FORMAT, "format", "FORMAT",
	 "tables for people, one JSON object, or the tables as comma-separated values",
	 "text json csv"},
	{STATS_JSON, "json", NULL, "the same as --format json", NULL},
	{STATS_ROWS, "rows", "N", READING_ROWS_TEXT, NULL},
	{STATS_JOBS, "jobs", "N", READING_JOBS_TEXT, NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-n", "rows"},
	{0},
};

static const struct verb_spec stats_spec = {
	.old = old_options,
	.name = "stats",
	.synopsis = "[OPTIONS] SOURCE...",
	.summary = "Show the totals of a trace: rates, losses, top tasks, calls, connections.",
	.common = "format json rows event where cpu from to follow strict jobs",
	.notes = READING_SOURCE_TEXT
	"Times of system calls are from sys.enter to "
	"sys.exit of the same task; times on a CPU are from sched.switch; what a "
	"connection did is from its tcp events. Rates are over the time from the "
	"first event to the last.\n\n"
	"Exit status: 0 complete; 1 an error, Ctrl-C, or parts of the trace could not be read "
	"(the rest is counted); 2 usage; 3 complete, but events were lost while "
	"recording; 4 no event matches.",
	.examples = "sonde stats T\n"
		    "sonde stats -e sys --from +1 --to +2 T\n"
		    "sonde stats --format csv T >T.csv\n"
		    "sonde stats --json T | jq '.syscalls[] | select(.errors > 0)'",
	.options = stats_options,
	.shared = reading_options,
	.operand = "@file",
};

struct stats_settings {
	struct stats_options stats;
	bool rows_given;
};

static int parse_format(struct stats_options *options, const char *arg, struct diag *diag)
{
	if (!strcmp(arg, "text"))
		options->write = stats_text_write;
	else if (!strcmp(arg, "json"))
		options->write = stats_json_write;
	else if (!strcmp(arg, "csv"))
		options->write = stats_csv_write;
	else
		return diag_set(diag, -EINVAL, "--format: '%s' is not text, json or csv", arg);
	return 0;
}

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct stats_settings *settings = ctx;

	if (id == STATS_JOBS)
		return reading_parse_jobs(arg, reading, diag);
	if (id == STATS_FORMAT)
		return parse_format(&settings->stats, arg, diag);
	if (id == STATS_JSON) {
		settings->stats.write = stats_json_write;
		return 0;
	}
	settings->rows_given = true; /* STATS_ROWS */
	return reading_parse_rows(arg, &settings->stats.rows, diag);
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	struct stats_settings *settings = ctx;

	(void)diag;
	if (!settings->rows_given && settings->stats.write == stats_text_write)
		settings->stats.rows = DEFAULT_ROWS;
	return stats_new(read_session_view(session), &settings->stats);
}

static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	(void)ctx;
	(void)diag;
	reading->request.owners = true;
	return 0;
}

static bool can_slice(const void *ctx, const struct event_sink *sink)
{
	(void)ctx;
	return stats_can_add(sink);
}

static const struct reading_verb stats_verb = {
	.spec = &stats_spec,
	.many = true,
	.take_option = take_option,
	.settle = settle,
	.make_sink = make_sink,
	.can_slice = can_slice,
	.add = stats_add,
};

static int run_stats(int argc, char **argv)
{
	struct stats_settings settings = {.stats.write = stats_text_write};

	return reading_main(&stats_verb, &settings, argc, argv);
}

const struct verb verb_stats = {&stats_spec, run_stats};
