/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * listen_address: where a verb is to listen: "PORT", which is at 127.0.0.1 alone, "ADDR:PORT", or "*:PORT" at all
 * addresses. IPv4.
 */
#ifndef SONDE_CLI_LISTEN_ADDRESS_H
#define SONDE_CLI_LISTEN_ADDRESS_H

#include <netinet/in.h>

struct diag;

/* -EINVAL with the diag. Port 0 is one. */
int listen_address_parse(const char *text, struct sockaddr_in *ret, struct diag *diag);

#endif /* SONDE_CLI_LISTEN_ADDRESS_H */
