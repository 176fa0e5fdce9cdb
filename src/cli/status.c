// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/escape.h"
#include "cli/asking.h"
#include "cli/cost_table.h"
#include "cli/magnet_status.h"
#include "cli/relay_table.h"
#include "record/answer.h"

#define COSTS_SHOWN 8
#define WIDTH 80 /* of the lines of names */

enum { STATUS_MAGNET = 256 };

static const struct option_spec options[] = {
	{STATUS_MAGNET, "magnet", NULL, "what running magnet-reads do, in place of recorders",
	 NULL},
	{VERB_OPTION_JSON, "json", NULL, "for programs: an object for each of them, a line each",
	 NULL},
	{0},
};

static const struct option_old old_options[] = {
	{"-j", "json"},
	{0},
};

static const struct verb_spec spec = {
	.old = old_options,
	.name = "status",
	.synopsis = "[--json] [--magnet | NAME | PID]",
	.summary = "Show your running recorders and relays: what they measure, and their clients.",
	.notes = "Without NAME or PID, all of them. A relay is a 'sonde serve'.\n\n"
		 "Exit status: 0; 1 error; 2 usage; 4 none runs; 5 not permitted.",
	.examples = "sonde status\nsonde status --json | jq .lost",
	.options = options,
};

struct request {
	bool json;
	bool magnet;
	const char *who;
};

static uint64_t number(const struct asking *ask, const char *key)
{
	uint64_t value = 0;

	answer_number(ask->answer.data, key, &value);
	return value;
}

/* "  on   a b c", and what has no room in lines below. */
static void print_names(const struct asking *ask, const char *key)
{
	size_t column = 0;
	char text[64];

	for (size_t i = 0; asking_text(ask, key, i, text, sizeof(text)); i++) {
		size_t len = strlen(text) + 1;

		if (i && column + len > WIDTH) {
			putchar('\n');
			column = 0;
		}
		if (!column)
			column = (size_t)printf("  %-4s", i ? "" : key);
		column += (size_t)printf(" %s", text);
	}
	if (column)
		putchar('\n');
}

/* "  snapshot on tcp.retransmit: 12 events, 3 times" */
static void print_triggers(const struct asking *ask)
{
	uint64_t unseen = number(ask, "unseen"), matched, fired;
	char action[16], text[400], count[32];
	const char *item;

	for (size_t i = 0; (item = answer_object(ask->answer.data, "triggers", i)); i++) {
		matched = fired = 0;
		answer_number(item, "matched", &matched);
		answer_number(item, "fired", &fired);
		answer_text(item, "action", 0, action, sizeof(action));
		answer_text(item, "on", 0, text, sizeof(text));
		escape_blank(text);
		printf("  %s on %s: %s event%s so far, done %llu time%s\n", action, text,
		       count_format(count, sizeof(count), matched), matched == 1 ? "" : "s",
		       (unsigned long long)fired, fired == 1 ? "" : "s");
	}
	if (unseen)
		printf("  %s records passed the triggers unseen\n",
		       count_format(count, sizeof(count), unseen));
}

