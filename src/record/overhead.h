/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overhead: what a recording costs, sampled (meter.h), noted in its trace, and held to its budget
 * (budget.h). The recording does the switching.
 */
#ifndef SONDE_RECORD_OVERHEAD_H
#define SONDE_RECORD_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "record/budget.h"

struct catalogue;
struct cost;
struct diag;
struct loader;
struct notes;
struct overhead;
struct warden;

/* Borrows both until overhead_close. @limit: of the budget; 0 = none. -EPERM: a limit is set, and
 * the cost of programs cannot be read. */
int overhead_open(const struct catalogue *cat, const struct loader *loader, struct warden *warden,
		  uint32_t cpus, double limit, struct overhead **ret, struct diag *diag);
/* NULL is fine. */
void overhead_close(struct overhead *overhead);

/* All is attached. */
void overhead_start(struct overhead *overhead);
/* Readable when there is something to pump. */
int overhead_fd(const struct overhead *overhead);
/*
 * Looks, and once a minute notes. BUDGET_OFF and BUDGET_ON: the measurements to turn off or on are
 * set in *@which, by class.index; borrowed until the next call. -errno of noting.
 */
int overhead_pump(struct overhead *overhead, struct notes *notes, enum budget_verdict *verdict,
		  const bool **which);
/* What runs changes, or has changed: the look that is under way is given up. */
void overhead_restart(struct overhead *overhead);
/* Somebody else decides on @which from now on. */
void overhead_release(struct overhead *overhead, const bool *which);
/* The last look, before all is detached. Notes it. */
int overhead_finish(struct overhead *overhead, struct notes *notes);

/* The account; its rows may be sorted. */
struct cost *overhead_cost(struct overhead *overhead);
/* NULL without one. */
const struct budget *overhead_budget(const struct overhead *overhead);

#endif /* SONDE_RECORD_OVERHEAD_H */
