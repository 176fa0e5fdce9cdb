/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pm_sink: events as a .pm file (record_format/pm/pm_writer), for `convert --to pm`. Events other than snapshots of a
 * connection are skipped.
 */
#ifndef SONDE_SOURCE_PM_SINK_H
#define SONDE_SOURCE_PM_SINK_H

struct diag;
struct event_sink;
struct view;

/* Borrows @view. @note (may be NULL) as of pm_writer_new. -ENOTSUP with the diag: none of the events that are shown is a snapshot. */
int pm_sink_new(const struct view *view, struct diag *note, struct event_sink **ret,
		struct diag *diag);

#endif /* SONDE_SOURCE_PM_SINK_H */
