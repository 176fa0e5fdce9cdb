// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/interrupt.h"
#include "cli/verb.h"
#include "live/proto/live_url.h"
#include "source/source.h"

/* Of several sources, for one in which nothing is described yet: the others are not to wait for long. */
#define AWAIT_NS NS_PER_SEC

const struct option_spec reading_options[] = {
	{READING_EVENT, "event", "PATTERN",
	 "only events that match: a glob over names, or a group (tcp means tcp.*); several, or a "
	 "list with commas, add up",
	 "@measurements"},
	{READING_WHERE, "where", "EXPR",
	 "only events for which EXPR holds: sonde-expressions(7), for example "
	 "'sys.exit && nr == fsync && dur > 100ms'",
	 NULL},
	{READING_CPU, "cpu", "LIST", "only events of these CPUs: 0,2-5", NULL},
	{READING_FROM, "from", "TIME",
	 "only events from TIME on: +SECONDS after the first event, HH:MM:SS (local time), "
	 "YYYY-MM-DDTHH:MM:SS, or ns since 1970; beginning (default); now: with --follow, and of a live "
	 "session: from the next event on",
	 NULL},
	{READING_TO, "to", "TIME", "only events up to TIME", NULL},
	{READING_UNTIL, "until", "TIME", "the same as --to", NULL},
	{READING_FOLLOW, "follow", NULL,
	 "of what is being recorded: go on with what comes, until the recorder ends", NULL},
	{READING_NO_RECONNECT, "no-reconnect", NULL,
	 "of a live session: end where the connection breaks", NULL},
	{READING_STRICT, "strict", NULL,
	 "what breaks the standard of the SOURCE's format is an error (exit status 1); default: a "
	 "warning",
	 NULL},
	RIGHTS_CLIENT_ROWS,
	{0},
};

/* Two words are times as well. */
static int take_from(struct reading *reading, const char *arg, struct diag *diag)
{
	if (strcmp(arg, "now") && strcmp(arg, "beginning"))
		return select_parse_time("--from", arg, &reading->request.select.from, diag);
	reading->live.now = !strcmp(arg, "now");
	return 0;
}

static int take_shared(struct reading *reading, int id, const char *arg, struct diag *diag)
{
	struct select *select = &reading->request.select;

	if (rights_option_is(id))
		return rights_take_option(&reading->rights, id, arg, diag);
	switch (id) {
	case READING_EVENT:
		return select_add_pattern(select, arg, diag);
	case READING_FIELDS:
		return field_choice_add(&reading->request.fields, arg, diag);
	case READING_CPU:
		return select_parse_cpus(select, arg, diag);
	case READING_FROM:
		return take_from(reading, arg, diag);
	case READING_UNTIL:
		return select_parse_time("--until", arg, &select->to, diag);
	case READING_FOLLOW:
		reading->request.follow = true;
		return 0;
	case READING_NO_RECONNECT:
		reading->live.no_reconnect = true;
		return 0;
	case READING_STRICT:
		reading->strict = true;
		return 0;
	case READING_TO:
		return select_parse_time("--to", arg, &select->to, diag);
	default: /* READING_WHERE */
		reading->request.where = arg;
		return 0;
	}
}

static bool is_shared(int id)
{
	return rights_option_is(id) || id == READING_EVENT ||
	       (id >= READING_FROM && id < READING_OPTION_END);
}

static int take_option(const struct reading_verb *verb, void *settings, struct reading *reading,
		       int id, const char *arg, struct diag *diag)
{
	if (is_shared(id) && !(verb->claims && verb->claims(id, arg)))
		return take_shared(reading, id, arg, diag);
	return verb->take_option(settings, reading, id, arg, diag);
}

static bool is_there(const char *name)
{
	return !access(name, F_OK) || !strcmp(name, "-") || live_url_is(name);
}

/* An operand that the verb accepts itself is not a SOURCE, unless it is the only one; of the
 * others, those that exist are sources, so that a misspelled name is reported as such, not as a
 * missing file; if none exists, the first is. */
static bool is_source(const struct reading_verb *verb, char **operands, int count, int i)
{
	int first = 0;

	if (!verb->take_operand)
		return true;
	for (int j = count; j-- && verb->knows_operand;) {
		if (verb->knows_operand(operands[j]))
			continue;
		if (is_there(operands[j]))
			return is_there(operands[i]) && !verb->knows_operand(operands[i]);
		first = j;
	}
	return i == first;
}

/* Operands that are sources come to the front: how many they are; the verb takes the others. -EINVAL. */
static int take_sources(const struct reading_verb *verb, void *settings, char **operands, int count,
			struct diag *diag)
{
	bool *sources = calloc((size_t)count, sizeof(*sources));
	int found = 0, err = sources ? 0 : diag_set(diag, -ENOMEM, "no memory");

