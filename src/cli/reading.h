/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading: what the verbs that read a SOURCE share: opening it, choosing events, the loop from
 * source to sink, Ctrl-C, and telling at the end what was wrong with the input.
 */
#ifndef SONDE_CLI_READING_H
#define SONDE_CLI_READING_H

#include "base/options.h"
#include "schema/source.h"
#include "view/output.h"
#include "view/select.h"
#include "view/view.h"

struct diag;
struct verb_spec;

/* Options that choose events, and their help; a verb's own ids start at READING_OPTION_END. */
enum reading_option {
	READING_EVENT = 'e',
	READING_FROM = 256,
	READING_TO,
	READING_OPTION_END,
};
#define READING_EVENT_TEXT                                                                        \
	"only events that match: a glob over names, or a group (tcp means tcp.*); several, or a " \
	"list with commas, add up"
#define READING_FROM_TEXT                                                                  \
	"only events from TIME on: +SECONDS after the first event, HH:MM:SS (local time)," \
	" YYYY-MM-DDTHH:MM:SS, or ns since 1970"
#define READING_TO_TEXT "only events up to TIME"

struct reading {
	const struct verb_spec *spec;
	const char *name; /* of the SOURCE */
	struct event_source *source;
	struct select select;
	struct output out;
	struct view view;
};

void reading_init(struct reading *reading, const struct verb_spec *spec);
/* Releases everything, also of a reading that was not opened. */
void reading_fini(struct reading *reading);

/* 1 = it was one of enum reading_option, 0 = it was not, -EINVAL = its argument is no good. */
int reading_take_option(struct reading *reading, int id, const char *arg, struct diag *diag);

/* Takes the SOURCE from the operands: -EINVAL unless there is exactly one. */
int reading_take_operand(struct reading *reading, struct options *opts, struct diag *diag);

/*
 * Opens the source and chooses among its classes; then @reading->view is ready for a sink. The
 * sum is an enum exit_status: STATUS_COMPLETE, or what to leave with, the reason being printed.
 */
int reading_open(struct reading *reading);

/* Passes all events to @sink, finishes it, prints the problems: the status to leave with. */
int reading_run(struct reading *reading, struct event_sink *sink);

#endif /* SONDE_CLI_READING_H */
