/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meter: looks now and then at what the programs of a recording cost, and keeps the account.
 *
 * Timing each run makes it longer, so the kernel does it only in windows, less than 1 % of the time:
 * the first at once, 4 ms long, the next after half a second, then each twice as long and as late, up
 * to 20 ms every 2.5 s. Whenever something is turned on or off, it begins with short ones again.
 */
#ifndef SONDE_RECORD_METER_H
#define SONDE_RECORD_METER_H

#include <stdint.h>

#include "record/cost.h"

struct catalogue;
struct loader;
struct meter;
struct warden;

/* Borrows both until meter_close. -errno: no timer, or no memory. */
int meter_open(const struct catalogue *cat, const struct loader *loader, struct warden *warden,
	       uint32_t cpus, struct meter **ret);
/* NULL is fine. */
void meter_close(struct meter *meter);

/* All is attached: the first window begins. */
void meter_start(struct meter *meter);
/* Readable when there is something to pump. */
int meter_fd(const struct meter *meter);
/* Begins or ends a window. 1 = one has ended, and the account has it; 0, or -errno. */
int meter_pump(struct meter *meter);
/* What runs has changed: a window that is open is thrown away. */
void meter_restart(struct meter *meter);
/* The last look, before all is detached: a window that is open counts as far as it came. */
void meter_finish(struct meter *meter);

/* Borrowed; changes with each pump. What the kernel does not let us see is in .denied. */
struct cost *meter_cost(struct meter *meter);

#endif /* SONDE_RECORD_METER_H */
