/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_url: the name of a relay, or of a session that it has:
 * net://RELAY[:PORT][/host/HOST/SESSION], as lttng-tools and babeltrace write it.
 *
 * RELAY is where to connect to; HOST is the machine that is traced, as the relay lists it.
 */
#ifndef SONDE_LIVE_PROTO_LIVE_URL_H
#define SONDE_LIVE_PROTO_LIVE_URL_H

#include <stdbool.h>

#include "wire/lttng_live.h"

/*
 * Where a relay is, as LTTng writes it: net://HOST[:CONTROL_PORT[:DATA_PORT]]. An IPv6 address
 * stands in brackets.
 */

struct diag;

struct push_url {
	char host[256];
	char control[6]; /* ports, decimal */
	char data[6];
};

/* 0, or -EINVAL with the diag. */
int push_url_parse(const char *text, struct push_url *ret, struct diag *diag);

#define LIVE_RELAY_BYTES 256u /* a name of the DNS, NUL included */

struct live_url {
	int family; /* AF_UNSPEC of net://, AF_INET of net4://, AF_INET6 of net6:// */
	char relay[LIVE_RELAY_BYTES]; /* without the brackets of an IPv6 address */
	char port[6];
	char host[LIVE_HOST_BYTES + 1]; /* "": the URL names the relay alone */
	char session[LIVE_NAME_BYTES + 1];
};

/* Whether @text is to be taken for one, right or wrong. */
bool live_url_is(const char *text);
/* 0, or -EINVAL with the diag. A slash at the end means nothing. */
int live_url_parse(const char *text, struct live_url *ret, struct diag *diag);

/* As it is typed: the scheme, the relay, the port where it is not the usual one, and the session if one is
 * named. */
#define LIVE_URL_BYTES (LIVE_RELAY_BYTES + LIVE_HOST_BYTES + LIVE_NAME_BYTES + 32u)
void live_url_format(const struct live_url *url, char text[LIVE_URL_BYTES]);

#endif /* SONDE_LIVE_PROTO_LIVE_URL_H */
