/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmgraph_data: what pmgraph gathers from snapshots: the chosen parameters of the chosen connections
 * as series, or as lines of text; gaps; the most memory. It is the sink of a reading, and stays when
 * that is over.
 */
#ifndef SONDE_CLI_PMGRAPH_DATA_H
#define SONDE_CLI_PMGRAPH_DATA_H

#include "base/map.h"
#include "graph/series.h"
#include "record_format/pm/pm_columns.h"
#include "schema/source.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the command line of pmgraph asks for: its parameters, which are columns of
 * .pm files by letters, its connections, and what becomes of them.
 */

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

/*
 * A data set of the plotting program xgraph, in a file of its own: its name behind a
 * double quote, then a line for each point. Never open between writes: there may be many.
 */

struct xgraph_file;

/* NULL: no memory. An old file of that name is written over by the first write. */
struct xgraph_file *xgraph_file_new(const char *path, const char *name);
/* NULL is fine. Data that was not written is lost: call xgraph_file_end before. */
void xgraph_file_free(struct xgraph_file *file);
const char *xgraph_file_path(const struct xgraph_file *file);
/* @text is the value, in the form in which it is written. 0 or -errno, sticky. */
int xgraph_file_add(struct xgraph_file *file, int64_t since_ns, const char *text, size_t len);
int xgraph_file_end(struct xgraph_file *file);

struct pmgraph_place;
struct view;

#define PMGRAPH_OTHERS 5u

struct pmgraph_conn {
	struct pmgraph_conn_id id;
	struct series series[PMGRAPH_PARAMS]; /* sequence numbers: bytes from the first one */
	bool has_seq;
	uint32_t first_seq;
	int64_t seq; /* the last one, in bytes from the first */
	struct xgraph_file *files[PMGRAPH_PARAMS]; /* where points are written, too; or NULL */
};

struct pmgraph_data {
	struct event_sink sink; /* first: the vtable's functions get this */
	const struct pmgraph_request *request;
	const struct view *view; /* as long as the reading lasts */
	struct pmgraph_place *places; /* by event_class.index */
	size_t class_count;
	bool has[PMGRAPH_PARAMS]; /* some class has the column */
	struct map by_ports; /* struct pmgraph_conn_id to size_t, 1 + its index */
	struct pmgraph_conn *conns[PMGRAPH_CONNS_MAX];
	size_t conn_count;
	struct pmgraph_conn_id others[PMGRAPH_OTHERS]; /* of those not chosen, the first */
	size_t other_count; /* PMGRAPH_OTHERS + 1: there are more */
	uint64_t left_out; /* snapshots of connections beyond that */
	uint64_t snapshots; /* all, chosen or not */
	uint64_t shown; /* of the connections chosen */
	int64_t origin_ns; /* of the first */
	struct series losses;
	uint64_t lost;
	uint64_t gap; /* lost since the last snapshot */
	double cluster_bytes;
	bool has_maximum;
	uint64_t maximum; /* clusters */
	/* Where points of each line go besides; NULL = nowhere. A name before each is made. */
	const char *xgraph_base;
	bool head_done; /* of text */
	int err; /* of files, sticky */
};

void pmgraph_data_init(struct pmgraph_data *data, const struct pmgraph_request *request);
void pmgraph_data_fini(struct pmgraph_data *data);
/* Makes it the sink of a reading: 0 or -ENOMEM. Borrows @view until the sink is freed. */
int pmgraph_data_begin(struct pmgraph_data *data, const struct view *view);
/* "1055.5050" */
void pmgraph_conn_name(struct pmgraph_conn_id id, char name[16]);

#endif /* SONDE_CLI_PMGRAPH_DATA_H */
