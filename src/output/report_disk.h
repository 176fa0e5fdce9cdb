/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_disk: the report "disk": how long requests waited in the queues of disks, and how long
 * the disks took (analyse/disk_times).
 */
#ifndef SONDE_OUTPUT_REPORT_DISK_H
#define SONDE_OUTPUT_REPORT_DISK_H

#include "output/report_kind.h"

struct view;

/* NULL: no memory. Borrows @view. */
struct report *report_disk_new(const struct view *view);
report_text_fn report_disk_text;
report_json_fn report_disk_json;

#endif /* SONDE_OUTPUT_REPORT_DISK_H */
