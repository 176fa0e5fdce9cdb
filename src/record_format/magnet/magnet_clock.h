/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_clock: what the timestamps of a MAGNeT file mean: MAGNET_SYSINFO has a clock's rate, and
 * the wall time at a timestamp of it.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_CLOCK_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_CLOCK_H

#include <stdint.h>

struct magnet_head;

struct magnet_clock {
	uint64_t start; /* timestamp at which the wall time was ... */
	int64_t wall_ns; /* ... this, since the epoch */
	uint64_t rate_hz; /* never 0 */
};

/* From a record of MAGNET_SYSINFO. @rate_hz: replaces the record's rate, 0 = does not.
 * -EBADMSG: its rate is not valid; the clock is taken as 1 GHz then. */
int magnet_clock_take(struct magnet_clock *clock, const struct magnet_head *sysinfo,
		      uint64_t rate_hz);
/* Ours, for a file whose first record is at @first_ns: a whole second before it; and the record that
 * describes it. */
void magnet_clock_make(struct magnet_clock *clock, int64_t first_ns, struct magnet_head *sysinfo);

/* Since the epoch; times that 64 bits cannot hold are the nearest that they can. */
int64_t magnet_clock_ns(const struct magnet_clock *clock, uint64_t timestamp);
/* The first timestamp that is at @ns or later; never 0, which means "no time". */
uint64_t magnet_clock_ticks(const struct magnet_clock *clock, int64_t ns);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_CLOCK_H */
