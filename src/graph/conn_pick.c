// SPDX-License-Identifier: BSD-2-Clause
#include "graph/conn_pick.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "analyse/conn_id.h"
#include "base/diag.h"

#define PORT_DIGITS 5u

/* Behind the digits, or NULL without a port. */
static const char *parse_port(const char *p, uint16_t *ret)
{
	uint32_t port = 0;
	const char *start = p;

	while (*p >= '0' && *p <= '9' && (size_t)(p - start) < PORT_DIGITS)
		port = port * 10 + (uint32_t)(*p++ - '0');
	if (p == start || port > UINT16_MAX)
		return NULL;
	*ret = (uint16_t)port;
	return p;
}

/* Of @len bytes of text, as IPv6. */
static bool parse_address(const char *text, size_t len, bool v6, uint8_t ret[16])
{
	char copy[INET6_ADDRSTRLEN];

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (v6)
		return inet_pton(AF_INET6, copy, ret) == 1;
	memset(ret, 0, 10);
	memset(ret + 10, 0xff, 2);
	return inet_pton(AF_INET, copy, ret + 12) == 1;
}

/* "ADDR:PORT" or "[ADDR]:PORT": behind it, or NULL. */
static const char *parse_end(const char *p, uint8_t address[16], uint16_t *port)
{
	bool v6 = *p == '[';
	const char *end = strchr(p, v6 ? ']' : ':');

	if (!end || !parse_address(p + v6, (size_t)(end - p) - v6, v6, address))
		return NULL;
	end += v6;
	return *end == ':' ? parse_port(end + 1, port) : NULL;
}

static bool parse_ports(const char *text, struct conn_pick *pick)
{
	const char *p = parse_port(text, &pick->lport);

	if (p && *p == '.')
		p = parse_port(p + 1, &pick->rport);
	else
		p = NULL;
	return p && !*p;
}

static bool parse_ends(const char *text, struct conn_pick *pick)
{
	const char *p = parse_end(text, pick->saddr, &pick->lport);

	if (p && *p == '-')
		p = parse_end(p + 1, pick->daddr, &pick->rport);
	else
		p = NULL;
	return p && !*p;
}

int conn_pick_parse(const char *text, struct conn_pick *ret, struct diag *diag)
{
	struct conn_pick pick = {0};

	if (!parse_ports(text, &pick)) {
		pick.by_address = true;
		if (!parse_ends(text, &pick))
			return diag_set(
				diag, -EINVAL,
				"'%s' is not a connection: give LOCAL.REMOTE ports, as 1055.5050, "
				"or ADDR:PORT-ADDR:PORT, IPv6 in brackets",
				text);
	}
	*ret = pick;
	return 0;
}

bool conn_pick_matches(const struct conn_pick *pick, const struct conn_id *id)
{
	if (pick->lport != id->lport || pick->rport != id->rport)
		return false;
	return !pick->by_address || (!memcmp(pick->saddr, id->saddr, sizeof(id->saddr)) &&
				     !memcmp(pick->daddr, id->daddr, sizeof(id->daddr)));
}
