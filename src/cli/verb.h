/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verb: what main.c's tables have of each verb and classic tool, and what every verb's main function shares: exit
 * statuses and the one place that prints errors.
 */
#ifndef SONDE_CLI_VERB_H
#define SONDE_CLI_VERB_H

#include "base/options.h"

struct buffer;
struct diag;

enum exit_status {
	STATUS_COMPLETE = 0,
	STATUS_ERROR = 1,
	STATUS_USAGE = 2,
	STATUS_LOST = 3, /* finished, but events were lost */
	STATUS_NO_MATCH = 4,
	STATUS_NOT_PERMITTED = 5, /* or the kernel lacks it */
	STATUS_PARTIAL =
		6, /* something that was asked for could not be measured; the output says what */
};

struct verb {
	const struct verb_spec *spec;
	int (*run)(int argc, char **argv); /* argv[0] is the verb's name; an enum exit_status */
};

extern const struct verb verb_list;
extern const struct verb verb_doctor;
extern const struct verb verb_version;
extern const struct verb verb_record;
extern const struct verb verb_status;
extern const struct verb verb_enable;
extern const struct verb verb_disable;
extern const struct verb verb_snapshot;
extern const struct verb verb_stop;
extern const struct verb verb_serve;
extern const struct verb verb_rxdebug_modern;
extern const struct verb verb_print;
extern const struct verb verb_stats;
extern const struct verb verb_report;
extern const struct verb verb_graph;
extern const struct verb verb_convert;
extern const struct verb verb_sessions;

/* Classic tools. */
extern const struct verb verb_pscmonitor;
extern const struct verb verb_pmgraph;
extern const struct verb verb_mkmagnet;
extern const struct verb verb_magnet_read;
extern const struct verb verb_magnet_parse;
extern const struct verb verb_msmod;
extern const struct verb verb_iscan;
extern const struct verb verb_translate;
extern const struct verb verb_rxdebug;
extern const struct verb verb_lttng_relayd;

/* --json of verbs that read no SOURCE. It has no letter: -j is --jobs. */
#define VERB_OPTION_JSON 512

/* "sonde VERB: TEXT" on stderr; returns @status. */
int verb_fail(const struct verb_spec *spec, int status, const struct diag *diag);
/* As options_new; NULL, with the error on stderr: STATUS_ERROR. */
struct options *verb_options(const struct verb_spec *spec, int argc, char **argv);
/* A line on stderr that is not an error: names of files, hosts and the like in it cannot command a terminal. */
void verb_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "sonde VERB: TEXT" on stderr, not an error either. @ctx: struct verb_spec. */
void verb_say(void *ctx, const char *text);
/* The same as verb_fail, and below it @text, in which the diag's offset is pointed to. */
int verb_fail_in(const struct verb_spec *spec, int status, const struct diag *diag,
		 const char *text);
/* As options_next; says on stderr where an option was written in an old spelling. */
int verb_next(const struct verb_spec *spec, struct options *opts, int *id, const char **arg,
	      struct diag *diag);
/* Writes @out to stdout: @status, or STATUS_ERROR where that fails, which is said. */
int verb_put(const struct verb_spec *spec, const struct buffer *out, int status);
/* For the end of option parsing: prints the help to stdout (STATUS_COMPLETE) for -ECANCELED, else
 * the diag and where to find help to stderr (STATUS_USAGE). */
int verb_usage(const struct verb_spec *spec, int err, const struct diag *diag);

#endif /* SONDE_CLI_VERB_H */
