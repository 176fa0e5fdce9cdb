/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_verdict: what is said at the end of a reading, and its exit status: what the sources could not
 * read, what was lost while recording, that no event matches, that Ctrl-C left a part of it.
 */
#ifndef SONDE_CLI_READING_VERDICT_H
#define SONDE_CLI_READING_VERDICT_H

struct reading;
struct reading_verb;

/* An enum exit_status. @err: what has ended the reading, 0 or -errno, and @side whose fault that was. The
 * sink is finished, the source still open. */
int reading_verdict_tell(const struct reading_verb *verb, void *settings,
			 const struct reading *reading, int err, const char *side);

/* Problems that have come since they were told last. */
void reading_verdict_tell_new(struct reading *reading);

#endif /* SONDE_CLI_READING_VERDICT_H */
