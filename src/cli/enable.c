// SPDX-License-Identifier: BSD-2-Clause
/*
 * enable and disable: the same but for the word.
 */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli/asking.h"
#include "record/control.h"

static const struct option_spec options[] = {
	ASKING_RECORDER_OPTION,
	{0},
};

#define NOTES(first)                                                                                      \
	first "A PATTERN is a name, a glob ('tcp.*') or a group (tcp). Any tracepoint of the kernel is\n" \
	      "kernel:GROUP:EVENT. Prints what has changed.\n\n"                                          \
	      "Exit status: 0; 1 error; 2 usage; 4 no such measurement, or no recorder; 5 not\n"          \
	      "permitted, or the kernel lacks all of it."

static const struct verb_spec enable_spec = {
	.name = "enable",
	.synopsis = "[-r RECORDER] PATTERN...",
	.summary = "Turn measurements of a running recorder on.",
	.notes = NOTES("Also what was not chosen when it was started. "),
	.examples = "sonde enable tcp.ack\nsonde enable -r web sched 'sys.*'",
	.options = options,
	.operand = "@measurements",
};

static const struct verb_spec disable_spec = {
	.name = "disable",
	.synopsis = "[-r RECORDER] PATTERN...",
	.summary = "Turn measurements of a running recorder off: detached, at no cost.",
	.notes = NOTES(""),
	.examples = "sonde disable sched\nsonde disable -r web 'sys.*'",
	.options = options,
	.operand = "@measurements",
};

/* "enable tcp.ack sched"; false where it does not fit into a line, or a word has a blank. */
static bool format_request(const char *verb, char **patterns, char line[CONTROL_LINE_MAX])
{
	int len = snprintf(line, CONTROL_LINE_MAX, "%s", verb);

	for (; *patterns; patterns++) {
		if (!**patterns || strpbrk(*patterns, " \n"))
			return false;
		len += snprintf(line + len, (size_t)(CONTROL_LINE_MAX - len), " %s", *patterns);
		if (len >= CONTROL_LINE_MAX - 1)
			return false;
	}
	return true;
}

static int say_changes(const struct asking *ask)
{
	const char *state = ask->spec == &enable_spec ? "on" : "off";
	bool some = false, refused = false;
	char text[400];

	for (size_t i = 0; asking_text(ask, "changed", i, text, sizeof(text)); i++) {
		printf("%-17s %s\n", text, state);
		some = true;
	}
	for (size_t i = 0; asking_text(ask, "unchanged", i, text, sizeof(text)); i++) {
		printf("%-17s %s already\n", text, state);
		some = true;
	}
	for (size_t i = 0; asking_text(ask, "unavailable", i, text, sizeof(text)); i++) {
		fprintf(stderr, "sonde %s: unavailable: %s\n", ask->spec->name, text);
		refused = true;
	}
	return refused && !some ? STATUS_NOT_PERMITTED : STATUS_COMPLETE;
}

static int switch_them(struct asking *ask, char **patterns)
{
	char line[CONTROL_LINE_MAX];
	struct diag diag = {0};
	int status;

	if (!format_request(ask->spec->name, patterns, line)) {
		diag_set(&diag, 0, "a pattern has a blank, or is empty, or they are too long");
		return verb_fail(ask->spec, STATUS_USAGE, &diag);
	}
	status = asking_ask(ask, 0, line, ASKING_PATIENCE_MS);
	return status < 0 ? say_changes(ask) : status;
}

static int run_enable(int argc, char **argv)
{
	return asking_run(&enable_spec, argc, argv, RECORDER_LIST_RECORDERS, true, switch_them);
}

static int run_disable(int argc, char **argv)
{
	return asking_run(&disable_spec, argc, argv, RECORDER_LIST_RECORDERS, true, switch_them);
}

const struct verb verb_enable = {&enable_spec, run_enable};
const struct verb verb_disable = {&disable_spec, run_disable};
