/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto: events as tracks, for the Perfetto UI and chrome://tracing: one JSON object in the Chrome
 * trace event format. CPUs, tasks, disks, packets and TCP connections have tracks (perfetto_*.h);
 * what is part of no slice is a point on the track of its task, or else of its CPU.
 *
 * Written as events pass, in memory that their number does not change. What ends it early leaves
 * whole JSON behind, as long as the sink is finished.
 */
#ifndef SONDE_OUTPUT_PERFETTO_H
#define SONDE_OUTPUT_PERFETTO_H

#include "schema/source.h"

struct view;

/* Borrows @view. NULL: no memory. */
struct event_sink *perfetto_new(const struct view *view);

#endif /* SONDE_OUTPUT_PERFETTO_H */
