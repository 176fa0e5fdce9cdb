/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats_disks: the part of stats about disks: requests and bytes of each, and how long the disk took. More of
 * that is in report_disk.
 */
#ifndef SONDE_OUTPUT_STATS_DISKS_H
#define SONDE_OUTPUT_STATS_DISKS_H

#include <stddef.h>

struct buffer;
struct json_writer;
struct disk_times;

/* @rows: at most so many, the busiest first; 0 = all. Writes nothing without a disk. 0 or
 * -ENOMEM. */
int stats_disks_text(const struct disk_times *times, size_t rows, struct buffer *out);
/* An array of objects, empty without a disk. */
int stats_disks_json(const struct disk_times *times, size_t rows, struct json_writer *json);

#endif /* SONDE_OUTPUT_STATS_DISKS_H */
