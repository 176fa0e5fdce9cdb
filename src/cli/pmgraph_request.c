// SPDX-License-Identifier: BSD-2-Clause
#include "cli/pmgraph_request.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

const struct pmgraph_param pmgraph_params[PMGRAPH_PARAMS] = {
	[PMGRAPH_SND_SB_CC] = {'b', PM_SND_SB_CC},
	[PMGRAPH_SND_CWND] = {'c', PM_SND_CWND},
	[PMGRAPH_SND_FACK] = {'f', PM_SND_FACK},
	[PMGRAPH_HIWAT_FAIR_SHARE] = {'F', PM_HIWAT_FAIR_SHARE},
	[PMGRAPH_SB_HIWAT] = {'H', PM_SB_HIWAT},
	[PMGRAPH_LOCATION] = {'l', PM_LOCATION},
	[PMGRAPH_M_CLUSED] = {'m', PM_M_CLUSED},
	[PMGRAPH_SB_NET_TARGET] = {'n', PM_SB_NET_TARGET},
	[PMGRAPH_RCV_SB_CC] = {'r', PM_RCV_SB_CC},
	[PMGRAPH_SND_MAX] = {'s', PM_SND_MAX},
	[PMGRAPH_SB_MEM_TARGET] = {'t', PM_SB_TARGET_HIWAT},
	[PMGRAPH_CALLVALUE] = {'v', PM_CALLVALUE},
};

void pmgraph_request_init(struct pmgraph_request *request)
{
	*request = (struct pmgraph_request){.conn_count = 0};
	for (size_t i = 0; i < PMGRAPH_PARAMS; i++)
		request->factors[i] = 1;
}

int pmgraph_request_find(int letter)
{
	for (int i = 0; i < PMGRAPH_PARAMS; i++) {
		if (pmgraph_params[i].letter == letter)
			return i;
	}
	return -1;
}

void pmgraph_request_show(struct pmgraph_request *request, int param)
{
	request->shown[param] = true;
	request->any_shown = true;
}

/* A port at @text; where it ends, or NULL. */
static const char *parse_port(const char *text, uint16_t *ret)
{
	unsigned int port = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		port = 10 * port + (unsigned int)(*at - '0');
		if (port > UINT16_MAX)
			return NULL;
	}
	*ret = (uint16_t)port;
	return at == text ? NULL : at;
}

int pmgraph_request_add_conn(struct pmgraph_request *request, const char *text, struct diag *diag)
{
	struct pmgraph_conn_id *conn = &request->conns[request->conn_count];
	const char *end;

	if (request->conn_count == PMGRAPH_CONNS_MAX)
		return diag_set(diag, -EINVAL, "-p: more than %u connections", PMGRAPH_CONNS_MAX);
	end = parse_port(text, &conn->lport);
	if (end)
		end = *end == '.' ? parse_port(end + 1, &conn->rport) : NULL;
	if (!end || *end)
		return diag_set(diag, -EINVAL,
				"-p: '%s' is not a pair of ports, local and remote: 1055.5050",
				text);
	request->conn_count++;
	return 0;
}

int pmgraph_request_scale(struct pmgraph_request *request, const char *text, struct diag *diag)
{
	size_t len = strlen(text);
	int param = len ? pmgraph_request_find(text[len - 1]) : -1;
	char *end = NULL;
	double factor = 0;

	if (len > 1 && param >= 0)
		factor = strtod(text, &end);
	if (!end || end != text + len - 1 || !isfinite(factor))
		return diag_set(
			diag, -EINVAL,
			"-S: '%s' is not a number with the letter of a parameter behind it: "
			"1000l",
			text);
	request->factors[param] = factor;
	return 0;
}

bool pmgraph_request_shows(const struct pmgraph_request *request, size_t param)
{
	return !request->any_shown || request->shown[param];
}

bool pmgraph_request_has_conn(const struct pmgraph_request *request, struct pmgraph_conn_id conn)
{
	for (size_t i = 0; i < request->conn_count; i++) {
		if (request->conns[i].lport == conn.lport && request->conns[i].rport == conn.rport)
			return true;
	}
	return !request->conn_count;
}