	for (int i = 0; i < count && !err; i++)
		sources[i] = is_source(verb, operands, count, i);
	for (int i = 0; i < count && !err; i++) {
		if (sources[i])
			operands[found++] = operands[i];
		else
			err = verb->take_operand(settings, operands[i], diag);
	}
	free(sources);
	return err ?: found;
}

static int take_operands(const struct reading_verb *verb, void *settings, struct reading *reading,
			 struct options *opts, struct diag *diag)
{
	static char dash[] = "-", *standard_input[] = {dash, NULL};
	int count;
	char **rest = options_rest(opts, &count);

	if (!count && verb->reads_input) {
		rest = standard_input;
		count = 1;
	}
	if (!count)
		return diag_set(diag, -EINVAL, "no SOURCE given: name a trace directory or a file");
	count = take_sources(verb, settings, rest, count, diag);
	if (count < 0)
		return count;
	if (count > 1 && !verb->many)
		return diag_set(diag, -EINVAL, "unexpected operand '%s': one SOURCE at a time",
				rest[1]);
	reading->request.sources = rest;
	reading->request.source_count = count;
	reading->request.name = count > 1 ? "the sources" : rest[0];
	return 0;
}

/* As read_request.open. */
static int open_one(void *ctx, const char *name, bool follow, struct event_source **ret,
		    struct diag *diag)
{
	const struct reading *reading = ctx;

	if (live_url_is(name))
		return source_open_live(name, &reading->live, ret, diag);
	return follow ? source_follow(name, ret, diag) : source_open(name, ret, diag);
}

/* What is live is followed; of other sources only one can be. */
static int settle_live(const struct reading_verb *verb, struct reading *reading, struct diag *diag)
{
	struct read_request *request = &reading->request;
	bool all_live = true;

	for (int i = 0; i < request->source_count; i++) {
		const bool is_live = live_url_is(request->sources[i]);

		reading->is_live |= is_live;
		all_live &= is_live;
	}
	if (request->follow && request->source_count > 1 && !all_live)
		return diag_set(
			diag, -EINVAL,
			"--follow is for one SOURCE at a time; live sessions are followed in any case");
	/* Of a stored trace `beginning` is what it has anyway. */
	if (!reading->is_live && reading->live.now)
		request->select.from =
			(struct time_point){TIME_POINT_EPOCH, (int64_t)clock_realtime_ns()};
	if (!reading->is_live && reading->live.no_reconnect)
		return diag_set(diag, -EINVAL, "--no-reconnect is for live sessions, net://...");
	if (!reading->is_live && credential_files_any(&reading->rights.files))
		return diag_set(
			diag, -EINVAL,
			"--tls-cert, --token and the like are for live sessions, net://...");
	if (rights_settle(&reading->rights, diag))
		return -EINVAL;
	reading->live.credentials = reading->rights.files;
	reading->live.keep = !verb->shows_each;
	reading->live.await_ns = request->source_count > 1 ? AWAIT_NS : 0;
	reading->live.is_stopped = interrupt_seen;
	request->follow |= reading->is_live;
	request->open = open_one;
	request->open_ctx = reading;
	request->is_stopped = interrupt_seen;
	request->columns = request->follow ? &reading->columns : NULL;
	request->time = request->follow ? &reading->time : NULL;
	return 0;
}

int reading_parse(const struct reading_verb *verb, void *settings, struct reading *reading,
		  struct options *opts, struct diag *diag)
{
	const char *arg;
	int id, err;

	while ((err = verb_next(verb->spec, opts, &id, &arg, diag)) > 0) {
		if (take_option(verb, settings, reading, id, arg, diag))
			return -EINVAL;
	}
	err = err ?: take_operands(verb, settings, reading, opts, diag);
	err = err ?: settle_live(verb, reading, diag);
	return err || !verb->settle ? err : verb->settle(settings, reading, diag);
}

void reading_init(struct reading *reading, const struct verb_spec *spec)
{
	*reading = (struct reading){.spec = spec};
	select_init(&reading->request.select);
	output_init(&reading->out, STDOUT_FILENO, isatty(STDOUT_FILENO));
}

void reading_fini(struct reading *reading)
{
	read_session_free(reading->session);
	field_choice_fini(&reading->request.fields);
	select_fini(&reading->request.select);
	columns_fini(&reading->columns);
	output_fini(&reading->out);
}

int reading_parse_jobs(const char *arg, struct reading *reading, struct diag *diag)
{
	uint64_t jobs = 0;
	int err = select_parse_limit("--jobs", arg, &jobs, diag);

	if (!err)
		reading->request.jobs = jobs < UINT32_MAX ? (unsigned int)jobs : UINT32_MAX;
	return err;
}

int reading_parse_rows(const char *arg, size_t *ret, struct diag *diag)
{
	uint64_t rows = 0;
	int err = 0;

	if (arg[0] != '0' || arg[1])
		err = select_parse_limit("--rows", arg, &rows, diag);
	if (!err)
		*ret = (size_t)rows;
	return err;
}
