/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_prometheus: the data of Rx endpoints as metrics, in the text format of Prometheus (0.0.4).
 */
#ifndef SONDE_CLI_RXDEBUG_PROMETHEUS_H
#define SONDE_CLI_RXDEBUG_PROMETHEUS_H

#include <stddef.h>

struct buffer;
struct rx_report;
struct rx_target;

/* @count of each. */
void rxdebug_prometheus(const struct rx_target *targets, const struct rx_report *reports,
			size_t count, struct buffer *out);

#endif /* SONDE_CLI_RXDEBUG_PROMETHEUS_H */
