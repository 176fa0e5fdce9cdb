/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_watch: rates between two looks at an Rx endpoint.
 */
#ifndef SONDE_CLI_RXDEBUG_WATCH_H
#define SONDE_CLI_RXDEBUG_WATCH_H

#include <stdint.h>

struct buffer;
struct rx_report;
struct rx_target;

void rxdebug_watch_head(struct buffer *out);
/* A line; @wall_ns: since 1970. @before is @ns older; what either lacks is not there. */
void rxdebug_watch_line(const struct rx_target *target, const struct rx_report *before,
			const struct rx_report *now, uint64_t ns, uint64_t wall_ns,
			struct buffer *out);
/* The same as a JSON object. */
void rxdebug_watch_json(const struct rx_report *before, const struct rx_report *now, uint64_t ns,
			struct buffer *out);

#endif /* SONDE_CLI_RXDEBUG_WATCH_H */
