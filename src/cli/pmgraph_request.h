/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmgraph_request: what the command line of pmgraph asks for: its parameters, which are columns of
 * .pm files by letters, its connections, and what becomes of them.
 */
#ifndef SONDE_CLI_PMGRAPH_REQUEST_H
#define SONDE_CLI_PMGRAPH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_format/pm/pm_columns.h"

struct diag;

#define PMGRAPH_CONNS_MAX 256u

/* A parameter that can be shown; the options' letters are the original's. */
struct pmgraph_param {
	char letter;
	enum pm_column_id column;
};

enum pmgraph_param_id {
	PMGRAPH_SND_SB_CC,
	PMGRAPH_SND_CWND,
	PMGRAPH_SND_FACK,
	PMGRAPH_HIWAT_FAIR_SHARE,
	PMGRAPH_SB_HIWAT,
	PMGRAPH_LOCATION,
	PMGRAPH_M_CLUSED,
	PMGRAPH_SB_NET_TARGET,
	PMGRAPH_RCV_SB_CC,
	PMGRAPH_SND_MAX,
	PMGRAPH_SB_MEM_TARGET,
	PMGRAPH_CALLVALUE,
	PMGRAPH_PARAMS,
};

struct pmgraph_conn_id {
	uint16_t lport;
	uint16_t rport;
};

struct pmgraph_request {
	bool shown[PMGRAPH_PARAMS];
	bool any_shown; /* the user chose; else all are shown */
	double factors[PMGRAPH_PARAMS];
	struct pmgraph_conn_id conns[PMGRAPH_CONNS_MAX]; /* only these */
	size_t conn_count; /* 0 = all */
	bool by_param; /* -P: one graph for each parameter, of all connections */
	bool gaps;
	bool maximum;
	bool only_maximum; /* and nothing else but gaps */
	bool text;
};

extern const struct pmgraph_param pmgraph_params[PMGRAPH_PARAMS];

void pmgraph_request_init(struct pmgraph_request *request);
/* The parameter of that letter, or -1. */
int pmgraph_request_find(int letter);
void pmgraph_request_show(struct pmgraph_request *request, int param);
/* "1055.5050", "1000l": 0 or -EINVAL with the diag. */
int pmgraph_request_add_conn(struct pmgraph_request *request, const char *text, struct diag *diag);
int pmgraph_request_scale(struct pmgraph_request *request, const char *text, struct diag *diag);

bool pmgraph_request_shows(const struct pmgraph_request *request, size_t param);
bool pmgraph_request_has_conn(const struct pmgraph_request *request, struct pmgraph_conn_id conn);

/* Whether it is a sequence number: pictures count these from the first one. */
static inline bool pmgraph_param_is_seq(size_t param)
{
	return param == PMGRAPH_SND_FACK || param == PMGRAPH_SND_MAX;
}

/* The column that a parameter is. */
static inline const struct record_field *pmgraph_known(size_t param)
{
	return pm_known_get(pmgraph_params[param].column);
}

#endif /* SONDE_CLI_PMGRAPH_REQUEST_H */
