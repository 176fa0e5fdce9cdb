/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_sink: events as a MAGNeT file: those of our net group, and those that were in such a file.
 * Others it has no record for.
 *
 * The layout is that of the file from which the events come; of other events le64, with the data field
 * where they have the state of protocols. Where that file had room behind its last record, so has this.
 */
#ifndef SONDE_SOURCE_MAGNET_SINK_H
#define SONDE_SOURCE_MAGNET_SINK_H

#include "schema/source.h"

struct diag;
struct view;

/* Borrows @view. -ENOENT: none of the chosen classes can be written; -ENOMEM. */
int magnet_sink_new(const struct view *view, struct event_sink **ret, struct diag *diag);

#endif /* SONDE_SOURCE_MAGNET_SINK_H */
