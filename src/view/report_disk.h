/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_disk: the report "disk": how long requests waited in the queues of disks, and how long
 * the disks took (view/disk_times).
 */
#ifndef SONDE_VIEW_REPORT_DISK_H
#define SONDE_VIEW_REPORT_DISK_H

struct report;
struct view;

/* NULL: no memory. Borrows @view. */
struct report *report_disk_new(const struct view *view);

#endif /* SONDE_VIEW_REPORT_DISK_H */
