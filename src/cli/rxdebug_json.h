/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_json: the data of Rx endpoints, for programs: sonde-rxdebug(1) has the shape, which only grows.
 */
#ifndef SONDE_CLI_RXDEBUG_JSON_H
#define SONDE_CLI_RXDEBUG_JSON_H

#include <stdint.h>

struct buffer;
struct rx_report;
struct rx_target;

/* One object. */
void rxdebug_json_report(const struct rx_target *target, const struct rx_report *report,
			 int64_t now_s, struct buffer *out);

#endif /* SONDE_CLI_RXDEBUG_JSON_H */
