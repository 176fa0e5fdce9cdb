// SPDX-License-Identifier: BSD-2-Clause
/*
 * main: the tables of verbs and of classic tools. `sonde VERB ...` runs one, and so does a classic
 * tool's own name; this file has help, completion and the version.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/nearest.h"
#include "cli/verb.h"

#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define USAGE_COLUMNS 80u
#define USAGE_TEXT_COLUMN 27
#define VERBS_MAX 32u

static int run_help(int argc, char **argv);
static int run_completion(int argc, char **argv);

static const struct verb_spec help_spec = {
	.name = "help",
	.synopsis = "[VERB]",
	.summary = "Show what a verb does and which options it takes.",
};

static const struct verb_spec completion_spec = {
	.name = "completion",
	.synopsis = "bash|zsh|fish",
	.summary = "Print the completion script for a shell.",
	.examples = "source <(sonde completion bash)",
	.operand = "bash zsh fish",
};

static const struct verb verb_help = {&help_spec, run_help};
static const struct verb verb_completion = {&completion_spec, run_completion};

/* A line of the usage: verbs that belong together. */
struct usage_line {
	const char *task; /* what people want to do, where it differs from the line before */
	const char *text; /* what the verbs show, or do */
	const struct verb *verbs[4]; /* NULL behind the last */
};

/* With its head and its end it fits a terminal of 24 lines. */
static const struct usage_line usage_lines[] = {
	{"Look", "what can be measured here, by which hook, or why not", {&verb_list}},
	{NULL, "what this machine permits, or why not; versions", {&verb_doctor, &verb_version}},
	{"Record", "records what the kernel does, into a trace", {&verb_record}},
	{NULL, "your running recorders and relays", {&verb_status}},
	{NULL, "turn measurements of a recorder on and off", {&verb_enable, &verb_disable}},
	{NULL, "has a flight recorder write what it holds in memory", {&verb_snapshot}},
	{NULL, "ends a recorder, and waits for its trace", {&verb_stop}},
	{"Read", "the events of a trace, as text, JSON or CSV", {&verb_print}},
	{NULL, "totals: rates, losses, top tasks, calls, connections", {&verb_stats}},
	{NULL, "times of calls, waits, disks, connections, packets", {&verb_report}},
	{NULL, "numbers over time: SVG, PNG, PDF, or in the terminal", {&verb_graph}},
	{NULL, "some of a trace, several as one, other formats", {&verb_convert}},
	{"Network", "shows traces to live viewers, and stores what is sent", {&verb_serve}},
	{NULL, "the live sessions that a relay has", {&verb_sessions}},
	{NULL, "calls, connections, peers of AFS servers and clients", {&verb_rxdebug_modern}},
	{"Help", "of a verb; for your shell", {&verb_help, &verb_completion}},
};

/* Tools that others made popular, with their options: called by their names, or as verbs. */
static const struct verb *const classics[] = {
	&verb_pscmonitor,   &verb_pmgraph,	&verb_mkmagnet, &verb_magnet_read,
	&verb_magnet_parse, &verb_msmod,	&verb_iscan,	&verb_translate,
	&verb_rxdebug,	    &verb_lttng_relayd, NULL,
};

static const struct verb *find_classic(const char *name)
{
	for (size_t i = 0; classics[i]; i++) {
		if (strcmp(classics[i]->spec->name, name) == 0)
			return classics[i];
	}
	return NULL;
}

/* The @i-th verb, in the order of the usage; NULL behind the last. */
static const struct verb *verb_at(size_t i)
{
	for (size_t line = 0; line < ARRAY_COUNT(usage_lines); line++) {
		for (const struct verb *const *verb = usage_lines[line].verbs; *verb; verb++) {
			if (!i--)
				return *verb;
		}
	}
	return NULL;
}

static const struct verb *find_verb(const char *name)
{
	const struct verb *verb;

	for (size_t i = 0; (verb = verb_at(i)); i++) {
		if (strcmp(verb->spec->name, name) == 0)
			return verb;
	}
	return find_classic(name);
}

static int fail_unknown_verb(const char *name)
{
	const struct verb *verb;
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; (verb = verb_at(i)); i++)
		nearest_offer(&near, verb->spec->name);
	for (size_t i = 0; classics[i]; i++)
		nearest_offer(&near, classics[i]->spec->name);
	if (near.name)
		verb_note("sonde: unknown verb '%s': did you mean '%s'?", name, near.name);
	else
		verb_note("sonde: unknown verb '%s'; try 'sonde help'", name);
	return STATUS_USAGE;
}

static void print_line(const struct usage_line *line, FILE *file)
{
	int column = fprintf(file, "%-9s", line->task ?: "");

	for (size_t i = 0; line->verbs[i]; i++)
		column += fprintf(file, i ? ", %s" : "%s", line->verbs[i]->spec->name);
	fprintf(file, "%*s%s\n", USAGE_TEXT_COLUMN - column, "", line->text);
}