static void print_since(uint64_t since_ns)
{
	time_t since = (time_t)(since_ns / NS_PER_SEC);
	char text[40];
	struct tm tm;

	localtime_r(&since, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s", text);
}

/* The line of @label, of another program: made fit for a terminal. */
static bool take_line(const char *object, struct cost_line *line)
{
	if (!answer_text(object, "measurements", 0, line->label, sizeof(line->label)) ||
	    !answer_number(object, "window_ns", &line->sum.window_ns) ||
	    !answer_number(object, "runs", &line->sum.runs) ||
	    !answer_number(object, "run_ns", &line->sum.run_ns))
		return false;
	escape_blank(line->label);
	return true;
}

static void print_costs(const struct asking *ask)
{
	struct cost_line *lines = calloc(COST_LINES_MAX, sizeof(*lines));
	double seconds = (double)number(ask, "elapsed_ns") / (double)NS_PER_SEC;
	uint64_t cpus = number(ask, "cpus");
	const char *object;
	struct buffer out;
	size_t count = 0;

	buffer_init(&out);
	while (lines && count < COST_LINES_MAX &&
	       (object = answer_object(ask->answer.data, "cost", count)) &&
	       take_line(object, &lines[count]))
		count++;
	if (count && cpus && cpus <= UINT32_MAX && seconds > 0)
		cost_table(&out, lines, count, (uint32_t)cpus, COSTS_SHOWN,
			   (uint64_t)((double)number(ask, "bytes") / seconds));
	if (!buffer_error(&out))
		fwrite(out.data, 1, out.len, stdout);
	buffer_fini(&out);
	free(lines);
}

/* "web, pid 4711, since 2024-05-01 12:00:00 (2.51 s)" */
static void print_head(const struct asking *ask)
{
	char text[400], elapsed[32];

	asking_text(ask, "name", 0, text, sizeof(text));
	printf("%s, pid %llu, since ", text, (unsigned long long)number(ask, "pid"));
	print_since(number(ask, "since_ns"));
	printf(" (%s)", duration_format(elapsed, sizeof(elapsed), number(ask, "elapsed_ns")));
}

static void print_recorder(const struct asking *ask)
{
	char text[400], mode[16], records[32], size[32], lost[32];

	print_head(ask);
	asking_text(ask, "output", 0, text, sizeof(text));
	asking_text(ask, "mode", 0, mode, sizeof(mode));
	printf(", mode %s\n  to %s\n", mode, text);
	printf("  %s events, %s written, %s lost, buffers %llu %% full\n",
	       count_format(records, sizeof(records), number(ask, "events")),
	       size_format(size, sizeof(size), number(ask, "bytes")),
	       count_format(lost, sizeof(lost), number(ask, "lost")),
	       (unsigned long long)number(ask, "fill_percent"));
	print_triggers(ask);
	print_names(ask, "on");
	print_names(ask, "off");
	print_names(ask, "held");
	print_costs(ask);
}

static void print(const struct asking *ask, enum control_kind kind)
{
	if (kind == CONTROL_RECORDER) {
		print_recorder(ask);
	} else {
		print_head(ask);
		relay_table_print(ask);
	}
}

static int show(const struct request *req)
{
	struct asking *ask = malloc(sizeof(*ask));
	int status;

	if (!ask)
		return STATUS_ERROR;
	status = asking_open(ask, &spec, RECORDER_LIST_RECORDERS | RECORDER_LIST_RELAYS, req->who);
	for (int i = 0; i < ask->count; i++) {
		int one = asking_ask(ask, i, "status", ASKING_PATIENCE_MS);

		if (one >= 0)
			status = one;
		else if (req->json)
			fputs(ask->answer.data, stdout);
		else
			print(ask, ask->list[i].kind);
	}
	asking_close(ask);
	free(ask);
	return status < 0 ? STATUS_COMPLETE : status;
}

static int run_status(int argc, char **argv)
{
	struct options *opts = verb_options(&spec, argc, argv);
	struct request req = {0};
	struct diag diag = {0};
	const char *arg;
	int id, err, count, status;
	char **rest;

	if (!opts)
		return STATUS_ERROR;
	while ((err = verb_next(&spec, opts, &id, &arg, &diag)) > 0) {
		req.magnet |= id == STATUS_MAGNET;
		req.json |= id == VERB_OPTION_JSON;
	}
	rest = options_rest(opts, &count);
	if (!err && count > !req.magnet)
		err = diag_set(&diag, -EINVAL, "unexpected operand '%s'", rest[!req.magnet]);
	req.who = count ? rest[0] : NULL;
	if (err)
		status = verb_usage(&spec, err, &diag);
	else
		status = req.magnet ? magnet_status_show(&spec, req.json) : show(&req);
	options_free(opts);
	return status;
}

const struct verb verb_status = {&spec, run_status};
