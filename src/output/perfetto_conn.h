/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto_conn: the tracks of TCP connections, in a process of their own: for each a thread with what
 * happens to it (sent again, losses, changes of state, resets), and counters of what its snapshots
 * tell, written where they change.
 */
#ifndef SONDE_OUTPUT_PERFETTO_CONN_H
#define SONDE_OUTPUT_PERFETTO_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/conn_id.h"
#include "base/map.h"
#include "output/perfetto_out.h"

#define PERFETTO_COUNTERS 11u

/* Where a class of events has what of a connection; -1 = nowhere. */
struct perfetto_conn_fields {
	bool found;
	bool counts; /* there is a snapshot, and no news beside it: counters say all */
	struct conn_id_fields id;
	int counters[PERFETTO_COUNTERS];
};

/* Zeros: a connection of which nothing has been shown. */
struct perfetto_conn {
	uint32_t number; /* 1 = the first that was seen */
	struct conn_id id;
	uint32_t shown; /* bit by counter: it has a value */
	uint64_t values[PERFETTO_COUNTERS];
};

struct perfetto_conns {
	struct perfetto_out *po;
	struct map conns; /* struct perfetto_conn by conn_id_key */
	uint32_t count; /* that were seen */
};

void perfetto_conns_init(struct perfetto_conns *conns, struct perfetto_out *po);
void perfetto_conns_fini(struct perfetto_conns *conns);
void perfetto_conn_fields_find(struct perfetto_conn_fields *fields,
			       const struct event_class *class);
void perfetto_conn_event(struct perfetto_conns *conns, const struct perfetto_conn_fields *fields,
			 const struct event *event);

#endif /* SONDE_OUTPUT_PERFETTO_CONN_H */
