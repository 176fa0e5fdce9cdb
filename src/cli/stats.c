// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats: totals of a SOURCE: events by class, losses, the busiest tasks, system calls and
 * connections.
 */
#include <errno.h>

#include "base/diag.h"
#include "base/options.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "view/stats.h"

#define DEFAULT_ROWS 10u

enum stats_option {
	STATS_JSON = READING_OPTION_END,
	STATS_ROWS = 'n',
};

static const struct option_spec stats_options[] = {
	{STATS_JSON, "json", NULL, "one JSON object in place of tables", NULL},
	{STATS_ROWS, "rows", "N",
	 "rows of each table at most; 0 = all. Tables have 10 unless told, JSON all", NULL},
	{READING_EVENT, "event", "PATTERN", READING_EVENT_TEXT, "@measurements"},
	{READING_FROM, "from", "TIME", READING_FROM_TEXT, NULL},
	{READING_TO, "to", "TIME", READING_TO_TEXT, NULL},
	{0},
};

static const struct verb_spec stats_spec = {
	.name = "stats",
	.synopsis = "[OPTIONS] SOURCE",
	.summary = "Show the totals of a trace: rates, losses, top tasks, calls, connections.",
	.notes = "SOURCE is a trace directory. Times of system calls are from sys.enter to "
		 "sys.exit of the same task; times on a CPU are from sched.switch; what a "
		 "connection did is from its tcp events. Rates are over the time from the "
		 "first event to the last.\n\n"
		 "Exit status: 0 complete; 1 an error, or parts of the trace could not be read "
		 "(the rest is counted); 2 usage; 3 complete, but events were lost while "
		 "recording; 4 no event matches.",
	.examples = "sonde stats T\n"
		    "sonde stats -e sys --from +1 --to +2 T\n"
		    "sonde stats --json T | jq '.syscalls[] | select(.errors > 0)'",
	.options = stats_options,
	.operand = "@dir",
};

struct stats_settings {
	struct stats_options stats;
	bool rows_given;
};

static int take_option(struct stats_settings *settings, struct reading *reading, int id,
		       const char *arg, struct diag *diag)
{
	uint64_t rows;
	int err;

	switch (id) {
	case STATS_JSON:
		settings->stats.json = true;
		return 0;
	case STATS_ROWS:
		settings->rows_given = true;
		settings->stats.rows = 0;
		if (arg[0] == '0' && !arg[1])
			return 0;
		err = select_parse_limit("--rows", arg, &rows, diag);
		if (!err)
			settings->stats.rows = (size_t)rows;
		return err;
	default:
		err = reading_take_option(reading, id, arg, diag);
		return err < 0 ? err : 0;
	}
}

static int parse(struct stats_settings *settings, struct reading *reading, struct options *opts,
		 struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = options_next(opts, &id, &arg, diag)) > 0) {
		err = take_option(settings, reading, id, arg, diag);
		if (err)
			return err;
	}
	if (!settings->rows_given && !settings->stats.json)
		settings->stats.rows = DEFAULT_ROWS;
	return err ?: reading_take_operand(reading, opts, diag);
}

static int count_source(const struct stats_settings *settings, struct reading *reading)
{
	struct event_sink *sink;
	struct diag diag = {0};
	int status;

	status = reading_open(reading);
	if (status)
		return status;
	sink = stats_new(&reading->view, &settings->stats);
	if (!sink) {
		(void)diag_set(&diag, -ENOMEM, "no memory");
		return verb_fail(&stats_spec, STATUS_ERROR, &diag);
	}
	status = reading_run(reading, sink);
	sink->ops->free(sink);
	return status;
}

static int run_stats(int argc, char **argv)
{
	struct options *opts = options_new(&stats_spec, argc, argv);
	struct stats_settings settings = {0};
	struct diag diag = {0};
	struct reading reading;
	int err, status;

	reading_init(&reading, &stats_spec);
	err = opts ? parse(&settings, &reading, opts, &diag) :
		     diag_set(&diag, -EINVAL, "no memory");
	status = err ? verb_usage(&stats_spec, err, &diag) : count_source(&settings, &reading);
	reading_fini(&reading);
	options_free(opts);
	return status;
}

const struct verb verb_stats = {&stats_spec, run_stats};
