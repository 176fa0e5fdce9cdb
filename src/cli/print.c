// SPDX-License-Identifier: BSD-2-Clause
/*
 * print: the events of a SOURCE, as text for people, or as JSON, CSV or TSV for programs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/options.h"
#include "cli/format_choice.h"
#include "cli/reading.h"
#include "cli/verb.h"
#include "source/format.h"

enum print_option {
	PRINT_FORMAT = 'f',
	PRINT_JOBS = 'j',
	PRINT_LIMIT = 'n',
	PRINT_VERBOSE = 'v',
	PRINT_TIME = READING_OPTION_END,
	PRINT_COLOR,
	PRINT_QUEUES,
	PRINT_CSV_SAFE,
	PRINT_RAW,
};

enum colour_choice {
	COLOUR_AUTO,
	COLOUR_ALWAYS,
	COLOUR_NEVER,
	COLOUR_CHOICES,
};

static const char *const colour_names[COLOUR_CHOICES] = {"auto", "always", "never"};

static const struct option_spec print_options[] = {
	{PRINT_FORMAT, "format", "FORMAT", "how to write them (default: the first)", OPTION_TABLE},
	{READING_FIELDS, "fields", "LIST", READING_FIELDS_TEXT, NULL},
	{PRINT_JOBS, "jobs", "N", READING_JOBS_TEXT, NULL},
	{PRINT_LIMIT, "limit", "N", "stop after N events", NULL},
	{PRINT_QUEUES, "queues", NULL,
	 "behind each disk.queue, in text and json: how many requests wait, and their sectors by "
	 "arrival, real-time ones negative, at most 1000",
	 NULL},
	{PRINT_TIME, "time", "STYLE",
	 "of text: clock (local time of day, the default), abs (with the date), rel (since the "
	 "first event shown), delta (since the one before), epoch",
	 "clock abs rel delta epoch"},
	{PRINT_RAW, "raw", NULL,
	 "of text: a line for each event, also for the entry and the exit of a system call; "
	 "default: a line for each call, as strace prints it",
	 NULL},
	{PRINT_CSV_SAFE, "csv-safe", NULL, FORMAT_CSV_SAFE_TEXT, NULL},
	{PRINT_VERBOSE, "verbose", NULL,
	 "of text: the recorder's notes too (sonde.task, sonde.name, ...), and on a terminal whole "
	 "lines; default: lines are cut to its width, the fields that matter most first",
	 NULL},
	{PRINT_COLOR, "color", "WHEN",
	 "auto (the default: on a terminal, unless NO_COLOR is set), always, never",
	 "auto always never"},
	{0},
};

static const struct verb_spec print_spec = {
	.name = "print",
	.synopsis = "[OPTIONS] SOURCE...",
	.summary = "Show the events of a trace.",
	.common = "format fields limit event where from to follow verbose strict",
	.notes = READING_SOURCE_TEXT
	"Events of all streams of a trace come in the order of "
	"time. Where events were lost while recording, a line says so at that place; "
	"no filter hides it.\n\n"
	"json is one object a line: time (ns since 1970), cpu, tid, comm, event, "
	"fields, and names for those numbers in fields that have a name. csv and tsv "
	"have a header line and one column for each field of the events chosen, or "
	"those of --fields.\n\n"
	"Exit status: 0 all shown; 1 an error, Ctrl-C, or parts of the trace could not be "
	"read (what could be is shown); 2 usage; 3 all shown, but events were lost "
	"while recording; 4 no event matches.",
	.examples = "sonde print T\n"
		    "sonde print -e 'tcp.*' --from +2 --to +2.5 T\n"
		    "sonde print -e sys --time delta -n 100 T\n"
		    "sonde print --format csv -e sys.exit --fields time,comm,nr,dur,ret T\n"
		    "sonde print --format json T | jq -r '.fields.filename // empty'",
	.options = print_options,
	.shared = reading_options,
	.operand = "@file",
	.choice = format_choice_stream,
};

struct print_settings {
	const struct format *format;
	enum colour_choice colour;
	bool verbose;
	struct format_request request;
};

/* The index of @arg among the names; -EINVAL with all of them in the diag. */
static int parse_choice(const char *option, const char *arg, const char *const *names, int count,
			struct diag *diag)
{
	char list[128] = "";
	size_t len = 0;

