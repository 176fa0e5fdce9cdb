/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_rx: what the command line of `sonde record` says of Rx servers to be asked (--rx and its like).
 */
#ifndef SONDE_CLI_RECORD_RX_H
#define SONDE_CLI_RECORD_RX_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/rx_target.h"
#include "record/rx_poll.h"

struct catalogue;
struct diag;

struct record_rx {
	struct rx_targets targets;
	struct rx_poll_server *servers; /* the same for the recorder */
	struct rx_poll_config config;
};

void record_rx_init(struct record_rx *rx);
void record_rx_fini(struct record_rx *rx);

int record_rx_add(struct record_rx *rx, const char *arg, struct diag *diag);
int record_rx_parse_period(struct record_rx *rx, const char *arg, struct diag *diag);
int record_rx_parse_rate(struct record_rx *rx, const char *arg, struct diag *diag);

/* Whether @pattern can mean nothing but measurements of rx. */
bool record_rx_is_named(const char *pattern);
/* -EINVAL: servers are named, and nothing is @wanted of them. */
int record_rx_check(const struct record_rx *rx, const struct catalogue *cat, const bool *wanted,
		    struct diag *diag);
/* NULL where no server is named. Borrowed from @rx. */
const struct rx_poll_config *record_rx_config(const struct record_rx *rx);

#endif /* SONDE_CLI_RECORD_RX_H */
