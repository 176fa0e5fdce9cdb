/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * push_url: where a relay is, as LTTng writes it: net://HOST[:CONTROL_PORT[:DATA_PORT]]. An IPv6 address
 * stands in brackets.
 */
#ifndef SONDE_LIVE_PROTO_PUSH_URL_H
#define SONDE_LIVE_PROTO_PUSH_URL_H

struct diag;

struct push_url {
	char host[256];
	char control[6]; /* ports, decimal */
	char data[6];
};

/* 0, or -EINVAL with the diag. */
int push_url_parse(const char *text, struct push_url *ret, struct diag *diag);

#endif /* SONDE_LIVE_PROTO_PUSH_URL_H */
