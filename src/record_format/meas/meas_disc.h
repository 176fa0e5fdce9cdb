/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meas_disc: records of HP-UX's disk measurements, from disk.*: disc_io_id when a request arrives and
 * when it has been done, in release 3.0 by ids of their own and one for the hand-over between, and
 * timeshare_insert.
 *
 * A request that the disk takes at once was in no queue: it arrives when it is handed over.
 */
#ifndef SONDE_RECORD_FORMAT_MEAS_MEAS_DISC_H
#define SONDE_RECORD_FORMAT_MEAS_MEAS_DISC_H

struct event;
struct meas_disc;
struct meas_making;
struct trace_info;

/* NULL: no memory. Borrows the classes of @info. */
struct meas_disc *meas_disc_new(const struct trace_info *info);
/* NULL is fine. */
void meas_disc_free(struct meas_disc *disc);
/* Losses as well. */
void meas_disc_take(struct meas_disc *disc, const struct event *event, struct meas_making *making);

#endif /* SONDE_RECORD_FORMAT_MEAS_MEAS_DISC_H */
