/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats_json: the counts as one JSON object for programs: duration_ns, events, bytes, lost,
 * classes, losses, tasks, syscalls, connections. The shape only grows; unknown members are left
 * out.
 */
#ifndef SONDE_OUTPUT_STATS_JSON_H
#define SONDE_OUTPUT_STATS_JSON_H

struct buffer;
struct stats;

/* 0 or -ENOMEM. */
int stats_json_write(const struct stats *stats, struct buffer *out);

#endif /* SONDE_OUTPUT_STATS_JSON_H */
