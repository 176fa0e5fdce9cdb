/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_verdict: the messages at the end of a reading, and its exit status: which parts of the
 * sources could not be read, losses while recording, that no event matches, that Ctrl-C left a part unread.
 */
#ifndef SONDE_CLI_READING_VERDICT_H
#define SONDE_CLI_READING_VERDICT_H

struct reading;
struct reading_verb;

/* An enum exit_status. @err: the result of the reading, 0 or -errno, and @side which side failed. The
 * sink is finished, the source still open. */
int reading_verdict_tell(const struct reading_verb *verb, void *settings,
			 const struct reading *reading, int err, const char *side);

/* Reports problems that have come since the last report. */
void reading_verdict_tell_new(struct reading *reading);

#endif /* SONDE_CLI_READING_VERDICT_H */
