/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rxdebug_inventory: which versions the AFS clients have that servers deal with: their cache managers are
 * asked at port 7001 of each peer.
 */
#ifndef SONDE_CLI_RXDEBUG_INVENTORY_H
#define SONDE_CLI_RXDEBUG_INVENTORY_H

#include <stddef.h>

struct buffer;
struct diag;
struct rx_report;
struct rxdebug_request;

/* @servers have their peers. An exit status: STATUS_ERROR where some peers are unknown, which is said on stderr; or an
 * error as of rx_survey. */
int rxdebug_inventory(const struct rxdebug_request *request, const struct rx_report *servers,
		      struct buffer *out, struct diag *diag);

#endif /* SONDE_CLI_RXDEBUG_INVENTORY_H */
