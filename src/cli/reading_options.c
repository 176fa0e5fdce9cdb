// SPDX-License-Identifier: BSD-2-Clause
#include "cli/reading_options.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cli/reading_state.h"
#include "cli/rights_options.h"

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
		return select_parse_time("--from", arg, &reading->select.from, diag);
	reading->live.now = !strcmp(arg, "now");
	return 0;
}

int reading_take_option(struct reading *reading, int id, const char *arg, struct diag *diag)
{
	struct select *select = &reading->select;

	if (rights_option_is(id))
		return rights_take_option(&reading->rights, id, arg, diag);
	switch (id) {
	case READING_EVENT:
		return select_add_pattern(select, arg, diag);
	case READING_FIELDS:
		return field_choice_add(&reading->fields, arg, diag);
	case READING_CPU:
		return select_parse_cpus(select, arg, diag);
	case READING_FROM:
		return take_from(reading, arg, diag);
	case READING_UNTIL:
		return select_parse_time("--until", arg, &select->to, diag);
	case READING_FOLLOW:
		reading->follow = true;
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
		reading->where_text = arg;
		return 0;
	}
}

int reading_parse_jobs(const char *arg, struct reading *reading, struct diag *diag)
{
	uint64_t jobs = 0;
	int err = select_parse_limit("--jobs", arg, &jobs, diag);

	if (!err)
		reading->jobs = jobs < UINT32_MAX ? (unsigned int)jobs : UINT32_MAX;
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