static void print_classics(FILE *file)
{
	size_t column = 0;

	for (size_t i = 0; classics[i]; i++) {
		const char *name = classics[i]->spec->name;

		if (!i || column + strlen(name) + 1 > USAGE_COLUMNS)
			column = (size_t)fprintf(file, i ? "\n        " : "Classics");
		column += (size_t)fprintf(file, " %s", name);
	}
	fputc('\n', file);
}

static void print_usage(FILE *file)
{
	fputs("Usage: sonde VERB [OPTIONS]             'sonde help VERB' explains each verb.\n"
	      "A flight recorder for a Linux host: records what the kernel does, and reads it.\n\n",
	      file);
	for (size_t i = 0; i < ARRAY_COUNT(usage_lines); i++)
		print_line(&usage_lines[i], file);
	print_classics(file);
	fputs("\n"
	      "Ten seconds of TCP into the trace T:  sonde record -e 'tcp.*' -d 10s -o T\n"
	      "Each connection of it:                sonde report T tcp\n",
	      file);
}

static int print_version(void)
{
	puts("sonde " SONDE_VERSION);
	return STATUS_COMPLETE;
}

/* Operands of a verb without options of its own, or a status of enum exit_status in @status. */
static char **parse_operands(const struct verb_spec *spec, int argc, char **argv, int most,
			     int *status)
{
	struct diag diag = {0};
	const char *arg;
	char **rest = NULL;
	struct options *opts;
	int count, id, err;

	opts = verb_options(spec, argc, argv);
	if (!opts) {
		*status = STATUS_ERROR;
		return NULL;
	}
	err = options_next(opts, &id, &arg, &diag);
	if (!err) {
		rest = options_rest(opts, &count);
		if (count > most) {
			err = diag_set(&diag, -EINVAL, "unexpected operand '%s'", rest[most]);
			rest = NULL;
		}
	}
	if (err)
		*status = verb_usage(spec, err, &diag);
	options_free(opts);
	return rest;
}

static int run_help(int argc, char **argv)
{
	const struct verb *verb;
	char **rest;
	int status;

	rest = parse_operands(&help_spec, argc, argv, 1, &status);
	if (!rest)
		return status;
	if (!rest[0]) {
		print_usage(stdout);
		return STATUS_COMPLETE;
	}
	verb = find_verb(rest[0]);
	if (!verb)
		return fail_unknown_verb(rest[0]);
	if (verb->spec->classic)
		return verb->run(2, (char *[]){rest[0], "-h", NULL});
	return verb_usage(verb->spec, -ECANCELED, NULL);
}

static int run_completion(int argc, char **argv)
{
	const struct verb_spec *specs[VERBS_MAX];
	const struct verb *verb;
	struct diag diag = {0};
	struct buffer out;
	char **rest;
	int status, err;
	size_t i;

	rest = parse_operands(&completion_spec, argc, argv, 1, &status);
	if (!rest)
		return status;
	for (i = 0; i < VERBS_MAX && (verb = verb_at(i)); i++)
		specs[i] = verb->spec;
	buffer_init(&out);
	err = options_completion(specs, i, rest[0] ?: "", &out);
	if (err) {
		diag_set(&diag, err, "name a shell: bash, zsh or fish");
		status = verb_usage(&completion_spec, err, &diag);
	} else {
		status = verb_put(&completion_spec, &out, STATUS_COMPLETE);
	}
	buffer_fini(&out);
	return status;
}

/* Where one of them is closed, a file of ours would take its number, and what is said would go into
 * the trace. */
static void open_standard_files(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", O_RDWR);
	}
}

static int run(int argc, char **argv)
{
	const char *own_name = argc ? strrchr(argv[0], '/') : NULL;
	const struct verb *verb;

	verb = argc ? find_classic(own_name ? own_name + 1 : argv[0]) : NULL;
	if (verb)
		return verb->run(argc, argv);
	if (argc < 2) {
		print_usage(stdout);
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return STATUS_COMPLETE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
		return print_version();
	verb = find_verb(argv[1]);
	if (!verb)
		return fail_unknown_verb(argv[1]);
	return verb->run(argc - 1, argv + 1);
}

/* What was printed may still wait, and a full disk shows only now. */
static int close_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "sonde: output: %s\n", strerror(errno));
	return STATUS_ERROR;
}

/* A file size limit (ulimit -f) is then an error of write(2), EFBIG, like a full disk, and no sudden death. A
 * handler, for a command that is started would inherit that a signal is ignored. */
static void take_file_limit(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	(void)signal(SIGXFSZ, take_file_limit);
	open_standard_files();
	return close_output(run(argc, argv));
}
