/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_json: the data of Rx endpoints, for programs: sonde-rxdebug(1) has the shape, which only grows.
 */
#ifndef SONDE_CLI_RXDEBUG_JSON_H
#define SONDE_CLI_RXDEBUG_JSON_H

#include <stdint.h>

struct json_writer;
struct rx_report;
struct rx_target;

/* The members of one object. */
void rxdebug_json_report(const struct rx_target *target, const struct rx_report *report,
			 int64_t now_s, struct json_writer *json);
/* "192.0.2.1" */
void rxdebug_json_host(struct json_writer *json, const char *key, uint32_t host);

#endif /* SONDE_CLI_RXDEBUG_JSON_H */
