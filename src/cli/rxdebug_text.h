/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_text: the data of Rx endpoints, for people.
 */
#ifndef SONDE_CLI_RXDEBUG_TEXT_H
#define SONDE_CLI_RXDEBUG_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct rx_report;
struct rx_target;

/* All of one: problems first, then totals, then its lists. */
void rxdebug_text_one(const struct rx_target *target, const struct rx_report *report, int64_t now_s,
		      struct buffer *out);
/* Its lists alone; @conns: that of connections, too. */
void rxdebug_text_lists(const struct rx_report *report, bool conns, struct buffer *out);
/* A line for each of several. Their problems, and what they count since they began, are rxdebug_text_problems. */
void rxdebug_text_head(struct buffer *out);
void rxdebug_text_line(const struct rx_target *target, const struct rx_report *report,
		       struct buffer *out);
void rxdebug_text_problems(const struct rx_target *target, bool totals,
			   const struct rx_report *report, int64_t now_s, struct buffer *out);

#endif /* SONDE_CLI_RXDEBUG_TEXT_H */
