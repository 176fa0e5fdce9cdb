/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmgraph_data: what pmgraph gathers from snapshots: the chosen parameters of the chosen connections
 * as series, or as lines of text; gaps; the most memory. It is the sink of a reading, and stays when
 * that is over.
 */
#ifndef SONDE_CLI_PMGRAPH_DATA_H
#define SONDE_CLI_PMGRAPH_DATA_H

#include "base/map.h"
#include "cli/pmgraph_request.h"
#include "graph/series.h"
#include "schema/source.h"

struct pmgraph_place;
struct view;
struct xgraph_file;

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
