/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats_tables: the counts (stats) as tables for people, at most 100 columns wide, as one JSON object, and as CSV.
 */
#ifndef SONDE_OUTPUT_STATS_TABLES_H
#define SONDE_OUTPUT_STATS_TABLES_H

struct buffer;
struct disk_times;
struct report_rows;
struct report_table;
struct stats;

/* 0 or -ENOMEM. */
int stats_text_write(const struct stats *stats, struct buffer *out);
int stats_json_write(const struct stats *stats, struct buffer *out);
int stats_csv_write(const struct stats *stats, struct buffer *out);

/* What each disk did; those of which only submitted requests were seen are left out. 0 or -ENOMEM. */
extern const struct report_table stats_disks;
int stats_disk_rows(const struct disk_times *times, struct report_rows *ret);

#endif /* SONDE_OUTPUT_STATS_TABLES_H */
