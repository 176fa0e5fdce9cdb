/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_check: whether Rx endpoints are well, in one line and an exit status, as monitors want it.
 */
#ifndef SONDE_CLI_RXDEBUG_CHECK_H
#define SONDE_CLI_RXDEBUG_CHECK_H

struct buffer;
struct rx_report;
struct rxdebug_request;

enum rxdebug_status {
	RXDEBUG_GOOD = 0,
	RXDEBUG_SILENT = 1, /* one did not answer */
	RXDEBUG_WARNING = 3,
	RXDEBUG_CRITICAL = 4, /* whatever the others are */
};

/* Writes the line; an enum rxdebug_status. @reports: one for each target. */
int rxdebug_check(const struct rxdebug_request *request, const struct rx_report *reports,
		  struct buffer *out);

#endif /* SONDE_CLI_RXDEBUG_CHECK_H */
