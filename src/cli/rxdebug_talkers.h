/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_talkers: the hosts that Rx endpoints deal with, all connections and ports of one together, whatever
 * endpoint they are of: the host with the most bytes is first.
 */
#ifndef SONDE_CLI_RXDEBUG_TALKERS_H
#define SONDE_CLI_RXDEBUG_TALKERS_H

#include <stddef.h>

struct buffer;
struct json_writer;
struct rx_report;

/* A table of the first few, if there are more than are seen at a glance. */
void rxdebug_talkers_text(const struct rx_report *reports, size_t count, struct buffer *out);
/* The member "talkers": an array of all. */
void rxdebug_talkers_json(const struct rx_report *reports, size_t count, struct json_writer *json);

#endif /* SONDE_CLI_RXDEBUG_TALKERS_H */
