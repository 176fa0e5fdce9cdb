// SPDX-License-Identifier: BSD-2-Clause
#include "cli/listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

int listen_address_parse(const char *text, struct sockaddr_in *ret, struct diag *diag)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	char name[INET_ADDRSTRLEN] = "127.0.0.1", *end;
	unsigned long number = strtoul(port, &end, 10);
	struct in_addr in = {htonl(INADDR_ANY)};

	if (*port < '0' || *port > '9' || *end || number > UINT16_MAX)
		return diag_set(diag, -EINVAL, "'%s' is no port, which is 0 to 65535", port);
	if (colon)
		snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	if ((colon && (size_t)(colon - text) >= sizeof(name)) ||
	    (strcmp(name, "*") != 0 && inet_pton(AF_INET, name, &in) != 1))
		return diag_set(
			diag, -EINVAL,
			"'%s' has no IPv4 address before the ':': give ADDR:PORT, *:PORT or "
			"PORT",
			text);
	*ret = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr = in, .sin_port = htons((uint16_t)number)};
	return 0;
}
