/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats_text: the counts as tables for people, at most 100 columns wide.
 */
#ifndef SONDE_OUTPUT_STATS_TEXT_H
#define SONDE_OUTPUT_STATS_TEXT_H

struct buffer;
struct stats;

/* 0 or -ENOMEM. */
extern const struct report_table stats_functions;
int stats_text_write(const struct stats *stats, struct buffer *out);

#endif /* SONDE_OUTPUT_STATS_TEXT_H */
