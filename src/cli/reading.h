/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading: what the verbs that read a SOURCE share: opening it, choosing events, the loop from
 * source to sink, Ctrl-C, and telling at the end what was wrong with the input.
 */
#ifndef SONDE_CLI_READING_H
#define SONDE_CLI_READING_H

#include <stdbool.h>

#include "base/options.h"
#include "cli/reading_options.h"
#include "schema/source.h"
#include "view/field_choice.h"
#include "view/output.h"
#include "view/select.h"
#include "view/sieve.h"
#include "view/view.h"
#include "view/where.h"

struct diag;
struct verb_spec;

struct reading {
	const struct verb_spec *spec;
	const char *name; /* of the SOURCE */
	char **sources; /* of a verb that takes several: all of them */
	int source_count;
	const char *out_name; /* where the sink writes, for messages; NULL: the output */
	struct event_source *source;
	struct select select;
	struct field_choice fields;
	const char *where_text; /* of --where; NULL = none */
	struct where where;
	struct sieve sieve;
	struct output out;
	struct view view;
	bool follow;
	int64_t given_ns; /* the last event that was given to the sink or learnt from */
	int64_t again_ns; /* all up to here was given before the trace was opened again */
	unsigned int jobs; /* threads; 0 = as many as there are CPUs */
	/* Of a reading by several threads: */
	struct gate_part *part; /* where the output goes; NULL = straight out */
	struct reading *others; /* those of the other threads */
	size_t other_count;
	bool disorder; /* an event came that is earlier than the one before */
};

/* What one verb adds to all that. */
struct reading_verb {
	const struct verb_spec *spec;
	/* One option of the verb's own: 0 or -EINVAL. @settings is the verb's. */
	int (*take_option)(void *settings, struct reading *reading, int id, const char *arg,
			   struct diag *diag);
	bool many; /* each operand is a SOURCE, all are read as one */
	/* One operand besides the SOURCE: 0 or -EINVAL. NULL = there are none. */
	int (*take_operand)(void *settings, const char *arg, struct diag *diag);
	/* Whether it would be taken: the first that would not is the SOURCE. NULL = the first is. */
	bool (*knows_operand)(const char *arg);
	/* Once all options and operands are taken: 0 or -EINVAL. NULL = nothing to check. */
	int (*settle)(void *settings, struct reading *reading, struct diag *diag);
	/* Where the events go; NULL with the diag, which says that there is no memory unless told. */
	struct event_sink *(*make_sink)(void *settings, struct reading *reading, struct diag *diag);
	/* It writes as it reads: what has been shown is not shown again when a trace that is followed
	 * has to be opened again, for new classes of events. Others begin anew then. */
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

/* Whether Ctrl-C has ended the reading. */
bool reading_interrupted(void);

/* From source to sink until either ends, or the time that was sought: 0 or -errno; @side tells which
 * of them failed. */
int reading_pump(struct reading *reading, struct event_sink *sink, const char **side);
/* Only events from @from_ns to @to_ns are shown from here on; earlier ones are still learnt from. 0
 * or -ENOMEM. */
int reading_seek(struct reading *reading, int64_t from_ns, int64_t to_ns);
/* A second reading of what @first reads, with the same selection, for another thread. An enum
 * exit_status; it is closed with @first in both cases. */
int reading_open_again(struct reading *reading, const struct reading *first);
/* The verb's sink, for a reading that is open; NULL = no memory, or the diag tells. */
struct event_sink *reading_make_sink(const struct reading_verb *verb, void *settings,
				     struct reading *reading, struct diag *diag);

/* The argument of --jobs: 0 or -EINVAL. */
int reading_parse_jobs(const char *arg, struct reading *reading, struct diag *diag);
/* The argument of --rows: 0 or -EINVAL. */
int reading_parse_rows(const char *arg, size_t *ret, struct diag *diag);

/* The whole of such a verb: parses, opens, passes all events to the sink, tells what was wrong;
 * an enum exit_status. */
int reading_main(const struct reading_verb *verb, void *settings, int argc, char **argv);

#endif /* SONDE_CLI_READING_H */
