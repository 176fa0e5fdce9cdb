/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rx_target: the servers that the operands of `sonde rxdebug` name: HOST[:PORT],
 * NETWORK/BITS[:PORT], @FILE. An address of IPv6 is in brackets where a port follows.
 */
#ifndef SONDE_CLI_RX_TARGET_H
#define SONDE_CLI_RX_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "rx/rx_client.h"

struct diag;

#define RX_TARGETS_MAX 65536u

struct rx_target {
	char *name; /* as it was given, with a port */
	union rx_address address;
	bool sought; /* one of a network: no answer is not an error */
};

struct rx_targets {
	struct rx_target *list;
	size_t count;
	size_t room;
};

/* Adds those that @text names. -ENOENT: the host is unknown; -EINVAL, -E2BIG, or what reading the file fails
 * with, and the diag. */
int rx_targets_add(struct rx_targets *targets, const char *text, struct diag *diag);
void rx_targets_fini(struct rx_targets *targets);

#endif /* SONDE_CLI_RX_TARGET_H */
