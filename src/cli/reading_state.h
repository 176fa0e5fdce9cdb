/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_state: a reading of a SOURCE, from the command line to the exit status, and what one verb adds to it. For the
 * files that it consists of: reading_options (what was asked for), reading_open (source and view), reading_pump (from
 * source to sink), slices (several at a time), reading_verdict (what is said at the end), reading (all of these in turn).
 */
#ifndef SONDE_CLI_READING_STATE_H
#define SONDE_CLI_READING_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/field_choice.h"
#include "analyse/select.h"
#include "analyse/sieve.h"
#include "analyse/where.h"
#include "base/options.h"
#include "base/output.h"
#include "cli/rights_options.h"
#include "live/viewer/viewer_source.h"
#include "output/columns.h"
#include "output/time_text.h"
#include "output/view.h"
#include "schema/source.h"

struct diag;
struct verb_spec;

#define READING_JOBS_MAX 16u /* threads */

struct reading {
	const struct verb_spec *spec;
	const char *name; /* of the SOURCE */
	char **sources; /* all of them; one, unless the verb takes several */
	int source_count;
	const char *makes; /* file or directory that the verb makes; NULL = none */
	bool starts_programs; /* it does at the end, and keeps its privileges for that */
	uint64_t capabilities; /* that writing takes: 1ull << CAP_X */
	const char *out_name; /* where the sink writes, for messages; NULL: the output */
	struct event_source *source;
	struct select select;
	struct field_choice fields;
	const char *where_text; /* of --where; NULL = none */
	struct where where;
	struct sieve sieve;
	struct output out;
	struct view view;
	bool derives; /* the verb shows values that follow from several events, like fields */
	bool own_terms; /* events of other formats are also normalized to Sonde's own classes */
	bool strict; /* what breaks the standard of the format is an error */
	bool follow; /* so is what is live */
	bool is_live; /* one of the sources is a session at a relay */
	struct rights_request rights; /* shown to the relay */
	struct viewer_options live;
	bool renewed; /* it has more classes than it had at first */
	struct task_names *old_names; /* what was learnt before it had; NULL = nothing */
	struct known *old_known;
	struct disk_queues *old_queues;
	struct derive_view *old_derives;
	size_t problems_told; /* of what is live, at once */
	int64_t given_ns; /* the last event that was given to the sink or learnt from */
	struct columns columns; /* of a table, when a trace that is followed is opened again */
	struct time_text time; /* of text, likewise */
	size_t missing_columns; /* of later fields: so many were reported */
	int64_t again_ns; /* all up to here was given before the trace was opened again */
	unsigned int jobs; /* threads; 0 = as many as there are CPUs */
	/* Of a reading by several threads: */
	struct gate_part *part; /* where the output goes; NULL = straight out */
	struct reading *others; /* those of the other threads */
	size_t other_count;
	bool sink_asks; /* the verb's sink asks the expression itself: it has to see all events */
	bool disorder; /* an event came that is earlier than the one before */
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
	/* One operand besides the SOURCEs: 0 or -EINVAL. NULL = none are taken. */
	int (*take_operand)(void *settings, const char *arg, struct diag *diag);
	/* Whether it would be taken: those that would not are SOURCEs. NULL = the first is. */
	bool (*knows_operand)(const char *arg);
	/* Once all options and operands are taken: 0 or -EINVAL. NULL = nothing to check. */
	int (*settle)(void *settings, struct reading *reading, struct diag *diag);
	/* Once the SOURCE is open: 0, -ENOENT where what was asked for is not in it (STATUS_NO_MATCH), another -errno
	 * where its data do not allow it (STATUS_ERROR). NULL = nothing to check. */
	int (*check)(void *settings, struct reading *reading, struct diag *diag);
	/* Where the events go; NULL with the diag, which by default reports missing memory. */
	struct event_sink *(*make_sink)(void *settings, struct reading *reading, struct diag *diag);
	/* It writes as it reads: events that were shown are not shown again when a trace that is followed
	 * has to be opened again, for new classes of events. Others start again then. */
	bool shows_each;
	/* Whether each event is shown or counted by itself, whatever came before it, so that several
	 * threads can share the work (cli/slices). NULL: never. */
	bool (*can_slice)(const void *settings, const struct event_sink *sink);
	/* Adds what @from has counted; false: that cannot be done exactly. NULL: the sink counts
	 * nothing, it writes. */
	bool (*add)(struct event_sink *into, const struct event_sink *from);
	/* At the end, where the reading itself went well and the sink is finished: what the verb
	 * makes of it, an enum exit_status. NULL = nothing. */
	int (*conclude)(void *settings, const struct reading *reading);
};

#endif /* SONDE_CLI_READING_STATE_H */