	for (int i = 0; i < count; i++) {
		if (!strcmp(arg, names[i]))
			return i;
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					names[i]);
	}
	return diag_set(diag, -EINVAL, "%s: '%s' is not one of %s", option, arg, list);
}

static int take_option(void *ctx, struct reading *reading, int id, const char *arg,
		       struct diag *diag)
{
	struct print_settings *settings = ctx;
	int choice;

	switch (id) {
	case PRINT_FORMAT:
		return format_choice_parse("--format", arg, false, &settings->format, diag);
	case PRINT_COLOR:
		choice = parse_choice("--color", arg, colour_names, COLOUR_CHOICES, diag);
		if (choice >= 0)
			settings->colour = (enum colour_choice)choice;
		return choice < 0 ? choice : 0;
	case PRINT_VERBOSE:
		settings->verbose = true;
		return 0;
	case PRINT_QUEUES:
		reading->request.queues = true;
		return 0;
	case PRINT_RAW:
		settings->request.text.raw = true;
		return 0;
	case PRINT_CSV_SAFE:
		settings->request.csv_safe = true;
		return 0;
	case PRINT_JOBS:
		return reading_parse_jobs(arg, reading, diag);
	case PRINT_LIMIT:
		return select_parse_limit("--limit", arg, &reading->request.select.limit, diag);
	default: /* PRINT_TIME */
		if (time_style_parse(arg, &settings->request.text.time))
			return diag_set(diag, -EINVAL,
					"--time: '%s' is not one of clock, abs, rel, delta, epoch",
					arg);
		return 0;
	}
}

static bool wants_colour(enum colour_choice choice, bool terminal)
{
	const char *no_color = secure_getenv("NO_COLOR"), *term = getenv("TERM");

	if (choice != COLOUR_AUTO)
		return choice == COLOUR_ALWAYS;
	return terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

/* Columns of the terminal that text goes to; 0 = not a terminal, or lines must be whole. */
static unsigned int width_of(const struct print_settings *settings, int fd)
{
	struct winsize size;

	return settings->verbose || ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

static struct event_sink *make_sink(void *ctx, struct read_session *session, struct diag *diag)
{
	struct print_settings *settings = ctx;
	const struct view *view = read_session_view(session);
	struct event_sink *sink = NULL;

	settings->request.view = view;
	settings->request.text.colour = wants_colour(settings->colour, isatty(view->out->fd));
	settings->request.text.width = width_of(settings, view->out->fd);
	(void)settings->format->make_sink(&settings->request, &sink, diag);
	return sink;
}

static int settle(void *ctx, struct reading *reading, struct diag *diag)
{
	const struct print_settings *settings = ctx;

	reading->request.derives = settings->format->each_alone;
	reading->request.select.brief = settings->format == format_get(0) && !settings->verbose &&
					!settings->request.text.raw;
	return format_choice_check_safe(settings->format, settings->request.csv_safe, diag);
}

/* In text, times may be relative to other events. */
static bool can_slice(const void *ctx, const struct event_sink *sink)
{
	const struct print_settings *settings = ctx;
	enum time_style time = settings->request.text.time;

	(void)sink;
	return settings->format->each_alone && time != TIME_STYLE_REL && time != TIME_STYLE_DELTA;
}

static const struct reading_verb print_verb = {
	.spec = &print_spec,
	.many = true,
	.take_option = take_option,
	.settle = settle,
	.make_sink = make_sink,
	.shows_each = true,
	.can_slice = can_slice,
};

static int run_print(int argc, char **argv)
{
	struct print_settings settings = {.format = format_get(0)};

	return reading_main(&print_verb, &settings, argc, argv);
}

const struct verb verb_print = {&print_spec, run_print};
