/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats_origins: events, bytes and losses by host and process, of a source whose traces differ in these.
 * Only the two forms of output of output/stats call it.
 */
#ifndef SONDE_OUTPUT_STATS_ORIGINS_H
#define SONDE_OUTPUT_STATS_ORIGINS_H

#include <stddef.h>

struct buffer;
struct json_writer;
struct stats;

/* A table of @rows at most (0 = all), or nothing with less than two origins. */
void stats_origins_text(const struct stats *stats, size_t rows, struct buffer *out);
/* ,"origins":[...] likewise. */
void stats_origins_json(const struct stats *stats, size_t rows, struct json_writer *json);

#endif /* SONDE_OUTPUT_STATS_ORIGINS_H */
