/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_tcp: what the tcp events tell of each connection (tcp_conn).
 */
#ifndef SONDE_ANALYSE_REPORT_TCP_H
#define SONDE_ANALYSE_REPORT_TCP_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/report_model.h"
#include "analyse/tcp_conn.h"
#include "base/map.h"

/* The most connections with rows of their own; for further ones only events are counted. */
#define REPORT_TCP_LIMIT 65536u
/* Of these have distributions of their own: 39 KiB each. */
#define REPORT_TCP_SPREADS 2048u

struct tcp_class; /* what a class of events means */

struct tcp_report {
	struct report report;
	struct tcp_class *classes; /* by event_class.index */
	struct map index; /* in conns, by conn_id_key */
	struct tcp_conn **conns;
	size_t count;
	size_t room;
	bool found; /* the next ones are of the event before: those of one connection come in runs */
	uint64_t last_key;
	struct tcp_conn *last;
	size_t spreads; /* made so far */
	uint32_t epoch; /* rises whenever events may be missing */
	bool cwnd_bytes; /* some congestion windows are in bytes: no segments are known */
	bool whole; /* tcp.ack and tcp.send are in the trace: no step of a sender is missing */
	uint64_t others; /* events of connections beyond the limit */
	struct tcp_spread others_spread; /* of all connections without one of their own */
	/* At the end. */
	struct tcp_conn all;
	struct tcp_spread all_spread;
	size_t listeners;
};

report_new_fn report_tcp_new;

/* The connections, listeners left out, by bytes; the caller frees the list, which borrows from @tr.
 * NULL = no memory. */
const struct tcp_conn **report_tcp_rank(const struct tcp_report *tr, size_t *count);

/* Whether its distributions are its own. */
static inline bool report_tcp_has_spread(const struct tcp_report *tr, const struct tcp_conn *conn)
{
	return conn->spread != &tr->others_spread;
}

#endif /* SONDE_ANALYSE_REPORT_TCP_H */
