/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_verdict: the messages of a reading, and its exit status: why a SOURCE cannot be opened, which parts of
 * it could not be read, losses while recording, that no event matches, that Ctrl-C left a part unread.
 */
#ifndef SONDE_CLI_READING_VERDICT_H
#define SONDE_CLI_READING_VERDICT_H

#include "source/read_session.h"

struct reading;
struct reading_verb;

/* What opening or renewing the session has given: 0 or -errno, with the fault and the diag. An enum exit_status. */
int reading_verdict_open(const struct reading *reading, int err, enum read_fault fault,
			 struct diag *diag);
/* An enum exit_status. @err: the result of the reading, 0 or -errno, and @side which side failed. The
 * sink is finished, the source still open. */
int reading_verdict_tell(const struct reading_verb *verb, void *settings,
			 const struct reading *reading, int err, enum read_side side);

/* Reports problems that have come since the last report. */
void reading_verdict_tell_new(struct reading *reading);

#endif /* SONDE_CLI_READING_VERDICT_H */
