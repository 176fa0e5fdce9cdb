/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_options: the options by which every verb that reads a SOURCE chooses events: one table,
 * which all of them share, so that none lacks one.
 */
#ifndef SONDE_CLI_READING_OPTIONS_H
#define SONDE_CLI_READING_OPTIONS_H

#include <stddef.h>

#include "base/options.h"

struct diag;
struct reading;

/* A verb's own ids start at READING_OPTION_END. */
enum reading_option {
	READING_EVENT = 'e',
	READING_FROM = 256,
	READING_UNTIL,
	READING_TO,
	READING_WHERE,
	READING_CPU,
	READING_FIELDS,
	READING_FOLLOW,
	READING_NO_RECONNECT,
	READING_STRICT,
	READING_OPTION_END,
};

/* For verb_spec.shared. */
extern const struct option_spec reading_options[];

/* What a SOURCE is: the notes of every verb that reads one begin with it. */
#define READING_SOURCE_TEXT                                                                                 \
	"A SOURCE is a trace directory, or one with traces below it, which are read as one; or a file "     \
	"of the PSC kernel monitor (.pm), of MAGNeT (.magnet) or of HP-UX's measurement system (.meas), "   \
	"or a capture of packets (.pcap, .pcapng), of which Rx debug is shown, known by what is in it, "    \
	"whatever it is called; or - for standard input, which takes such a file; or a live session, "      \
	"net://RELAY/host/HOST/SESSION, as sonde sessions lists them. Several become one, in the order of " \
	"time.\n\n"

/* READING_FIELDS, of verbs that write events. */
#define READING_FIELDS_TEXT                                                                         \
	"of the fields only these, in this order: names, globs, a for a.b and a.c; in csv and tsv " \
	"these columns, time, cpu, tid, comm and event among them"
/* Of verbs that can do so; reading_parse_jobs takes it. */
#define READING_JOBS_TEXT                                                                 \
	"read large traces with N threads (the default: as many as there are CPUs); the " \
	"output is the same"
/* Of verbs that write tables; reading_parse_rows takes it. */
#define READING_ROWS_TEXT "rows of each table at most; 0 = all. Default: 10 in tables, all in JSON"

/* One of these options: 0 or -EINVAL. */
int reading_take_option(struct reading *reading, int id, const char *arg, struct diag *diag);
/* The argument of --jobs: 0 or -EINVAL. */
int reading_parse_jobs(const char *arg, struct reading *reading, struct diag *diag);
/* The argument of --rows: 0 or -EINVAL. */
int reading_parse_rows(const char *arg, size_t *ret, struct diag *diag);

#endif /* SONDE_CLI_READING_OPTIONS_H */
