/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slices: a reading by several threads. The trace is cut into slices of time; each thread has a source
 * and a sink of its own, which it leads from one slice to the next free one.
 *
 * What comes out is what one thread would have written, so it is only for sinks that show or count each
 * event by itself. What earlier events teach, every thread learns.
 */
#ifndef SONDE_CLI_SLICES_H
#define SONDE_CLI_SLICES_H

#include <stdbool.h>

struct event_sink;
struct reading;
struct reading_verb;

/* Whether the rest of @reading can be read so, and is large enough for it to pay. */
bool slices_can(const struct reading_verb *verb, const void *settings,
		const struct reading *reading, const struct event_sink *sink);
/*
 * The rest of @reading, of which some events have been passed to @sink already. 0 or -errno, and
 * in *@side which side failed. -ESTALE: it has to be read again, by one thread. The other readings
 * stay, in @reading, until it is closed.
 */
int slices_run(const struct reading_verb *verb, void *settings, struct reading *reading,
	       struct event_sink *sink, const char **side);

#endif /* SONDE_CLI_SLICES_H */
