/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_open: a reading from its SOURCE to the view of it, and back. Who fails here has said why.
 *
 * Of one reading, cli/reading opens the first, and again when a trace that is followed has new classes;
 * each thread of cli/slices opens one more of the same.
 */
#ifndef SONDE_CLI_READING_OPEN_H
#define SONDE_CLI_READING_OPEN_H

#include <stdbool.h>

struct diag;
struct event_sink;
struct reading;
struct reading_verb;
struct verb_spec;

void reading_init(struct reading *reading, const struct verb_spec *spec);
/* Also closes it. */
void reading_fini(struct reading *reading);

/* An enum exit_status. @continued: another reading of the same shows what comes first, and has said what
 * is wrong. */
int reading_open(struct reading *reading, bool continued);
/* All that hangs on the source, the readings of other threads too; it may be opened again. */
void reading_close(struct reading *reading);
/* Has the source go on with more classes (source_ops.renew); reading_open is next. An enum exit_status. */
int reading_renew(struct reading *reading, bool again);
/* A second reading of what @first reads, with the same selection, for another thread. An enum
 * exit_status; it is closed with @first in both cases. */
int reading_open_again(struct reading *reading, const struct reading *first);
/* The verb's sink, for a reading that is open; NULL = no memory, or as the diag says. */
struct event_sink *reading_make_sink(const struct reading_verb *verb, void *settings,
				     struct reading *reading, struct diag *diag);

#endif /* SONDE_CLI_READING_OPEN_H */
