// SPDX-License-Identifier: BSD-2-Clause
#include "live/proto/push_url.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "wire/lttng_relay.h"

#define SCHEME "net://"

/* ":PORT" at *@at, or @otherwise without one. False: neither. */
static bool parse_port(const char **at, unsigned int otherwise, char port[6])
{
	size_t digits;

	snprintf(port, 6, "%u", otherwise);
	if (**at != ':')
		return true;
	digits = strspn(*at + 1, "0123456789");
	if (!digits || digits > 5)
		return false;
	snprintf(port, 6, "%.*s", (int)digits, *at + 1);
	*at += 1 + digits;
	return strtoul(port, NULL, 10) && strtoul(port, NULL, 10) < 65536;
}

/* The host at *@at, without its brackets. */
static bool parse_host(const char **at, char *host, size_t room)
{
	bool bracket = **at == '[';
	const char *from = *at + bracket;
	size_t len = strcspn(from, bracket ? "]" : ":/");

	if (!len || len >= room || (bracket && from[len] != ']'))
		return false;
	memcpy(host, from, len);
	host[len] = 0;
	*at = from + len + bracket;
	return true;
}

int push_url_parse(const char *text, struct push_url *ret, struct diag *diag)
{
	struct push_url url;
	const char *at = text;

	if (strncmp(at, SCHEME, strlen(SCHEME)))
		goto fail;
	at += strlen(SCHEME);
	if (!parse_host(&at, url.host, sizeof(url.host)) ||
	    !parse_port(&at, RELAY_CONTROL_PORT, url.control) ||
	    !parse_port(&at, RELAY_DATA_PORT, url.data))
		goto fail;
	if (strcmp(at, "") && strcmp(at, "/"))
		goto fail;
	*ret = url;
	return 0;

fail:
	return diag_set(diag, -EINVAL,
			"'%s' is not the URL of a relay: net://HOST[:CONTROL_PORT[:DATA_PORT]]",
			text);
}
