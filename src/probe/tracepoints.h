/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracepoints: the kernel's own tracepoints as measurements, kernel:GROUP:EVENT. There are some two
 * thousand, so only requested ones get into a catalogue: the patterns that begin with
 * "kernel:", or the group "kernel", ask for them; no other pattern does.
 */
#ifndef SONDE_PROBE_TRACEPOINTS_H
#define SONDE_PROBE_TRACEPOINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/catalogue.h"

struct diag;

bool tracepoints_are_asked_for(const char *pattern);

/*
 * Adds what @pattern matches and @cat lacks; where it asks for none, nothing. One whose description
 * is not understood is added too, unavailable. -E2BIG: more than TRACEPOINT_MAX, then none is added;
 * -ENODEV, -EACCES: as tracefs_open.
 */
int tracepoints_add(struct catalogue *cat, const char *pattern, struct diag *diag);

/* Borrows @m for the call. Anything but 0 ends the visit and is its result. */
typedef int (*tracepoints_visitor)(void *ctx, const struct measurement *m);

/* Shows all that match one of @patterns, one by one and without any limit. */
int tracepoints_visit(const struct catalogue *cat, char *const *patterns, size_t count,
		      tracepoints_visitor visit, void *ctx, struct diag *diag);

#endif /* SONDE_PROBE_TRACEPOINTS_H */
