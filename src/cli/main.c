// SPDX-License-Identifier: BSD-2-Clause
/*
 * main: the tables of verbs and of classic tools. `sonde VERB ...` runs one, and so does a classic
 * tool's own name; what is left here is help, completion and the version.
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

/* In the order in which the usage shows them. */
static const struct verb *const verbs[] = {
	&verb_list,	      &verb_doctor,   &verb_record,	&verb_status, &verb_enable,
	&verb_disable,	      &verb_snapshot, &verb_stop,	&verb_print,  &verb_stats,
	&verb_report,	      &verb_graph,    &verb_convert,	&verb_serve,  &verb_sessions,
	&verb_rxdebug_modern, &verb_help,     &verb_completion,
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

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_COUNT(verbs); i++) {
		if (strcmp(verbs[i]->spec->name, name) == 0)
			return verbs[i];
	}
	return find_classic(name);
}

static int fail_unknown_verb(const char *name)
{
	struct nearest near;
	size_t i;

	nearest_init(&near, name);
	for (i = 0; i < ARRAY_COUNT(verbs); i++)
		nearest_offer(&near, verbs[i]->spec->name);
	for (i = 0; classics[i]; i++)
		nearest_offer(&near, classics[i]->spec->name);
	if (near.name)
		verb_note("sonde: unknown verb '%s': did you mean '%s'?", name, near.name);
	else
		verb_note("sonde: unknown verb '%s'; try 'sonde help'", name);
	return STATUS_USAGE;
}

static void print_classics(FILE *file)
{
	fputs(classics[0] ? "\nClassic tools, by their own names or as verbs:\n" : "", file);
	for (size_t i = 0; classics[i]; i++)
		fprintf(file, "  %-15s%s\n", classics[i]->spec->name, classics[i]->spec->summary);
}

static void print_usage(FILE *file)
{
	size_t i;

	fputs("Usage: sonde VERB [OPTIONS]\n\n"
	      "A flight recorder for a Linux host: records what the kernel does, and reads it.\n\n",
	      file);
	for (i = 0; i < ARRAY_COUNT(verbs); i++)
		fprintf(file, "  %-12s%s\n", verbs[i]->spec->name, verbs[i]->spec->summary);
	print_classics(file);
	fputs("\n"
	      "To begin:\n"
	      "  sonde list                             what can be measured here\n"
	      "  sonde record -e 'tcp.*' -d 10s -o T    ten seconds of TCP into the trace T\n"
	      "  sonde print T                          its events\n"
	      "  sonde stats T                          its totals\n"
	      "  sonde report T                         how long calls took, how long tasks waited\n"
	      "\n"
	      "'sonde help VERB' tells more of each.\n",
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
	const struct verb_spec *specs[ARRAY_COUNT(verbs)];
	struct diag diag = {0};
	struct buffer out;
	char **rest;
	int status, err;
	size_t i;

	rest = parse_operands(&completion_spec, argc, argv, 1, &status);
	if (!rest)
		return status;
	for (i = 0; i < ARRAY_COUNT(verbs); i++)
		specs[i] = verbs[i]->spec;
	buffer_init(&out);
	err = options_completion(specs, ARRAY_COUNT(specs), rest[0] ?: "", &out);
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
