/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_options: the command line of a verb that reads a SOURCE, and what it asks for: the options by which all of
 * them choose events, in one table, so that none lacks one; and the verb's own.
 */
#ifndef SONDE_CLI_READING_OPTIONS_H
#define SONDE_CLI_READING_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "base/options.h"
#include "cli/rights_options.h"
#include "live/viewer/viewer_source.h"
#include "output/columns.h"
#include "output/time_text.h"
#include "output/view.h"
#include "source/read_session.h"

struct diag;
struct verb_spec;

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

/* A verb's command line, and the session that reads what it names. */
struct reading {
	const struct verb_spec *spec;
	struct read_request request;
	struct read_session *session; /* NULL until the options are taken */
	struct output out;
	struct columns columns; /* of a table, when a trace that is followed is opened again */
	struct time_text time; /* of text, likewise */
	const char *out_name; /* where the sink writes, for messages; NULL: the output */
	const char *makes; /* file or directory that the verb makes; NULL = none */
	bool starts_programs; /* it does at the end, and keeps its privileges for that */
	uint64_t capabilities; /* that writing takes: 1ull << CAP_X */
	bool strict; /* what breaks the standard of the format is an error */
	bool is_live; /* one of the sources is a session at a relay */
	struct rights_request rights; /* shown to the relay */
	struct viewer_options live;
	size_t problems_told; /* of what is live, at once */
	size_t missing_columns; /* of later fields: so many were reported */
};

/* What one verb adds to all that. */
struct reading_verb {
	const struct verb_spec *spec;
	/* One option of the verb's own: 0 or -EINVAL. @settings is the verb's. */
	int (*take_option)(void *settings, struct reading *reading, int id, const char *arg,
			   struct diag *diag);
	/* Whether it takes a shared option itself, where that is an old spelling of one of its own. NULL = never. */
	bool (*claims)(int id, const char *arg);
	bool many; /* of several SOURCEs, all are read as one */
	bool reads_input; /* without a SOURCE it is standard input */
	/* One operand besides the SOURCEs: 0 or -EINVAL. NULL = none are taken. */
	int (*take_operand)(void *settings, const char *arg, struct diag *diag);
	/* Whether it would be taken: those that would not are SOURCEs. NULL = the first is. */
	bool (*knows_operand)(const char *arg);
	/* Once all options and operands are taken: 0 or -EINVAL. NULL = nothing to check. */
	int (*settle)(void *settings, struct reading *reading, struct diag *diag);
	/* Once the SOURCE is open: 0, -ENOENT where what was asked for is not in it (STATUS_NO_MATCH), another -errno
	 * where its data do not allow it (STATUS_ERROR). NULL = nothing to check. */
	int (*check)(void *settings, const struct read_session *session, struct diag *diag);
	/* Where the events go; NULL with the diag, which by default reports missing memory. A thread that helps has
	 * a session of its own. */
	struct event_sink *(*make_sink)(void *settings, struct read_session *session,
					struct diag *diag);
	/* It writes as it reads: events that were shown are not shown again when a trace that is followed
	 * has to be opened again, for new classes of events. Others start again then. */
	bool shows_each;
	/* Whether each event is shown or counted by itself, whatever came before it, so that several
	 * threads can share the work (source/slices). NULL: never. */
	bool (*can_slice)(const void *settings, const struct event_sink *sink);
	/* As slice_sinks.add. */
	bool (*add)(struct event_sink *into, const struct event_sink *from);
	/* At the end, where the reading itself went well and the sink is finished: what the verb
	 * makes of it, an enum exit_status. NULL = nothing. */
	int (*conclude)(void *settings, const struct reading *reading);
};

void reading_init(struct reading *reading, const struct verb_spec *spec);
void reading_fini(struct reading *reading);
/* All options and operands: 0 or -EINVAL. @opts, and what it was made of, stay until reading_fini. */
int reading_parse(const struct reading_verb *verb, void *settings, struct reading *reading,
		  struct options *opts, struct diag *diag);
/* The argument of --jobs: 0 or -EINVAL. */
int reading_parse_jobs(const char *arg, struct reading *reading, struct diag *diag);
/* The argument of --rows: 0 or -EINVAL. */
int reading_parse_rows(const char *arg, size_t *ret, struct diag *diag);

#endif /* SONDE_CLI_READING_OPTIONS_H */
