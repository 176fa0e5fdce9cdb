/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reading_pump: events of a reading that is open, from its source to a sink: those that were chosen; from
 * the others it learns.
 */
#ifndef SONDE_CLI_READING_PUMP_H
#define SONDE_CLI_READING_PUMP_H

#include <stdint.h>

struct event_sink;
struct reading;

/* The first events, until the requested times are known in ns: 1, 0 = no more events,
 * or -errno; @side says which side failed, the source or the output. */
int reading_pump_start(struct reading *reading, struct event_sink *sink, const char **side);
/* Until either ends, or the time that was sought: 0 or -errno, and @side. -ESTALE: a trace that
 * is followed has new classes. */
int reading_pump(struct reading *reading, struct event_sink *sink, const char **side);
/* Only events from @from_ns to @to_ns are shown from here on; earlier ones are still learnt from. 0
 * or -ENOMEM. */
int reading_pump_seek(struct reading *reading, int64_t from_ns, int64_t to_ns);

#endif /* SONDE_CLI_READING_PUMP_H */
