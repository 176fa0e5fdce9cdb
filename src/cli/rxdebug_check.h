/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_check: whether Rx endpoints are well, in one line and an exit status, as monitors want it.
 */
#ifndef SONDE_CLI_RXDEBUG_CHECK_H
#define SONDE_CLI_RXDEBUG_CHECK_H

#include <stdint.h>

struct buffer;
struct rx_report;
struct rx_survey_config;
struct rxdebug_limits;
struct rxdebug_request;

enum rxdebug_status {
	RXDEBUG_GOOD = 0,
	RXDEBUG_SILENT = 1, /* one did not answer, or does not tell */
	RXDEBUG_WARNING = 3,
	RXDEBUG_CRITICAL = 4, /* whatever the others are */
};

/* Asks for what the limits are about, and no more. */
void rxdebug_check_survey(const struct rxdebug_limits *limits, struct rx_survey_config *survey);
/* Writes the line, or a line of JSON; an enum rxdebug_status, or what Nagios has for it if that was requested, or -ENOMEM. @reports: one for each
 * target; @before: those of an earlier look, which counters are compared with, or NULL. @now_s: since 1970. */
int rxdebug_check(const struct rxdebug_request *request, const struct rx_report *before,
		  const struct rx_report *reports, int64_t now_s, struct buffer *out);

#endif /* SONDE_CLI_RXDEBUG_CHECK_H */
